"""``referee read``: one picture to a score, for people or, with ``--json``, for programs."""

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from calibration.errors import TableError
from referee.commands.lengths import DISC, SHOOTING_LINE
from referee.commands.paths import FilePath

if TYPE_CHECKING:
    from referee.crokinole_reader import CrokinoleReading
    from vision.formats import Pixels
    from vision.frames import Frame

GAMES = ("crokinole", "yacht", "krakatoa", "kraken")

JPEG_QUALITY = 92
DOUBTS_SHOWN = 6
"""At most this many doubts stand above an overlay: with more, the whole picture was read badly."""


@click.command()
@click.argument("picture", type=FilePath())
@click.option(
    "--game", type=click.Choice(GAMES), default="crokinole", show_default=True, help="What lies on the table."
)
@click.option("--json", "as_json", is_flag=True, help="Print the reading for programs (docs/json.md).")
@click.option("--camera", type=FilePath(), help="Camera profile from 'referee calibrate camera'.")
@click.option("--board", help="Board geometry: a built-in name (nca, family) or a board file.")
@click.option("--table", type=FilePath(), help="A set-up from 'referee calibrate board', or 'dice' for krakatoa.")
@click.option("--shooting-line", type=SHOOTING_LINE, metavar="MM", help="Radius of the shooting line.")
@click.option("--disc-mm", "--disc", type=DISC, metavar="MM", help="Diameter of the discs.")
@click.option("--overlay", type=FilePath(), help="Write the picture with the reading drawn on it.")
@click.option("--rectified", type=FilePath(), help="Write the board seen straight from above.")
def read(
    picture: Path,
    game: str,
    as_json: bool,
    camera: Path | None,
    board: str | None,
    table: Path | None,
    shooting_line: float | None,
    disc_mm: float | None,
    overlay: Path | None,
    rectified: Path | None,
) -> int:
    """Read the table in PICTURE and print the score."""
    start = time.perf_counter()
    from referee.outputs import PICTURES, require_outputs, require_suffix

    for name, target in (("--overlay", overlay), ("--rectified", rectified)):
        require_suffix(name, target, PICTURES, "pictures")
    inputs = [
        ("the picture", picture),
        ("the camera's profile", camera),
        ("the board's file", board),
        ("the set-up", table),
    ]
    require_outputs({"--overlay": overlay, "--rectified": rectified}, inputs)
    from vision.frames import load_picture  # help pages don't wait for OpenCV

    frame = load_picture(picture)
    loaded = time.perf_counter()
    if game in ("yacht", "krakatoa"):
        others = {"--camera": camera, "--board": board, "--shooting-line": shooting_line, "--disc-mm": disc_mm,
                  "--rectified": rectified, "--table": table if game == "yacht" else None}  # fmt: skip
        for name, value in others.items():
            if value is not None:
                raise click.UsageError(f"{name} is of other games; {game} doesn't take it.")
        return read_dice_game(frame, game, start, overlay, as_json, table)
    if game != "crokinole":
        raise TableError(f"--game {game} can't be read yet", code="not_available")
    from referee.crokinole_json import reading_json
    from referee.crokinole_reader import read_crokinole
    from referee.known import Known

    known = Known(camera, board, table, shooting_line, disc_mm)
    load_ms = 1000 * (loaded - start)
    reading = read_crokinole(frame, known.hints(frame), known.view(frame), load_ms=load_ms)
    elapsed = 1000 * (time.perf_counter() - start)
    write_pictures(reading, overlay, rectified)
    if as_json:
        click.echo(json.dumps(reading_json(reading, elapsed)))
    else:
        print_reading(reading, elapsed)
    return 0


def read_dice_game(
    frame: "Frame", game: str, start: float, overlay: Path | None, as_json: bool, table: Path | None = None
) -> int:
    """Read Yacht's dice or Krakatoa's dodecas and print them; ``start`` as of time.perf_counter()."""
    from referee.dice_reader import drawn, read_game

    known = None
    if table is not None:
        from calibration.profiles import DodecaFile, load
        from referee.dodeca_profile import known_colours

        known = known_colours(load(table, DodecaFile))
    reading = read_game(frame, game, start, known)
    if overlay is not None:
        write_picture(overlay, drawn(reading))
    if as_json:
        click.echo(json.dumps(reading.as_json()))
        return 0
    for line in reading.lines:
        click.echo(line)
    for warning in reading.warnings:
        click.echo(f"note: {warning}")
    return 0


