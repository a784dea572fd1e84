"""Whole scenes of the drawn world: a board, discs in every state, posts, hands, light, and the truth."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from training.disc_boards import Board, draw_hole, make_board, outline, paint_surface, plain, table
from training.disc_pieces import Lamp, Painter, Put
from training.disc_world import (
    PAINTS,
    WOODS,
    Colour,
    Image,
    Piece,
    Pinhole,
    Scene,
    Textures,
    blend,
    box,
    disc_mask,
    jitter,
    polygon_mask,
)
from vision.disc_canonical import PX_PER_MM, SHOOTING, SIZE

HIDDEN = 0.55
"""A disc of whose face a hand, an overlay or the rail hides more than this share counts neither way."""


@dataclass
class Stage:
    """What all steps of drawing one scene share; the rail is an octagon turned by ``octagon``, or round."""

    rng: np.random.Generator
    stock: Textures
    painter: Painter
    octagon: float | None
    wood: Colour

    @property
    def eye(self) -> Pinhole:
        """The camera."""
        return self.painter.eye

    @property
    def board(self) -> Board:
        """The board."""
        return self.painter.board

    def any_side(self) -> int:
        """Number of a random side."""
        return int(self.rng.integers(len(self.board.disc_colours)))


def camera(rng: np.random.Generator) -> Pinhole:
    """Camera of the canonical frame: nearly half of them from straight above, the rest up to 65 degrees."""
    tilt = np.radians(abs(rng.normal(0, 6)) if rng.random() < 0.45 else rng.uniform(4, 65))
    reach = float(np.exp(rng.uniform(np.log(850), np.log(4500))))
    return Pinhole(reach * np.sin(tilt), reach * np.cos(tilt))


def far_enough(p: tuple[float, float], others: list[tuple[float, float]], least: float) -> bool:
    """Whether a point keeps its distance from all others."""
    return all(np.hypot(p[0] - q[0], p[1] - q[1]) >= least for q in others)


def places(stage: Stage, taken: list[tuple[float, float]]) -> list[Put]:
    """Discs flat on the surface: free, at the lines, at the posts, touching each other."""
    rng, board = stage.rng, stage.board
    r = board.disc_radius
    chosen = list(taken)
    count = int(rng.choice([0, 1, 2, 4, 8, 12, 18, 24], p=[0.05, 0.08, 0.12, 0.2, 0.25, 0.15, 0.1, 0.05]))
    puts: list[Put] = []
    for _ in range(count * 4):
        if len(puts) >= count:
            break
        kind, a = rng.random(), rng.uniform(0, 2 * np.pi)
        if kind < 0.3 and chosen:
            b = chosen[int(rng.integers(len(chosen)))]
            d = 2 * r + (0.0 if rng.random() < 0.6 else rng.exponential(4))
            p = (b[0] + d * np.cos(a), b[1] + d * np.sin(a))
        else:
            if kind < 0.5:
                d = rng.choice([board.fifteen, board.ten, SHOOTING]) - r + rng.normal(0, 4)
            else:
                d = np.sqrt(rng.uniform(0, 1)) * (SHOOTING - r) if kind < 0.8 else rng.uniform(0, board.ten)
            p = (d * np.cos(a), d * np.sin(a))
        inside = board.hole + r < np.hypot(*p) < board.surface - 0.3 * r
        if inside and far_enough(p, chosen, 2 * r - 0.05):
            chosen.append(p)
            puts.append(Put((*p, 0.0), stage.any_side()))
    return puts


def hole_puts(stage: Stage) -> list[Put]:
    """What lies in or over the hole: nothing, a disc flat in it, one leaning into it, or one overhanging it."""
    rng, board = stage.rng, stage.board
    kind, azimuth = rng.random(), rng.uniform(0, 2 * np.pi)
    r, h, slack = board.disc_radius, board.disc_height, max(board.hole - board.disc_radius, 0.0)
    c, s = float(np.cos(azimuth)), float(np.sin(azimuth))
    side = stage.any_side()
    if kind < 0.42:
        return []
    if kind < 0.65:
        d = rng.uniform(0, slack)
        return [Put((d * c, d * s, -board.depth), side, "hole")]
    if kind < 0.83:  # one edge near the floor, the other on the rim: the face looks away from that side
        angle = np.arctan2(rng.uniform(0.45, 1.0) * board.depth, 2 * r)
        d = slack + rng.uniform(0.0, 0.5) * r
        z = -board.depth * rng.uniform(0.25, 0.6)
        return [Put((d * c, d * s, z), side, "leaning", (float(np.tan(angle)), azimuth + np.pi))]
    d = rng.uniform(0.55 * board.hole + 2, board.hole + r)
    over = [Put((d * c, d * s, 0.0), side)]
    if rng.random() < 0.25 and d > slack + 4:
        over.append(Put((0.0, 0.0, -max(board.depth, h)), stage.any_side(), "hole"))
    return over


def ditch(stage: Stage, inside: Image) -> list[Piece]:
    """Floor of the ditch, the surface's side and the discs lying in the ditch, in place; their truth."""
    rng, eye, board = stage.rng, stage.eye, stage.board
    material = (*WOODS, *PAINTS)[int(rng.integers(len(WOODS) + len(PAINTS)))]
    cover = plain(rng, stage.stock, jitter(rng, material), rng.random() < 0.5, rng.uniform(1, 12))
    blend(inside, polygon_mask(outline(eye, board.rail, board.floor_z, stage.octagon)), cover)
    foot = disc_mask(eye.px(0, 0, board.floor_z), eye.size(board.surface, board.floor_z))
    inside *= (1 - cv2.GaussianBlur(foot, (0, 0), rng.uniform(2, 8)) * rng.uniform(0, 0.6))[..., None]
    blend(inside, foot, np.array(board.surface_colour, np.float32) * rng.uniform(0.3, 0.9))
    r = board.disc_radius
    lying: list[tuple[float, float]] = []
    for _ in range(int(rng.choice([0, 2, 5, 10, 20], p=[0.3, 0.2, 0.2, 0.2, 0.1]))):
        if lying and rng.random() < 0.6:
            a = np.arctan2(lying[-1][1], lying[-1][0]) + 2 * r / board.surface * rng.uniform(1.0, 1.15)
        else:
            a = rng.uniform(0, 2 * np.pi)
        d = rng.uniform(board.surface + r + 1, max(board.rail - r, board.surface + r + 2))
        p = (float(d * np.cos(a)), float(d * np.sin(a)))
        if far_enough(p, lying, 1.7 * r):
            lying.append(p)
    truth: list[Piece] = []
    for p in sorted(lying, key=lambda q: -q[1]):
        lean = (rng.uniform(0, 0.5), rng.uniform(0, 2 * np.pi)) if rng.random() < 0.35 else (0.0, 0.0)
        z = board.floor_z + (rng.uniform(0, 9) if rng.random() < 0.15 else 0.0)
        stage.painter.disc(inside, Put((*p, z), stage.any_side(), "ditch", lean))
        top = z + board.disc_height
        truth.append(Piece(eye.px(*p, top), "ditch", eye.size(r, top)))
    return truth


