"""The calibration sheet as a PDF in true size, with a ruler to check the print."""

from pathlib import Path

from calibration.charuco import MARKER_MM, SQUARE_MM, SQUARES, sheet_picture
from calibration.errors import TableError

RULER_MM = 200
PIXELS_PER_MM = 8.0
"""Each marker bit is 24.7 pixels: edges of the print are the printer's, not the picture's."""


def write_sheet(path: Path, paper: str) -> None:
    """Write the sheet for ``paper`` (``a4`` or ``letter``), landscape; raises TableError where it can't be written."""
    import cv2  # noqa: PLC0415
    from PIL import Image  # noqa: PLC0415
    from reportlab.lib import pagesizes  # noqa: PLC0415  (0.2 s, needed for printing only)
    from reportlab.lib.units import mm  # noqa: PLC0415
    from reportlab.lib.utils import ImageReader  # noqa: PLC0415
    from reportlab.pdfgen import canvas  # noqa: PLC0415

    size = pagesizes.landscape(pagesizes.A4 if paper == "a4" else pagesizes.LETTER)
    width, height = SQUARES[0] * SQUARE_MM * mm, SQUARES[1] * SQUARE_MM * mm
    left, bottom = (size[0] - width) / 2, (size[1] - height) / 2 + 3 * mm
    page = canvas.Canvas(str(path), pagesize=size, invariant=1)
    page.setTitle("Table Referee calibration sheet")
    picture = Image.fromarray(cv2.cvtColor(sheet_picture(PIXELS_PER_MM), cv2.COLOR_GRAY2RGB)).convert("L")
    page.drawImage(ImageReader(picture), left, bottom, width, height)
    ruler = bottom - 5 * mm
    page.setLineWidth(0.3)
    page.line(left, ruler, left + RULER_MM * mm, ruler)
    for tick in range(0, RULER_MM + 1, 10):
        page.line(left + tick * mm, ruler, left + tick * mm, ruler - (3 if tick % 50 == 0 else 1.5) * mm)
    page.setFont("Helvetica", 8)
    page.drawString(
        left,
        ruler - 7 * mm,
        f"Print at 100 % (no fitting to the page). This line is {RULER_MM} mm long, a square {SQUARE_MM:g} mm, "
        f"a marker {MARKER_MM:g} mm: measure before use. Keep the sheet flat: glue it to a board.",
    )
    page.showPage()
    try:
        page.save()
    except OSError as error:
        raise TableError(f"{path}: can't be written ({error.strerror or error})") from error
