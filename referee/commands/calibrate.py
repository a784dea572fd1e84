"""``referee calibrate``: measure a camera once, a fixed camera's whole set-up, or the dodecas, and keep a profile."""

from dataclasses import replace
from pathlib import Path

import click

from calibration.errors import UnusableInputError
from referee.commands.lengths import DISC, SHOOTING_LINE, Millimetres
from referee.commands.paths import FilePath
from referee.commands.read import write_pictures
from referee.outputs import PICTURES, require_outputs, require_suffix

ACROSS_RANGE_MM = (5.0, 100.0)
"""Sizes of dodecas across flats."""
SHEET = Path("calibration_sheet.pdf")


@click.group()
def calibrate() -> None:
    """Measure a camera or a fixed set-up, and print the sheet for it."""


@calibrate.command("print")
@click.option("-o", "--output", type=FilePath(), default=SHEET, show_default=True)
@click.option("--paper", type=click.Choice(("a4", "letter")), default="a4", show_default=True)
def print_sheet(output: Path, paper: str) -> None:
    """Write the calibration sheet as a PDF to print at 100 %."""
    from referee.sheet_pdf import write_sheet

    require_outputs({"-o": output})
    write_sheet(output, paper)
    click.echo(f"{output}: print it at 100 %, check its ruler, glue it to something flat, photograph it 8 to 20 times")


@calibrate.command()
@click.argument("pictures", nargs=-1, required=True, type=FilePath())
@click.option("-o", "--output", type=FilePath(), required=True, help="The profile to write.")
def camera(pictures: tuple[Path, ...], output: Path) -> None:
    """Measure a camera from PICTURES of the calibration sheet, all in one size and zoom."""
    from calibration.charuco import calibrate as solve
    from calibration.charuco import find_corners
    from calibration.profiles import camera_file, save
    from vision.frames import load_picture

    require_outputs({"-o": output}, [("a picture", p) for p in pictures])
    views, missed, size, first = [], [], None, pictures[0]
    for path in pictures:
        frame = load_picture(path)
        if size is None:
            size = frame.width, frame.height
        elif size != (frame.width, frame.height):
            made = f"{frame.width} x {frame.height} pixels, {first} has {size[0]} x {size[1]}"
            raise UnusableInputError(f"{path}: {made}; a profile is for one size", code="unreadable_input")
        corners = find_corners(frame.pixels, str(path))
        if corners is None:
            missed.append(str(path))
            click.echo(f"  {path}: the sheet was not found", err=True)
        else:
            shown = frame.to_shown(corners.pixels.astype("float64")).astype("float32")
            views.append(replace(corners, pixels=shown))
            click.echo(f"  {path}: {len(corners.pixels)} corners", err=True)
    assert size is not None
    found = solve(views, *size, missed)
    profile = camera_file(found.camera).model_copy(
        update={"rms_px": found.rms_px, "coverage": found.coverage, "pictures": len(found.used)}
    )
    save(output, profile)
    click.echo(
        f"{output}: focal length {found.camera.K[0, 0]:.1f} +- {found.camera.sigma['focal_px']:.1f} px, corners fit to "
        f"{found.rms_px:.2f} px over {len(found.used)} pictures that cover {100 * found.coverage:.0f} % of the view"
    )
    for warning in found.warnings:
        click.echo(f"note: {warning}")


@calibrate.command()
@click.argument("picture", type=FilePath())
@click.option("-o", "--output", type=FilePath(), required=True, help="The profile to write.")
@click.option("--camera", type=FilePath(), help="Camera profile from 'referee calibrate camera'.")
@click.option("--board", help="Board geometry: a built-in name (nca, family) or a board file.")
@click.option("--shooting-line", type=SHOOTING_LINE, metavar="MM", help="Radius of the shooting line.")
@click.option("--disc-mm", "--disc", type=DISC, metavar="MM", help="Diameter of the discs.")
@click.option("--overlay", type=FilePath(), help="Picture to check; beside the profile unless given.")
def board(
    picture: Path,
    output: Path,
    camera: Path | None,
    board: str | None,
    shooting_line: float | None,
    disc_mm: float | None,
    overlay: Path | None,
) -> None:
    """Solve the board in PICTURE and keep it, with the camera over it, for pictures from the same place."""
    overlay = overlay or output.with_suffix(".png")
    require_suffix("--overlay", overlay, PICTURES, "pictures")
    inputs = [("the picture", picture), ("the camera's profile", camera), ("the board's file", board)]
    require_outputs({"-o": output, "--overlay": overlay}, inputs)
    from calibration.profiles import save, table_file
    from referee.crokinole_reader import read_crokinole, shown_view
    from referee.known import Known
    from vision.frames import load_picture

    frame = load_picture(picture)
    known = Known(camera, board, None, shooting_line, disc_mm)
    reading = read_crokinole(frame, known.hints(frame))
    view = shown_view(frame, reading.view)
    save(output, table_file(view, frame.sha256))
    write_pictures(reading, overlay, None)
    click.echo(
        f"{output}: lines fit to {view.residual_px:.2f} px, millimetres from: {view.scale.detail}; "
        f"look at {overlay} before you trust it"
    )


@calibrate.command()
@click.argument("picture", type=FilePath())
@click.option("-o", "--output", type=FilePath(), required=True, help="The profile to write.")
@click.option("--across", type=Millimetres(*ACROSS_RANGE_MM), default=18.0, show_default=True, metavar="MM",
              help="Size of the dodecas across flats.")  # fmt: skip
def dice(picture: Path, output: Path, across: float) -> None:
    """Measure Krakatoa's nine dodecas in PICTURE: what their bodies and spots look like under this light."""
    require_outputs({"-o": output}, [("the picture", picture)])
    from calibration.profiles import save
    from referee.dodeca_profile import measure
    from vision.frames import load_picture

    profile = measure(load_picture(picture), across)
    save(output, profile)
    click.echo(f"{output}: nine dodecas of {across:g} mm; read with --game krakatoa --table {output}")