def put_in_hole(stage: Stage, inside: Image, put: Put) -> None:
    """A disc in the hole or leaning into it: the part below the surface is seen through the rim only; in place."""
    window = inside.copy()
    stage.painter.disc(window, put, shadow=put.state != "hole" or stage.rng.random() < 0.7)
    proud = put.state != "hole" or put.xyz[2] + stage.board.disc_height > 1.5
    if proud:
        inside[:] = window
    else:
        rim = disc_mask(stage.eye.px(0, 0, 0), stage.board.hole * PX_PER_MM)
        inside += rim[..., None] * (window - inside)


def surface(stage: Stage, inside: Image) -> list[Piece]:
    """The surface with its hole, posts and discs, in place; the discs' truth."""
    rng, eye, board = stage.rng, stage.eye, stage.board
    top = disc_mask(eye.px(0, 0, 0), eye.size(board.surface, 0))
    paint = paint_surface(rng, stage.stock, board, eye)
    edge = np.exp(-((cv2.GaussianBlur(top, (0, 0), 3) - 0.5) ** 2) * 30)
    blend(inside, top, paint * (1 - rng.uniform(0, 0.3) * edge)[..., None])
    draw_hole(rng, inside, board, eye)
    central = hole_puts(stage)
    puts = central + places(stage, [(p.xyz[0], p.xyz[1]) for p in central])
    r, taken = board.disc_radius, [(p.xyz[0], p.xyz[1]) for p in puts]
    order: list[tuple[float, Put | tuple[float, float]]] = [(-1e6 if p.state == "hole" else -p.xyz[1], p) for p in puts]
    size = (rng.uniform(1.2, 4.8), rng.uniform(5, 26))
    post = jitter(rng, ((30, 30, 32), (170, 175, 180), stage.wood, (60, 130, 180))[int(rng.integers(4))])
    if rng.random() < 0.85:
        count, first = int(rng.choice([6, 8, 8, 8, 12])), rng.uniform(0, 2 * np.pi)
        for i in range(count):
            a = first + i * 2 * np.pi / count
            p = (float(board.fifteen * np.cos(a)), float(board.fifteen * np.sin(a)))
            if far_enough(p, taken, r + size[0]):
                order.append((-p[1], p))
                board.spots.append(eye.px(*p, size[1] / 2))
    truth: list[Piece] = []
    for _, item in sorted(order, key=lambda t: t[0]):  # from far to near
        if not isinstance(item, Put):
            stage.painter.post(inside, item, size, post)
            continue
        if item.state == "board":
            stage.painter.disc(inside, item)
        else:
            put_in_hole(stage, inside, item)
        x, y, z = item.xyz
        level = {"hole": z + board.disc_height, "leaning": z + board.disc_height / 2, "board": 0.0}[item.state]
        truth.append(Piece(eye.px(x, y, level), item.state, eye.size(r, level)))
    return truth


