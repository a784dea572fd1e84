"""A reading drawn on its picture, so that a person can believe or refute it at a glance.

Lines are drawn at their inner painted edges as solved, which bound the values; every disc as the outline of its base,
which is where it touches the board. Texts are sized to the picture and kept off it in a header.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from calibration.camera import resized_px
from calibration.view import BoardView
from vision.formats import Pixels
from vision.readings import Cover, Disc, LineContact

Colour = tuple[int, int, int]

SIDE_RANGE = (1600, 2600)
"""The longer side of the drawing in px: small pictures are enlarged until text fits, large ones reduced."""

DISC_PX = 18.0
"""With this radius in px a disc has room for a readable value: the drawing is enlarged to it, within SIDE_RANGE."""

LINE_COLOUR: Colour = (255, 255, 0)
"""Cyan in BGR: no board, wood or disc has it."""

DOUBT_COLOUR: Colour = (60, 60, 255)
HALO: Colour = (20, 20, 20)
VALUE_COLOURS: Mapping[int | None, Colour] = {
    20: (80, 220, 255),
    15: (120, 255, 120),
    10: (255, 200, 90),
    5: (230, 140, 255),
    0: (190, 190, 190),
    None: DOUBT_COLOUR,
}
"""BGR by value, bright enough to be seen on black and on maple with a dark halo."""

GAP_SHOWN_MM = 5.0
"""Gaps to lines nearer than this are written beside the disc: beyond it nobody asks."""

STROKE = 0.1
"""Dark rim of the letters over their size."""

CIRCLE_POINTS = 256
SHIFT = 4
"""Binary digits of a pixel's fraction that OpenCV's drawing takes."""

BOARD_MARGIN = 1.14
"""Half width of the rectified picture over the surface's radius: the ditch shows, the table doesn't."""


@dataclass(frozen=True)
class Caption:
    """What stands above the picture: ``score`` by side, then ``lines`` of smaller text; ids of doubted discs."""

    score: Sequence[tuple[str, str]]
    lines: Sequence[str] = ()
    doubted: frozenset[int] = field(default_factory=frozenset)


def font(size: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Return Pillow's built-in typeface at ``size`` px: there on every machine."""
    return ImageFont.load_default(size)


