"""Random kinds of dice for the drawn world: bodies, pips, prints, and the spots of dodecas."""

import cv2
import numpy as np

from training.dice_render import Array, Die, Style

VIVID = (
    (40, 40, 200),
    (190, 70, 30),
    (60, 140, 30),
    (30, 190, 220),
    (20, 110, 230),
    (130, 40, 110),
    (160, 150, 20),
    (150, 60, 210),
)
"""BGR of red, blue, green, yellow, orange, purple, teal, pink bodies."""
WHITES = ((235, 238, 240), (205, 228, 236), (170, 205, 222), (225, 225, 225))
BLACKS = ((24, 24, 26), (45, 42, 40), (70, 66, 62))
RED, BLUE = (35, 30, 190), (170, 60, 25)
METALS = ((60, 175, 220), (110, 205, 235), (205, 205, 200), (90, 130, 190))
"""BGR of gold, light gold, silver and copper pips."""
CLEAR_OF = 55.0
"""What at least one channel of a pip differs by from what it lies on: fainter pips nobody can read."""
PRINTS = "AEFKLMNRSTXYZ0123456789ABCDGHJPQUVW$&%?#+"

SETS = ((228, 232, 234), (135, 135, 137), (34, 33, 33))
"""BGR of steam, ash and lava."""
SPOTS = ((20, 195, 235), (35, 35, 195), (175, 75, 25))
"""BGR of yellow, red and blue spots."""


def near(rng: np.random.Generator, colour: tuple[int, ...] | Array, spread: float) -> Array:
    """A colour near another: the same shift for all channels and a smaller one for each."""
    c = np.asarray(colour, np.float32) + rng.normal(0, spread) + rng.normal(0, spread * 0.7, 3)
    return np.asarray(np.clip(c, 4, 250), np.float32)


