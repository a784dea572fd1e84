"""Where the shared data lies: scenes with exact truth, and photographs."""

import os
from pathlib import Path

SHARED = Path(os.environ.get("REFEREE_DATA", Path(__file__).parents[2] / "shared"))
"""The folder named by REFEREE_DATA, else the one beside the repository."""
SCENES = SHARED / "scenes"
