"""Read the shipped sample pictures, print the scores beside the truth, write the overlays to out/."""

import json
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.progress import track

from calibration.errors import TableError
from referee.commands.read import caption, points_text, write_picture
from referee.crokinole_reader import read_crokinole
from vision import overlay
from vision.frames import load_picture

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "sample_images"
OUT = ROOT / "out"


def main() -> int:
    """Read all samples; returns the exit status."""
    console = Console()
    OUT.mkdir(exist_ok=True)
    rows: list[str] = []
    pictures = sorted(SAMPLES.glob("*.jpg"))
    for path in track(pictures, "reading the sample pictures", console=console):
        truth = json.loads(path.with_name(path.stem + ".truth.json").read_text())["score"]
        right = "   ".join(f"{side} {points}" for side, points in truth.items())
        start = time.perf_counter()
        try:
            frame = load_picture(path)
            reading = read_crokinole(frame)
        except TableError as error:
            rows.append(f"{path.name:32} [red]refused: {error}[/red]   (true: {right})")
            continue
        elapsed = 1000 * (time.perf_counter() - start)
        drawn = overlay.draw(frame.pixels, reading.view, reading.discs, caption(reading))
        write_picture(OUT / f"{path.stem}.jpg", drawn)
        score = reading.score
        words = "   ".join(f"{side} {points_text(reading, side)}" for side in score.points)
        sure = "[green]sure[/green]" if score.sure else "[yellow]not sure[/yellow]"
        rows.append(f"{path.name:32} [bold]{words}[/bold]   {sure}   [dim](true: {right})   {elapsed:.0f} ms[/dim]")
    for row in rows:
        console.print(row, highlight=False, soft_wrap=True)
    console.print(f"\nThe readings drawn on their pictures: {OUT}/*.jpg", highlight=False)
    console.print("Your own: .venv/bin/referee read photo.jpg --overlay out.png", highlight=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