def _pick(rng: np.random.Generator, colours: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    return colours[int(rng.integers(len(colours)))]


def _print_mask(rng: np.random.Generator, text: str | None) -> Array:
    """A letter, numeral, text or drawing on a face as a mask (64, 64) 0..1."""
    m = np.zeros((64, 64), np.uint8)
    if text is not None:
        font = int(rng.choice([cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_TRIPLEX]))
        thick = int(rng.integers(2, 7))
        size = rng.uniform(0.9, 1.7) / (1 if len(text) == 1 else 1.6)
        (w, h), _ = cv2.getTextSize(text, font, size, thick)
        cv2.putText(m, text, (32 - w // 2, 32 + h // 2), font, size, 255, thick, cv2.LINE_AA)
    else:
        for _ in range(int(rng.integers(2, 6))):
            a = rng.integers(14, 50, 2)
            kind = rng.random()
            if kind < 0.4:
                axes = (int(rng.integers(3, 14)), int(rng.integers(3, 14)))
                turn, fill = float(rng.uniform(0, 180)), int(rng.choice([-1, 2, 3]))
                cv2.ellipse(m, (int(a[0]), int(a[1])), axes, turn, 0, 360, 255, fill, cv2.LINE_AA)
            elif kind < 0.8:
                pts = (a + rng.integers(-16, 17, (int(rng.integers(3, 7)), 2))).astype(np.int32)
                cv2.fillPoly(m, [pts], 255, cv2.LINE_AA)
            else:
                b = rng.integers(10, 54, 2)
                cv2.line(m, (int(a[0]), int(a[1])), (int(b[0]), int(b[1])), 255, int(rng.integers(2, 6)), cv2.LINE_AA)
    for _ in range(int(rng.integers(0, 4))):
        m = np.asarray(cv2.rotate(m, cv2.ROTATE_90_CLOCKWISE), np.uint8)
    return m.astype(np.float32) / 255


def _two_colours(rng: np.random.Generator, kind: float) -> tuple[Array, Array]:
    """Colours of body and pips; ``kind`` 0..1 chooses among the families."""
    if kind < 0.42:
        body, pip = near(rng, _pick(rng, WHITES), 9), near(rng, _pick(rng, BLACKS), 10)
        if rng.random() < 0.3:
            pip = near(rng, _pick(rng, VIVID), 15)
    elif kind < 0.55:
        body, pip = near(rng, _pick(rng, BLACKS), 9), near(rng, _pick(rng, WHITES), 10)
    elif kind < 0.82:
        body, pip = near(rng, _pick(rng, VIVID), 18), near(rng, _pick(rng, WHITES), 10)
    elif kind < 0.93:
        body, pip = near(rng, _pick(rng, VIVID), 22), near(rng, _pick(rng, BLACKS), 10)
        body = body * 0.75 + 60 * rng.random()
    else:
        body, pip = rng.uniform(20, 235, 3).astype(np.float32), rng.uniform(10, 245, 3).astype(np.float32)
        gap = float(body.mean() - pip.mean())
        if abs(gap) < 60:
            pip = np.clip(pip - np.sign(gap or 1) * 70, 4, 250).astype(np.float32)
    return np.asarray(body, np.float32), np.asarray(pip, np.float32)


def apart(rng: np.random.Generator, pip: Array, *grounds: Array) -> Array:
    """The pips' colour where it stands off from all grounds, else that which does so best."""
    others = [near(rng, _pick(rng, family), 10) for family in (WHITES, BLACKS, METALS)]
    off = [min(float(np.abs(ink - ground).max()) for ground in grounds) for ink in (pip, *others)]
    return pip if off[0] >= CLEAR_OF else (pip, *others)[int(np.argmax(off))]


def marble(rng: np.random.Generator, s: Style) -> None:
    """Patches, clouds, veins or glitter of one to three colours in the body; pips often of metal."""
    other = VIVID + WHITES + BLACKS
    s.swirl = near(rng, _pick(rng, other), 15)
    s.swirl_size, s.swirl_sharp = float(np.exp(rng.uniform(-1.6, 0.9))), float(np.exp(rng.uniform(-0.7, 2.0)))
    veins = [(float(np.exp(rng.uniform(-2.6, 0.9))), float(np.exp(rng.uniform(-0.7, 2.3))))
             for _ in range(int(rng.choice([0, 0, 1, 2])))]  # fmt: skip
    s.veins = tuple((size, sharp, near(rng, _pick(rng, other), 15)) for size, sharp in veins)
    if rng.random() < 0.5:
        s.pip = near(rng, _pick(rng, METALS), 12)
    s.pip = apart(rng, s.pip, s.body, s.swirl, *(v[2] for v in s.veins))
    s.pip_one = s.pip_four = s.pip


def inlay(rng: np.random.Generator, s: Style) -> None:
    """A disc set into, turned into or printed on each face, and the pips on it."""
    s.disc = float(rng.uniform(0.55, 1.0))
    kind = rng.random()
    if kind < 0.4:
        ink = near(rng, s.body, 12)
    elif kind < 0.7:
        ink = near(rng, s.body * rng.uniform(0.3, 0.85) + rng.choice([0, 0, 90]), 8)
    else:
        ink = near(rng, _pick(rng, VIVID + WHITES + BLACKS), 15)
    s.disc_ink = ink
    if kind > 0.4 and rng.random() < 0.4:  # pips of the body's own colour
        s.pip = near(rng, s.body, 6)
    s.pip = apart(rng, s.pip, ink)
    s.pip_one = s.pip_four = s.pip
    if rng.random() < 0.8:  # pips within the disc
        s.radius = min(s.radius, 0.3 * s.disc)
        s.radius_one = s.radius
        s.spread = min(s.spread, float(rng.uniform(0.85, 1.0)) * (s.disc - s.radius) / 2**0.5)


def turned(rng: np.random.Generator, s: Style) -> None:
    """A circle turned into each face or printed on it."""
    s.groove = s.disc * float(rng.uniform(0.96, 1.04)) if s.disc > 0 else float(rng.uniform(0.6, 1.0))
    kind = rng.random()
    s.groove_ink = s.pip if kind < 0.35 else s.body * 0.4 if kind < 0.65 else s.body * 0.4 + 150
    s.groove_wide, s.groove_deep = float(rng.uniform(0.008, 0.05)), float(rng.uniform(0.15, 0.9))


def printed(rng: np.random.Generator, s: Style) -> None:
    """Now and then letters, drawings or nothing in place of some pips or of all."""
    odd = rng.random()
    if odd < 0.05:  # letters or numerals
        text = [str(PRINTS[int(rng.integers(len(PRINTS)))]) for _ in range(6)]
        s.masks = {v: _print_mask(rng, text[v - 1]) for v in range(1, 7)}
    elif odd < 0.07:
        s.masks = {v: _print_mask(rng, None) for v in range(1, 7)}
    elif odd < 0.12:  # a logo in place of one face
        s.masks = {int(rng.choice([1, 1, 1, 6])): _print_mask(rng, None if rng.random() < 0.6 else "OK")}
    elif odd < 0.145:
        s.blank = True


def random_style(rng: np.random.Generator) -> Style:
    """One kind of pipped, printed or blank die."""
    kind = rng.random()
    body, pip = _two_colours(rng, kind)
    if rng.random() < 0.12 and body.mean() < 150:
        pip = near(rng, _pick(rng, METALS), 12)
    if rng.random() < 0.12:  # washed out
        pip = pip + (body - pip) * rng.uniform(0.2, 0.6)
    one, four = pip, pip
    if rng.random() < 0.16:
        one = near(rng, RED if rng.random() < 0.8 else BLUE, 15)
        four = one if rng.random() < 0.7 else four
    if rng.random() < 0.05:
        four = near(rng, RED if rng.random() < 0.5 else BLUE, 15)
    casino = rng.random() < 0.08
    r = float(rng.uniform(0.2, 0.27) if casino else rng.uniform(0.11, 0.24))
    spread = float(rng.uniform(0.44, 0.6) if rng.random() < 0.75 else rng.uniform(0.34, 0.44))
    colours = [np.asarray(c, np.float32) for c in (body, pip, one, four)]
    s = Style(
        *colours,
        radius=r, radius_one=r * float(rng.choice([1.0, rng.uniform(1, 1.8)])), spread=spread,
        bevel=float(rng.choice([rng.uniform(0.04, 0.15), rng.uniform(0.15, 0.5)])),
        ball=float(rng.choice([1.75, rng.uniform(1.3, 1.6)])),
        gloss=float(rng.choice([0.05, rng.uniform(0.1, 0.9)])), sharp=float(np.exp(rng.uniform(2.5, 5.3))),
        ring=float(rng.uniform(0.4, 0.7)) if rng.random() < 0.07 else 0.0,
        dent=float(rng.uniform(0, 0.8)), rough=float(rng.uniform(0.02, 0.25)) if rng.random() < 0.25 else 0.0,
        clear=float(rng.uniform(0.3, 1)) if rng.random() < 0.16 and kind > 0.55 else 0.0, square=rng.random() < 0.02,
    )  # fmt: skip
    if casino:  # sharp edges, its faces bounded by a ball
        s.bevel, s.ball = float(rng.uniform(0.01, 0.06)), float(rng.choice([1.75, rng.uniform(1.38, 1.5)]))
        s.clear = float(rng.uniform(0.2, 0.9)) if kind > 0.55 else s.clear
    if rng.random() < 0.22:
        marble(rng, s)
    if rng.random() < 0.2:
        inlay(rng, s)
    if rng.random() < (0.5 if s.disc > 0 else 0.1):
        turned(rng, s)
    s.straight = rng.random() < 0.05
    if rng.random() < 0.3:
        s.six = float(rng.uniform(0.7, 1.3))
    printed(rng, s)
    return s


def rotation(axis: Array, angle: float) -> Array:
    """Rotation matrix (3, 3) by the angle (radians) about an axis (Rodrigues)."""
    a = np.asarray(axis, np.float64) / np.linalg.norm(axis)
    K = np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
    return np.asarray(np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * (K @ K), np.float32)


def random_die(rng: np.random.Generator, style: Style, xy: Array, yaw: float, half: float) -> Die:
    """A die lying flat at ``xy`` (2,), turned by ``yaw``; opposite faces sum to seven, either chirality."""
    pairs = np.array([[1, 6], [2, 5], [3, 4]])[rng.permutation(3)]
    values = [int(v) for pair in pairs for v in (pair if rng.random() < 0.5 else pair[::-1])]
    turns = tuple(bool(b) for b in rng.integers(0, 2, 6))
    centre = np.array([xy[0], xy[1], half], np.float32)
    return Die(rotation(np.array([0, 0, 1.0]), yaw), centre, half, style, tuple(values), turns)


def tip(rng: np.random.Generator, die: Die, towards: Array | None) -> None:
    """Lean the die over one lower edge by 12 to 42 degrees, its raised side ``towards`` (2,) what it leans on."""
    way = rng.normal(size=2) if towards is None else towards - die.centre[:2]
    k = int(np.argmax([die.R[:2, 0] @ way, -die.R[:2, 0] @ way, die.R[:2, 1] @ way, -die.R[:2, 1] @ way]))
    side = die.R[:, k // 2] * (1 if k % 2 == 0 else -1)
    axis = np.cross(side, [0, 0, 1.0]) + rng.normal(0, 0.15, 3)
    turn = rotation(np.asarray(axis, np.float32), float(np.radians(rng.uniform(12, 42))))
    corner = (np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]) * die.half) @ (turn @ die.R).T
    die.R = np.asarray(turn @ die.R, np.float32)
    die.centre = np.array([die.centre[0], die.centre[1], -corner[:, 2].min()], np.float32)
    die.cocked = True


def random_dodeca(
    rng: np.random.Generator, kind: int, bodies: Array, spots: Array, xy: Array, half: float, like: Style
) -> Die:
    """A dodeca of set ``kind`` (0 steam, 1 ash, 2 lava) lying flat; ``values`` holds the colour index of each face."""
    faces = rng.permutation([0] * 3 + [1] * 4 + [2] * 5)
    style = Style(bodies[kind], spots[0], spots[0], spots[0], radius=like.radius, bevel=like.bevel, gloss=like.gloss,
                  sharp=like.sharp, rough=like.rough)  # fmt: skip
    centre = np.array([xy[0], xy[1], half], np.float32)
    R = rotation(np.array([0, 0, 1.0]), float(rng.uniform(0, 2 * np.pi)))
    return Die(R, centre, half, style, tuple(int(v) for v in faces), spots=spots[faces])


def dodeca_look(rng: np.random.Generator) -> tuple[Array, Array, Style]:
    """Colours of the three bodies (3, 3) and of the three spots (3, 3), and the shape they share, for one picture."""
    bodies = np.stack([near(rng, c, 7) for c in SETS])
    bodies[1] = near(rng, SETS[1], 14)
    spots = np.stack([near(rng, c, 12) for c in SPOTS])
    white = np.full(3, 200, np.float32)
    like = Style(white, white, white, white, radius=float(rng.uniform(0.3, 0.5)), bevel=float(rng.uniform(0.02, 0.12)),
                 gloss=float(rng.choice([0.05, rng.uniform(0.1, 0.7)])), sharp=float(np.exp(rng.uniform(2.5, 5))),
                 rough=float(rng.uniform(0, 0.1)))  # fmt: skip
    return bodies, spots, like