def light(rng: np.random.Generator, image: Image) -> None:
    """Uneven light, half shadow and glare over everything, in place."""
    cells = int(rng.integers(2, 5))
    grid = cv2.resize(rng.normal(size=(cells, cells)).astype(np.float32), (SIZE, SIZE), interpolation=cv2.INTER_CUBIC)
    image *= np.clip(1 + rng.uniform(0, 0.22) * grid, 0.4, 1.7)[..., None]
    yy, xx = np.mgrid[0:SIZE, 0:SIZE].astype(np.float32)
    if rng.random() < 0.2:
        a, at = rng.uniform(0, 2 * np.pi), rng.uniform(-150, 150)
        s = (xx - SIZE / 2) * np.cos(a) + (yy - SIZE / 2) * np.sin(a) - at
        image *= (1 - rng.uniform(0.2, 0.65) / (1 + np.exp(-np.clip(s / rng.uniform(0.7, 25), -30, 30))))[..., None]
    for _ in range(int(rng.integers(1, 5)) if rng.random() < 0.45 else 0):
        c = rng.uniform(60, SIZE - 60, 2)
        a, w, n = rng.uniform(0, np.pi), rng.uniform(5, 70), rng.uniform(1, 5)
        u = (xx - c[0]) * np.cos(a) + (yy - c[1]) * np.sin(a)
        v = -(xx - c[0]) * np.sin(a) + (yy - c[1]) * np.cos(a)
        glow = np.exp(-(((u / w / n) ** 2 + (v / w) ** 2) ** rng.uniform(0.6, 2.5))) * rng.uniform(20, 190)
        image += glow[..., None] * np.array(jitter(rng, (235, 235, 235), 12), np.float32) / 255