def write_picture(path: Path, pixels: "Pixels") -> None:
    """Write BGR pixels by the suffix of the path; raises TableError where that fails."""
    import cv2

    suffix = path.suffix.lower()
    options = [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY] if suffix in (".jpg", ".jpeg") else []
    ok, data = cv2.imencode(suffix, pixels, options)
    try:
        if not ok:
            raise OSError("the picture can't be encoded")
        path.write_bytes(data.tobytes())
    except OSError as error:
        raise TableError(f"{path}: can't be written ({error.strerror or error})") from error


def write_pictures(reading: "CrokinoleReading", overlay: Path | None, rectified: Path | None) -> None:
    """Write the pictures that were asked for."""
    if overlay is None and rectified is None:
        return
    from vision import overlay as drawing

    frame = reading.frame
    if overlay is not None:
        write_picture(
            overlay, drawing.draw(frame.pixels, reading.view, reading.discs, caption(reading), reading.covers)
        )
    if rectified is not None:
        write_picture(rectified, drawing.rectified(frame.pixels, reading.view))


def caption(reading: "CrokinoleReading") -> Any:
    """Words above an overlay: the score with its range, what the solution is worth, doubts and warnings."""
    from vision.overlay import Caption

    score, view = reading.score, reading.view
    sides = [(colour, points_text(reading, colour)) for colour in score.points]
    stands = "the score is sure" if score.sure else "the score is NOT sure"
    lines = [f"{stands}; {board_text(reading)}"]
    lines += [doubt_text(d.disc, d.values, d.why) for d in score.doubts[:DOUBTS_SHOWN]]
    if len(score.doubts) > DOUBTS_SHOWN:
        lines.append(f"and {len(score.doubts) - DOUBTS_SHOWN} more doubts")
    lines += [f"note: {w}" for w in reading.warnings]
    if view.camera.assumed:
        lines.append("assumed: " + "; ".join(view.camera.assumed))
    return Caption(sides, lines, frozenset(d.disc for d in score.doubts if d.disc is not None))


def points_text(reading: "CrokinoleReading", colour: str) -> str:
    """A side's points, with the range where they aren't sure."""
    low, high = reading.score.ranges[colour]
    points = str(reading.score.points[colour])
    return points if low == high else f"{points} ({low} to {high})"


def board_text(reading: "CrokinoleReading") -> str:
    """What the solution is worth, in half a line."""
    from referee.crokinole_reader import shown_view

    view = shown_view(reading.frame, reading.view)
    return (
        f"lines fit to {view.residual_px:.2f} px; tilt {view.camera.tilt_deg:.0f} degrees; "
        f"millimetres from: {view.scale.detail}"
    )


def doubt_text(disc: int | None, values: tuple[int, ...], why: str) -> str:
    """One doubt in a line."""
    name = "something" if disc is None else f"disc #{disc}"
    if not values:
        return f"doubt: {why}"
    first, last = ", ".join(str(v) for v in values[:-1]), str(values[-1])
    return f"doubt: {name} counts {first + ' or ' if first else ''}{last}: {why}"


def print_reading(reading: "CrokinoleReading", elapsed_ms: float) -> None:
    """Print a reading for people."""
    from rich.console import Console  # 0.1 s that --json needn't wait for
    from rich.markup import escape
    from rich.table import Table

    from vision.overlay import nearest_line

    console = Console()
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name, side in (("disc", "right"), ("colour", "left"), ("points", "right"), ("place", "left"), ("line", "left")):
        table.add_column(name, justify=side)  # type: ignore[arg-type]
    doubted = {d.disc for d in reading.score.doubts}
    for disc in reading.discs:
        near = nearest_line(disc)
        gap = "" if near is None else f"{near.line} {near.gap_mm:+.2f} \u00b1 {near.sigma_mm:.2f} mm {near.verdict}"
        value = "?" if disc.value is None else str(disc.value)
        style = "bold red" if disc.id in doubted else ""
        table.add_row(str(disc.id), disc.colour, value, disc.state, gap.replace("_", " "), style=style)
    if reading.discs:
        console.print(table)
    score = reading.score
    words = "   ".join(f"{c} [bold]{points_text(reading, c)}[/bold]" for c in score.points) or "no discs on the board"
    console.print(words + ("" if score.sure else "   [red]not sure[/red]"))
    for doubt in score.doubts:
        console.print(f"[red]{escape(doubt_text(doubt.disc, doubt.values, doubt.why))}[/red]")
    for warning in reading.warnings:
        console.print(f"[yellow]{escape('note: ' + warning)}[/yellow]")
    console.print(f"[dim]{escape(board_text(reading))}   {elapsed_ms:.0f} ms[/dim]")
