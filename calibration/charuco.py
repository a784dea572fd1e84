"""A camera's intrinsics and distortion from pictures of a printed ChArUco sheet.

The sheet is one fixed design, so that a picture alone says which corner is which. Corner places come from
``cv2.aruco.CharucoDetector`` (OpenCV 4.10 and later), the solution from ``cv2.calibrateCamera``.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Array, Camera
from calibration.errors import UnusableInputError

SQUARES = (10, 7)
SQUARE_MM = 25.0
MARKER_MM = 18.5
"""A sheet of 250 x 175 mm: fits A4 and Letter across with margins that every printer keeps."""

MIN_PICTURES = 6
"""Below this the focal length and the distortion lean on the accidents of single pictures."""

MIN_CORNERS = 12
"""A picture that shows fewer of the 54 corners is left out: its own pose would be too uncertain for it to help."""

COVERAGE_CELLS = (8, 6)
WANTED_COVERAGE = 0.5
"""Share of the picture's cells in which some picture has a corner. With less, the distortion near the edges is a guess,
and a warning says so."""

WANTED_TILT_DEG = 15.0
"""At least one picture must be tilted more than this; otherwise focal length and distance can't be told apart."""

OUTLIER_FACTOR = 3.0
"""Pictures whose error is this many times the median (a bent sheet, motion) are dropped, once."""

MAX_RMS_PX = 2.0
"""A larger error for a picture 1920 px wide (in proportion for larger ones) is refused: the sheet wasn't flat, or
corners were confused."""


@dataclass(frozen=True)
class Corners:
    """Corners of one picture: board points (N, 3) in mm, z = 0, and pixels (N, 2); ``source`` names the picture."""

    source: str
    board: NDArray[np.float32]
    pixels: NDArray[np.float32]


@dataclass(frozen=True)
class Calibration:
    """A solved camera (its pose is zero), its reprojection error (RMS), and what it rests on.

    ``coverage``: share of the picture's cells with a corner; ``used``, ``left_out``: the pictures, by name.
    """

    camera: Camera
    rms_px: float
    coverage: float
    used: tuple[str, ...]
    left_out: tuple[str, ...]
    warnings: tuple[str, ...]


def charuco_board() -> cv2.aruco.CharucoBoard:
    """Return the sheet's design."""
    words = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    return cv2.aruco.CharucoBoard(SQUARES, SQUARE_MM, MARKER_MM, words)


def find_corners(image: NDArray[np.uint8], source: str) -> Corners | None:
    """Find the sheet's corners in a picture (H, W, 3) BGR uint8; None when fewer than MIN_CORNERS are there."""
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY) if image.ndim == 3 else image
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    detector = cv2.aruco.CharucoDetector(charuco_board(), cv2.aruco.CharucoParameters(), parameters)
    found, ids = detector.detectBoard(grey)[:2]
    if found is None or ids is None or len(ids) < MIN_CORNERS:
        return None
    every = np.asarray(charuco_board().getChessboardCorners(), dtype=np.float32)
    pixels = np.asarray(found, dtype=np.float32).reshape(-1, 2)
    return Corners(source, every[np.asarray(ids).ravel()], pixels)


def calibrate(views: Sequence[Corners], width: int, height: int, missed: Sequence[str] = ()) -> Calibration:
    """Solve the camera over all pictures; ``missed`` names those without the sheet, for the record.

    Raises UnusableInputError(unreadable_input) when the pictures don't suffice, saying what is missing.
    """
    if len(views) < MIN_PICTURES:
        raise UnusableInputError(
            f"the sheet was found in {len(views)} of {len(views) + len(missed)} pictures, at least {MIN_PICTURES} "
            "are needed: take more, the sheet flat, sharp, filling a third of the picture or more",
            code="unreadable_input",
        )
    solved = _solve(views, width, height)
    errors = solved.errors
    keep = [i for i, e in enumerate(errors) if e <= OUTLIER_FACTOR * float(np.median(errors))]
    left_out = [*missed, *(v.source for i, v in enumerate(views) if i not in keep)]
    if MIN_PICTURES <= len(keep) < len(views):
        views = [views[i] for i in keep]
        solved = _solve(views, width, height)
    else:
        left_out = list(missed)
    limit = MAX_RMS_PX * max(width, height, 1920) / 1920
    if not np.isfinite(solved.rms) or solved.rms > limit:
        raise UnusableInputError(
            f"the pictures don't fit one camera (error {solved.rms:.1f} px): keep the sheet flat, the zoom and focus "
            "fixed, and don't crop",
            code="unreadable_input",
        )
    if max(solved.tilts) < WANTED_TILT_DEG:
        raise UnusableInputError(
            f"all pictures look straight at the sheet (at most {max(solved.tilts):.0f} degrees): tilt it by 30 degrees "
            "in some, else the focal length can't be told",
            code="unreadable_input",
        )
    cover = coverage(views, width, height)
    warnings = []
    if cover < WANTED_COVERAGE:
        warnings.append(f"the sheet was seen in {100 * cover:.0f} % of the picture; move it into the corners as well")
    zero = np.zeros(3)
    sigma = {"focal_px": solved.sigma_focal}
    camera = Camera(solved.K, solved.dist, zero, zero, width, height, sigma)
    sources = tuple(v.source for v in views)
    return Calibration(camera, solved.rms, cover, sources, tuple(left_out), tuple(warnings))


@dataclass(frozen=True)
class _Solved:
    K: Array
    dist: Array
    rms: float
    errors: Array
    tilts: Array
    sigma_focal: float


def _solve(views: Sequence[Corners], width: int, height: int) -> _Solved:
    start = np.array([[max(width, height), 0, (width - 1) / 2], [0, max(width, height), (height - 1) / 2], [0, 0, 1.0]])
    flags = cv2.CALIB_USE_INTRINSIC_GUESS | cv2.CALIB_FIX_ASPECT_RATIO
    try:
        rms, K, dist, rvecs, _, sigma, _, errors = cv2.calibrateCameraExtended(
            [v.board for v in views], [v.pixels for v in views], (width, height), start, np.zeros(5), flags=flags
        )
    except cv2.error as error:
        raise UnusableInputError(
            "the camera can't be solved from these pictures: show the sheet from more directions",
            code="unreadable_input",
        ) from error
    tilts = np.degrees([np.arccos(np.clip(abs(cv2.Rodrigues(r)[0][2, 2]), 0, 1)) for r in rvecs])
    return _Solved(
        np.asarray(K, dtype=np.float64),
        np.asarray(dist, dtype=np.float64).ravel()[:5],
        float(rms),
        np.asarray(errors, dtype=np.float64).ravel(),
        tilts,
        float(np.asarray(sigma).ravel()[1]),
    )


def coverage(views: Sequence[Corners], width: int, height: int) -> float:
    """Share of the picture's cells in which some picture has a corner."""
    cells = np.zeros(COVERAGE_CELLS, bool)
    for view in views:
        at = view.pixels / (width, height) * COVERAGE_CELLS
        x, y = np.clip(at.astype(int), 0, np.array(COVERAGE_CELLS) - 1).T
        cells[x, y] = True
    return float(cells.mean())


def sheet_picture(px_per_mm: float) -> NDArray[np.uint8]:
    """Draw the sheet (H, W) uint8 without margins at a resolution."""
    size = (round(SQUARES[0] * SQUARE_MM * px_per_mm), round(SQUARES[1] * SQUARE_MM * px_per_mm))
    return np.asarray(charuco_board().generateImage(size, marginSize=0, borderBits=1), dtype=np.uint8)