def cover(stage: Stage, image: Image) -> Image:
    """Hands, light, burnt-in bars and the picture's own edge over everything, in place; what they hide."""
    rng = stage.rng
    hidden = np.zeros((SIZE, SIZE), np.float32)
    for _ in range(int(rng.integers(1, 4)) if rng.random() < 0.3 else 0):
        hidden = np.maximum(hidden, stage.painter.hand(image))
    light(rng, image)
    if rng.random() < 0.12:
        middle = (rng.uniform(0, SIZE), rng.choice([rng.uniform(0, 80), rng.uniform(430, 512)]))
        corners = cv2.boxPoints((middle, (rng.uniform(60, 300), rng.uniform(30, 110)), rng.uniform(-20, 20)))
        mask = polygon_mask(np.asarray(corners, np.float64))
        blend(image, mask * (1.0 if rng.random() < 0.7 else 0.75), jitter(rng, PAINTS[int(rng.integers(len(PAINTS)))]))
        hidden = np.maximum(hidden, mask)
    if rng.random() < 0.15:
        a, at = rng.uniform(0, 2 * np.pi), rng.uniform(90, 256)
        yy, xx = np.mgrid[0:SIZE, 0:SIZE].astype(np.float32) - SIZE / 2
        mask = (xx * np.cos(a) + yy * np.sin(a) > at).astype(np.float32)
        blend(image, mask, (0.0, 0.0, 0.0))
        hidden = np.maximum(hidden, mask)
    return np.asarray(hidden, np.float32)


def share_hidden(piece: Piece, hidden: Image, opening: Image) -> float:
    """Share of a disc's face that something hides; the near rail hides discs in the ditch."""
    rows, cols, xx, yy = box(piece.xy, piece.radius_px)
    face: NDArray[np.bool_] = np.hypot(xx - piece.xy[0], yy - piece.xy[1]) <= piece.radius_px
    if not face.any():
        return 1.0
    share = float(hidden[rows, cols][face].mean())
    return max(share, 1 - float(opening[rows, cols][face].mean())) if piece.state == "ditch" else share


def make_scene(rng: np.random.Generator, stock: Textures) -> Scene:
    """Draw one board with everything on it, and its truth."""
    lamp = Lamp(rng.uniform(0, 2 * np.pi), rng.uniform(0, 9), rng.uniform(0, 0.55), rng.uniform(0.8, 5))
    painter = Painter(rng, camera(rng), make_board(rng, stock), lamp)
    octagon = float(rng.uniform(0, np.pi / 4)) if rng.random() < 0.4 else None
    stage = Stage(rng, stock, painter, octagon, WOODS[int(rng.integers(len(WOODS)))])
    eye, board = stage.eye, stage.board
    tone = stage.wood if rng.random() < 0.8 else PAINTS[int(rng.integers(len(PAINTS)))]
    rail = plain(rng, stock, jitter(rng, tone), True, rng.uniform(3, 20))
    inside = rail * rng.uniform(0.4, 0.95)
    truth = ditch(stage, inside) + surface(stage, inside)
    image = table(rng, stock)
    outer = outline(eye, board.rail + rng.uniform(8, 45), board.rail_top, octagon if rng.random() < 0.8 else None)
    blend(image, polygon_mask(outer), rail)
    opening = polygon_mask(outline(eye, board.rail, board.rail_top, octagon))
    blend(image, opening, inside)
    hidden = cover(stage, image)
    for piece in truth:
        piece.ignored = share_hidden(piece, hidden, opening) > HIDDEN
    covered = np.asarray(np.clip(hidden * 255, 0, 255), np.uint8)
    return Scene(np.clip(image, 0, 255).astype(np.uint8), (0.0, -eye.distance), eye.height, truth, board.spots, covered)
