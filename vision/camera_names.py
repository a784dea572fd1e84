"""Names of the cameras at this machine, as far as each system tells them; an index always works as well."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

SYS_CLASS = Path("/sys/class/video4linux")
ASK_SECONDS = 8.0


@dataclass(frozen=True, slots=True)
class CameraName:
    """A camera by its index and its name."""

    index: int
    name: str


def list_cameras() -> list[CameraName]:
    """The cameras that the system names; empty where it names none (an index may still work)."""
    if sys.platform.startswith("linux"):
        return from_linux(SYS_CLASS)
    if sys.platform == "darwin":
        return from_mac(_asked(["system_profiler", "SPCameraDataType", "-json"]))
    if sys.platform == "win32":
        query = (
            "Get-CimInstance Win32_PnPEntity | Where-Object {$_.PNPClass -in 'Camera','Image'} | ForEach-Object Name"
        )
        return from_lines(_asked(["powershell", "-NoProfile", "-Command", query]))
    return []


def from_linux(folder: Path) -> list[CameraName]:
    """Cameras from the kernel's list; the second node of a camera, which gives no pictures, is left out."""
    found = []
    for node in sorted(folder.glob("video*"), key=lambda p: int(p.name.removeprefix("video") or 0)):
        name, index = node / "name", node / "index"
        if index.is_file() and index.read_text().strip() != "0":
            continue
        words = name.read_text(errors="replace").strip() if name.is_file() else node.name
        found.append(CameraName(int(node.name.removeprefix("video")), words))
    return found


def from_mac(text: str) -> list[CameraName]:
    """Cameras from what macOS prints, in its order, which is OpenCV's."""
    try:
        items = json.loads(text or "{}").get("SPCameraDataType", [])
    except ValueError:
        return []
    return [CameraName(i, str(item.get("_name", f"camera {i}"))) for i, item in enumerate(items)]


def from_lines(text: str) -> list[CameraName]:
    """Cameras from one name a line."""
    names = [line.strip() for line in text.splitlines() if line.strip()]
    return [CameraName(i, name) for i, name in enumerate(names)]


def _asked(command: list[str]) -> str:
    """What the system's own program prints; empty where there is none, or it takes too long."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=ASK_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout
