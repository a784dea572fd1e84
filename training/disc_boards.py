"""The boards of the drawn world: table, rail, ditch, surface, lines, prints, hole and what is painted on them."""

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from training.disc_world import (
    DISC_COLOURS,
    PAINTS,
    SHIFT,
    WOODS,
    Colour,
    Image,
    Pinhole,
    Textures,
    blend,
    box,
    disc_mask,
    fixed,
    jitter,
    polygon_mask,
)
from vision.disc_canonical import PX_PER_MM, SHOOTING, SIZE


@dataclass
class Board:
    """Geometry of one drawn board in canonical mm and its look; ``flat``: discs of even colour, as in a drawing."""

    ten: float
    fifteen: float
    surface: float
    rail: float
    hole: float
    depth: float
    rail_top: float
    floor_z: float
    disc_radius: float
    disc_height: float
    disc_colours: list[Colour]
    disc_wood: list[bool]
    ring_hole: float
    surface_colour: Colour
    surface_texture: Image
    line_colour: Colour
    line_width: float
    flat: bool
    spots: list[tuple[float, float]] = field(default_factory=list)


def draw_board(rng: np.random.Generator) -> dict[str, float]:
    """Random geometry of a board."""
    fifteen = SHOOTING * rng.choice([rng.uniform(0.29, 0.36), 1 / 3])
    ten = SHOOTING * rng.choice([rng.uniform(0.62, 0.74), 2 / 3])
    surface = SHOOTING * rng.uniform(1.03, 1.14)
    disc = float(rng.choice([15.9, rng.uniform(13.5, 19.5)]))
    return {
        "ten": ten,
        "fifteen": fifteen,
        "surface": surface,
        "rail": surface + rng.uniform(2.2, 4.0) * disc,
        "disc_radius": disc,
        "hole": disc * rng.choice([rng.uniform(1.03, 1.12), rng.uniform(1.03, 1.35)]),
        "depth": float(rng.choice([rng.uniform(4, 13), 9.5])),
        "rail_top": float(rng.uniform(8, 34)),
        "floor_z": -float(rng.uniform(6, 20)),
        "disc_height": float(np.clip(disc * rng.uniform(0.45, 0.75), 6.5, 12.5)),
    }


def make_board(rng: np.random.Generator, stock: Textures) -> Board:
    """Random board with its look and its two or three sides of discs."""
    wooden = rng.random() < 0.65
    tone = WOODS[int(rng.integers(len(WOODS)))] if wooden else PAINTS[int(rng.integers(len(PAINTS)))]
    surface = jitter(rng, tone, 9)
    colours: list[Colour] = []
    woods: list[bool] = []
    for _ in range(3 if rng.random() < 0.2 else 2):
        kind = rng.random()
        if kind < 0.2:
            c = jitter(rng, surface, 14)  # like the surface itself
        elif kind < 0.5:
            c = jitter(rng, DISC_COLOURS[int(rng.integers(4))], 10)
        else:
            c = jitter(rng, DISC_COLOURS[int(rng.integers(len(DISC_COLOURS)))])
        colours.append(c)
        woods.append(rng.random() < 0.6)
    dark = np.mean(surface) < 120
    if rng.random() < 0.75:
        tone = rng.uniform(170, 245) if dark and rng.random() < 0.7 else rng.uniform(10, 60)
        line = jitter(rng, (tone, tone, tone), 10)
    else:
        line = jitter(rng, DISC_COLOURS[int(rng.integers(len(DISC_COLOURS)))])
    texture = stock.take(rng, SIZE, wooden)
    return Board(
        **draw_board(rng), disc_colours=colours, disc_wood=woods,
        ring_hole=float(rng.uniform(0.2, 0.5)) if rng.random() < 0.15 else 0.0,
        surface_colour=surface, surface_texture=texture * rng.uniform(2, 16) * (1 if wooden else 0.4),
        line_colour=line, line_width=float(rng.uniform(0.8, 3.6)), flat=rng.random() < 0.08,
    )  # fmt: skip


def plain(rng: np.random.Generator, stock: Textures, colour: Colour, wood: bool, amount: float) -> Image:
    """Full picture of one material."""
    t = stock.take(rng, SIZE, wood)
    tint = np.array(jitter(rng, (128, 128, 128), 25), np.float32) / 128
    return np.asarray(np.array(colour, np.float32) + amount * t[..., None] * tint, np.float32)


def table(rng: np.random.Generator, stock: Textures) -> Image:
    """What lies around the board."""
    kind = rng.random()
    colour = jitter(rng, (*WOODS, *PAINTS)[int(rng.integers(len(WOODS) + len(PAINTS)))], 30)
    image = plain(rng, stock, colour, kind < 0.5, rng.uniform(2, 25))
    if kind > 0.75:  # cloth with stripes or checks
        y, x = np.mgrid[0:SIZE, 0:SIZE].astype(np.float32)
        a = rng.uniform(0, np.pi)
        w = rng.uniform(8, 40)
        stripes = (np.sin((x * np.cos(a) + y * np.sin(a)) / w * np.pi) > 0).astype(np.float32)
        if kind > 0.87:
            stripes = 0.5 * stripes + 0.5 * (np.sin((y * np.cos(a) - x * np.sin(a)) / w * np.pi) > 0)
        blend(image, stripes, jitter(rng, PAINTS[int(rng.integers(len(PAINTS)))]))
    for _ in range(int(rng.integers(0, 4))):  # things beside the board
        c = rng.uniform(0, SIZE, 2)
        p = cv2.boxPoints(((float(c[0]), float(c[1])), (rng.uniform(5, 90), rng.uniform(5, 60)), rng.uniform(0, 90)))
        blend(image, polygon_mask(np.asarray(p, np.float64)), jitter(rng, PAINTS[int(rng.integers(len(PAINTS)))]))
    return image


def outline(eye: Pinhole, radius: float, z: float, octagon: float | None) -> NDArray[np.float64]:
    """Rail outline in pixels: a circle, or an octagon turned by ``octagon`` radians."""
    n = 96 if octagon is None else 8
    a = np.arange(n) * 2 * np.pi / n + (octagon or 0.0)
    r = radius if octagon is None else radius / np.cos(np.pi / 8)
    return np.array([eye.px(r * np.cos(t), r * np.sin(t), z) for t in a])


def star(rng: np.random.Generator, centre: tuple[float, float], radius: float) -> NDArray[np.float64]:
    """Star or many-cornered blot in pixels."""
    n = int(rng.integers(3, 9))
    a = np.arange(2 * n) * np.pi / n + rng.uniform(0, 6)
    r = np.where(np.arange(2 * n) % 2, radius * rng.uniform(0.3, 0.9), radius)
    return np.column_stack([centre[0] + r * np.cos(a), centre[1] + r * np.sin(a)])