def draw(
    image: Pixels, view: BoardView, discs: Sequence[Disc], caption: Caption, covers: Sequence[Cover] = ()
) -> Pixels:
    """Return a new picture (H, W, 3) BGR uint8: ``image`` with the reading drawn on it under a header.

    ``view`` and ``discs`` are in pixels of ``image``; ``covers`` are outlined as places of doubt.
    """
    height, width = image.shape[:2]
    factor = drawing_scale(width, height, view)
    size = (round(width * factor), round(height * factor))
    method = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
    canvas = np.asarray(cv2.resize(image, size, interpolation=method), dtype=np.uint8)
    unit = max(size) / SIDE_RANGE[0]
    for radius in view.board.inner_edges:
        outline(canvas, view.circle_px(radius, count=CIRCLE_POINTS), factor, LINE_COLOUR, unit)
    if view.board.hole is not None:
        outline(canvas, view.circle_px(view.board.hole, count=CIRCLE_POINTS // 2), factor, LINE_COLOUR, unit)
    for cover in covers:
        around = view.to_px(np.array(cover.outline))
        outline(canvas, around, factor, HALO, 4.5 * unit)
        outline(canvas, around, factor, DOUBT_COLOUR, 2.2 * unit)
    for disc in discs:
        colour = DOUBT_COLOUR if disc.id in caption.doubted else VALUE_COLOURS.get(disc.value, DOUBT_COLOUR)
        outline(canvas, base_outline(view, disc), factor, HALO, 4.5 * unit)
        outline(canvas, base_outline(view, disc), factor, colour, 2.2 * unit)
    pen = Image.fromarray(cv2.cvtColor(canvas, cv2.COLOR_BGR2RGB))
    for disc in discs:
        label_disc(ImageDraw.Draw(pen), view, disc, factor, unit)
    drawn = np.asarray(cv2.cvtColor(np.asarray(pen), cv2.COLOR_RGB2BGR), dtype=np.uint8)
    return np.vstack([header(size[0], unit, caption), drawn])


def drawing_scale(width: int, height: int, view: BoardView) -> float:
    """Pixels of the drawing for one of the picture: more where the board, and so its discs, are small in it."""
    disc = view.board.disc_radius * view.px_per_mm(np.zeros(2))
    wanted = max(width, height, max(width, height) * DISC_PX / max(disc, 1.0))
    return float(np.clip(wanted, *SIDE_RANGE)) / max(width, height)


def base_outline(view: BoardView, disc: Disc, count: int = 64) -> NDArray[np.float64]:
    """Pixels (count, 2) of the outline of a disc's base, drawn in the plane of the surface."""
    return view.circle_px(view.board.disc_radius, count=count, about=disc.mm)


def outline(
    canvas: NDArray[np.uint8], points: NDArray[np.float64], factor: float, colour: Colour, width: float
) -> None:
    """Draw a closed curve (N, 2) given in unscaled pixels, with sub-pixel ends; points far outside are left out."""
    scaled = resized_px(points, factor)
    limit = 4 * max(canvas.shape)
    if not np.isfinite(scaled).all() or np.abs(scaled).max() > limit:
        return
    fixed = np.round(scaled * (1 << SHIFT)).astype(np.int32).reshape(-1, 1, 2)
    cv2.polylines(canvas, [fixed], True, colour, max(1, round(width)), cv2.LINE_AA, SHIFT)


def label_disc(pen: ImageDraw.ImageDraw, view: BoardView, disc: Disc, factor: float, unit: float) -> None:
    """Write value and id on a disc and, near a line, its gap in mm beside it."""
    x, y = resized_px(np.array(disc.px), factor).tolist()
    radius = view.board.disc_radius * view.px_per_mm(np.array(disc.mm)) * factor
    big = float(np.clip(1.1 * radius, 20 * unit, 44 * unit))
    small = float(np.clip(0.55 * radius, 13 * unit, 19 * unit))
    value = "?" if disc.value is None else "ditch" if disc.state == "ditch" else str(disc.value)
    fill = VALUE_COLOURS.get(disc.value, DOUBT_COLOUR)[::-1]
    text(pen, (x, y), value, big if len(value) < 3 else small, fill)
    text(pen, (x - 0.9 * radius, y - 1.05 * radius), f"#{disc.id}", small, (255, 255, 255))
    contact = nearest_line(disc)
    if contact is not None:
        note = f"{contact.gap_mm:+.2f} \u00b1 {contact.sigma_mm:.2f} mm"
        colour = DOUBT_COLOUR[::-1] if contact.verdict == "too_close" else (255, 255, 255)
        text(pen, (x, y + radius + 0.8 * small), note, small, colour)


def nearest_line(disc: Disc) -> LineContact | None:
    """Return the line whose gap is worth writing down, if there is one."""
    near = [c for c in disc.lines if abs(c.gap_mm) <= GAP_SHOWN_MM]
    return min(near, key=lambda c: abs(c.gap_mm)) if near else None


def text(pen: ImageDraw.ImageDraw, at: tuple[float, float], words: str, size: float, fill: tuple[int, ...]) -> None:
    """Write one line of text centred at a point, readable on any ground."""
    pen.text(at, words, fill, font(size), "mm", stroke_width=max(1, round(STROKE * size)), stroke_fill=HALO)


def header(width: int, unit: float, caption: Caption) -> Pixels:
    """Return the strip (h, width, 3) BGR above the picture: the score in large letters, the rest below it."""
    big, small, margin = 40 * unit, 19 * unit, 14 * unit
    words = wrapped(caption.lines, font(small), width - 2 * margin)
    height = round(2 * margin + 1.2 * big + 1.35 * small * len(words))
    strip = Image.new("RGB", (width, height), (28, 28, 32))
    pen = ImageDraw.Draw(strip)
    x = margin
    for side, points in caption.score or [("no discs", "")]:
        pen.text((x, margin), side, (190, 190, 200), font(big))
        x += pen.textlength(side + " ", font(big))
        pen.text((x, margin), points, (255, 255, 255), font(big))
        x += pen.textlength(points + "    ", font(big))
    for row, line in enumerate(words):
        pen.text((margin, margin + 1.25 * big + 1.35 * small * row), line, (205, 205, 210), font(small))
    return np.asarray(cv2.cvtColor(np.asarray(strip), cv2.COLOR_RGB2BGR), dtype=np.uint8)


def wrapped(lines: Sequence[str], face: ImageFont.FreeTypeFont | ImageFont.ImageFont, width: float) -> list[str]:
    """Break lines between words so that each fits ``width`` px."""
    out: list[str] = []
    for line in lines:
        current = ""
        for word in line.split():
            longer = f"{current} {word}".strip()
            if current and face.getlength(longer) > width:
                out.append(current)
                longer = f"    {word}"
            current = longer
        out.append(current)
    return out


def rectified(image: Pixels, view: BoardView) -> Pixels:
    """Return the board seen straight from above, up in the picture being up here, about as sharp as the picture."""
    half = BOARD_MARGIN * view.board.usual_surface
    size = int(np.clip(2 * half * view.px_per_mm(np.zeros(2)), 600, 2400))
    return view.rectify(image, half, size, turn=view.upright_turn())
