"""Which camera follows which match, for the next start: in a file of this machine, beside the store.

A camera belongs to a machine, not to a match: its number means nothing elsewhere, and its address may hold a password.
So it is neither in the log nor in the store nor in a backup, and only its owner can read the file.
"""

import json
import logging
import os
import threading
from pathlib import Path

log = logging.getLogger(__name__)


class KeptCameras:
    """The file; what can't be read in it counts as nothing kept."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()

    def all(self) -> dict[str, str]:
        """Match -> its source, as it was named."""
        try:
            data = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return {str(k): str(v) for k, v in data.items()} if isinstance(data, dict) else {}

    def keep(self, match: str, source: str, shared: bool = False) -> None:
        """This source follows the match from now on, and no other one unless it can be ``shared``: it is a file."""
        with self._lock:
            others = {k: v for k, v in self.all().items() if k != match and (shared or v != source)}
            self._write(others | {match: source})

    def forget(self, match: str) -> None:
        """No camera follows the match any more."""
        with self._lock:
            kept = self.all()
            if kept.pop(match, None) is not None:
                self._write(kept)

    def _write(self, kept: dict[str, str]) -> None:
        """Write the file; where that can't be done, cameras are chosen anew after the next start, and no more."""
        try:
            self._replace(kept)
        except OSError as error:
            log.warning("%s: can't be written (%s)", self._path, error.strerror)

    def _replace(self, kept: dict[str, str]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self._path.with_suffix(".new")
        fresh.unlink(missing_ok=True)
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            json.dump(kept, file, ensure_ascii=False, indent=1)
        fresh.replace(self._path)