def prints(rng: np.random.Generator, surface: Image, board: Board, eye: Pinhole) -> None:
    """Numbers, dots, stars, discs of paint, logos on the surface, in place."""
    colours = [board.line_colour, *board.disc_colours, jitter(rng, PAINTS[int(rng.integers(len(PAINTS)))])]

    def spot(low: float, high: float) -> tuple[float, float]:
        r, a = rng.uniform(low, high), rng.uniform(0, 2 * np.pi)
        return eye.px(r * np.cos(a), r * np.sin(a), 0)

    if rng.random() < 0.5:  # printed numbers in every quadrant
        first, scale, thick = rng.uniform(0, 2 * np.pi), rng.uniform(0.3, 0.9), int(rng.integers(1, 3))
        colour = colours[0] if rng.random() < 0.7 else colours[-1]
        count = int(rng.choice([2, 4, 4, 6]))
        for text, r in (("20", 30.0), ("15", 70.0), ("10", 155.0), ("5", 260.0)):
            if rng.random() < 0.3:
                continue
            for q in range(count):
                a = first + q * 2 * np.pi / count
                x, y = eye.px(r * np.cos(a), r * np.sin(a), 0)
                if r > 40:  # what surrounds the hole is not shown as a false alarm: a disc may lie there
                    board.spots.append((x, y))
                tile = np.zeros((64, 64), np.uint8)
                (w, h), _ = cv2.getTextSize(text, int(rng.choice([0, 3, 2, 4])), scale, thick)
                cv2.putText(tile, text, (32 - w // 2, 32 + h // 2), 0, scale, 255, thick, cv2.LINE_AA)
                m = cv2.getRotationMatrix2D((32, 32), np.degrees(a) + 90, 1)
                m[:, 2] += (x - 32, y - 32)
                blend(surface, cv2.warpAffine(tile, m, (SIZE, SIZE)).astype(np.float32) / 255, colour)
    for _ in range(int(rng.integers(0, 3)) if rng.random() < 0.6 else 0):  # logo
        text = "".join(chr(int(c)) for c in rng.integers(65, 91, int(rng.integers(3, 10))))
        tile = np.zeros((SIZE, SIZE), np.uint8)
        x, y = spot(60, 290)
        board.spots.append((x, y))
        font, scale = int(rng.integers(0, 8)), float(rng.uniform(0.25, 0.7))
        cv2.putText(tile, text, (int(x), int(y)), font, scale, 255, 1, cv2.LINE_AA)
        m = cv2.getRotationMatrix2D((x, y), rng.uniform(0, 360), 1)
        blend(
            surface,
            cv2.warpAffine(tile, m, (SIZE, SIZE)).astype(np.float32) / 255,
            colours[int(rng.integers(len(colours)))],
        )
    if rng.random() < 0.65:
        small = rng.random() < 0.3
        for _ in range(int(rng.integers(1, 9))):  # painted dots and discs of paint
            c = spot(20, 310)
            board.spots.append(c)
            r = rng.uniform(2, 9) if small else board.disc_radius * rng.uniform(0.6, 1.4)
            mask = disc_mask(c, r * PX_PER_MM)
            if rng.random() < 0.3:
                mask = mask - disc_mask(c, r * PX_PER_MM * rng.uniform(0.5, 0.85))
            blend(surface, mask * rng.uniform(0.4, 1), colours[int(rng.integers(len(colours)))])
    if rng.random() < 0.5:
        for _ in range(int(rng.integers(1, 6))):
            c = spot(30, 310)
            board.spots.append(c)
            mask = polygon_mask(star(rng, c, board.disc_radius * rng.uniform(0.4, 1.5) * PX_PER_MM))
            blend(surface, mask * rng.uniform(0.4, 1), colours[int(rng.integers(len(colours)))])


def lines(rng: np.random.Generator, surface: Image, board: Board, eye: Pinhole) -> None:
    """Circle lines, filled rings and quadrant lines, in place."""
    centre = eye.px(0, 0, 0)
    if rng.random() < 0.3:
        for radius in (board.surface, SHOOTING, board.ten, board.fifteen):
            if rng.random() < 0.5:
                blend(surface, disc_mask(centre, radius * PX_PER_MM) * rng.uniform(0.5, 1),
                      jitter(rng, PAINTS[int(rng.integers(len(PAINTS)))]))  # fmt: skip
            elif rng.random() < 0.5:
                blend(surface, disc_mask(centre, radius * PX_PER_MM), board.surface_colour)
    mask = np.zeros((SIZE, SIZE), np.uint8)
    thick = board.line_width * PX_PER_MM
    fine = 4
    big = np.zeros((SIZE * fine // 2, SIZE * fine // 2), np.uint8)  # drawn at twice the size, for thin lines
    for radius in (SHOOTING, board.ten, board.fifteen):
        cv2.circle(big, fixed(*(2 * v + 0.5 for v in centre)), round(2 * radius * PX_PER_MM * (1 << SHIFT)), 255,
                   max(1, round(thick * 2)), cv2.LINE_AA, SHIFT)  # fmt: skip
    if rng.random() < 0.85:
        first, count = rng.uniform(0, 2 * np.pi), int(rng.choice([4, 4, 4, 6]))
        r0 = board.ten if rng.random() < 0.8 else board.fifteen
        for q in range(count):
            a = first + q * 2 * np.pi / count
            p, e = eye.px(r0 * np.cos(a), r0 * np.sin(a), 0), eye.px(SHOOTING * np.cos(a), SHOOTING * np.sin(a), 0)
            cv2.line(big, fixed(*(2 * v + 0.5 for v in p)), fixed(*(2 * v + 0.5 for v in e)), 255,
                     max(1, round(thick * 2)), cv2.LINE_AA, SHIFT)  # fmt: skip
    mask = cv2.resize(big, (SIZE, SIZE), interpolation=cv2.INTER_AREA)
    blend(surface, mask.astype(np.float32) / 255 * rng.uniform(0.25, 1) * min(1.0, thick * 2), board.line_colour)


def paint_surface(rng: np.random.Generator, stock: Textures, board: Board, eye: Pinhole) -> Image:
    """The whole plane of the surface painted, without the hole."""
    tint = np.array(jitter(rng, (128, 128, 128), 8), np.float32) / 128
    surface = np.array(board.surface_colour, np.float32) + np.zeros((SIZE, SIZE, 3), np.float32)
    if rng.random() < 0.2:  # planks of different tone, with seams
        a, at = rng.uniform(0, np.pi), 0.0
        y, x = np.mgrid[0:SIZE, 0:SIZE].astype(np.float32) - SIZE / 2
        s = x * np.cos(a) + y * np.sin(a)
        for _ in range(int(rng.integers(1, 5))):
            at = rng.uniform(-200, 200)
            blend(surface, np.clip(s - at, 0, 1), jitter(rng, board.surface_colour, 12))
            blend(surface, np.exp(-((s - at) ** 2)) * rng.uniform(0, 0.6), (20.0, 25.0, 30.0))
    if rng.random() < 0.4:
        first = rng.random() < 0.5
        if first:
            prints(rng, surface, board, eye)
        lines(rng, surface, board, eye)
        if not first:
            prints(rng, surface, board, eye)
    else:
        lines(rng, surface, board, eye)
        if rng.random() < 0.75:
            prints(rng, surface, board, eye)
    surface += board.surface_texture[..., None] * tint
    return surface


def draw_hole(rng: np.random.Generator, inside: Image, board: Board, eye: Pinhole) -> None:
    """The centre hole: rim, far wall, floor in any colour (often a disc's), in place."""
    centre, floor = eye.px(0, 0, 0), eye.px(0, 0, -board.depth)
    rim = board.hole * PX_PER_MM
    rows, cols, xx, yy = box(centre, rim + 4)
    window = inside[rows, cols]
    opening = np.clip(0.5 + rim - np.hypot(xx - centre[0], yy - centre[1]), 0, 1)
    floor_r = eye.size(board.hole, -board.depth)
    distance = np.hypot(xx - floor[0], yy - floor[1])
    bottom = np.clip(0.5 + floor_r - distance, 0, 1)
    kind = rng.random()
    if kind < 0.5:
        colour = jitter(rng, board.disc_colours[int(rng.integers(len(board.disc_colours)))], 12)
    elif kind < 0.75:
        colour = jitter(rng, board.surface_colour, 15)
    else:
        colour = jitter(rng, DISC_COLOURS[int(rng.integers(len(DISC_COLOURS)))])
    wall = jitter(rng, board.surface_colour if rng.random() < 0.6 else colour, 10)
    shade = rng.uniform(0.35, 0.95)
    blend(window, opening, tuple(v * shade for v in wall))  # type: ignore[arg-type]
    light = rng.uniform(0, 2 * np.pi)
    depth = rng.uniform(0, 0.7)
    side = (np.cos(light) * (xx - floor[0]) + np.sin(light) * (yy - floor[1])) / floor_r
    shadow = 1 - depth / (1 + np.exp(-(side - rng.uniform(-0.3, 0.9)) * rng.uniform(2, 14)))
    ring = 1 - rng.uniform(0, 0.5) * np.exp(-(floor_r - np.minimum(distance, floor_r)) / rng.uniform(0.5, 3))
    grain = board.surface_texture[rows, cols][..., None] * rng.uniform(0, 1)
    blend(
        window,
        opening * bottom,
        (np.array(colour, np.float32) + grain) * (shadow * ring)[..., None] * rng.uniform(0.7, 1.05),
    )
    if rng.random() < 0.3:  # something in the floor: a screw, a print, a ring
        blend(
            window,
            opening * np.clip(0.5 + floor_r * rng.uniform(0.1, 0.6) - distance, 0, 1),
            jitter(rng, board.line_colour),
        )
    if rng.random() < 0.6:  # painted or worn rim
        edge = np.exp(-((np.hypot(xx - centre[0], yy - centre[1]) - rim) ** 2) / (2 * rng.uniform(0.4, 1.2) ** 2))
        tone = board.line_colour if rng.random() < 0.5 else jitter(rng, (30, 35, 40), 15)
        blend(window, edge * rng.uniform(0.2, 1), tone)
