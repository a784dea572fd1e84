"""Profiles on disk: a camera, a board, a whole table's set-up, dodecas; TOML that a person can read and correct.

Lengths in mm, pixels those of the picture as shown. A profile that is damaged, of another kind or of another
picture size is refused with the code ``bad_profile`` in one line that names the field.
"""

import itertools
import math
import tomllib
import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

import numpy as np
import tomli_w
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from calibration.boards import BUILT_IN, DISC_DIAMETER_MM, DISC_HEIGHT_MM, BoardModel
from calibration.camera import Camera
from calibration.errors import UnusableInputError
from calibration.scale import Scale, ScaleSource
from calibration.view import BoardView

MAX_PROFILE_BYTES = 1_000_000
"""A profile has some fifty lines; a file of this size is something else."""

MAX_SIDE_PX = 60_000
MAX_RADIUS_MM = 1000.0
"""No board that discs are flicked over is larger; it catches inches and metres typed for millimetres."""
MIN_RADIUS_MM = 20.0

FOCAL_RANGE = (0.2, 50.0)
"""Believable focal lengths over the picture's longer side: a fisheye's 0.3 to a long telephoto lens."""


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError("must be a finite number")
    return value


def _printable(text: str) -> str:
    if any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in text):
        raise ValueError("must be one line without control characters")
    return text


Number = Annotated[float, AfterValidator(_finite)]
NotNegative = Annotated[float, Field(ge=0.0), AfterValidator(_finite)]
Radius = Annotated[float, Field(ge=1.0, le=MAX_RADIUS_MM), AfterValidator(_finite)]
Side = Annotated[int, Field(ge=16, le=MAX_SIDE_PX)]
Three = tuple[Number, Number, Number]
Level = Annotated[float, Field(ge=0.0, le=255.0), AfterValidator(_finite)]
Rgb = tuple[Level, Level, Level]
Five = tuple[Number, Number, Number, Number, Number]


def sigma_limits(longer: int) -> dict[str, float]:
    """The standard uncertainties a camera may have, and what each can be at most; ``longer``: its longer side in px."""
    return {"focal_px": FOCAL_RANGE[1] * longer, "tilt_deg": 180.0, "sideways": 100.0}


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class BoardFile(_Strict):
    """One maker's board: radii of the middle of each painted line, of the hole's rim and of the surface's edge."""

    kind: Literal["board"] = "board"
    name: Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_printable)]
    shooting_mm: Annotated[float, Field(ge=MIN_RADIUS_MM, le=MAX_RADIUS_MM)]
    ten_mm: Radius
    fifteen_mm: Radius
    hole_mm: Radius | None = None
    line_widths_mm: Three = (2.0, 2.0, 2.0)
    surface_mm: Radius | None = None
    disc_diameter_mm: Annotated[float, Field(ge=5.0, le=100.0)] | None = None
    disc_height_mm: Annotated[float, Field(ge=1.0, le=50.0)] = DISC_HEIGHT_MM

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        radii = [self.fifteen_mm, self.ten_mm, self.shooting_mm]
        if self.hole_mm is not None:
            radii.insert(0, self.hole_mm)
        if self.surface_mm is not None:
            radii.append(self.surface_mm)
        if any(a >= b for a, b in itertools.pairwise(radii)):
            raise ValueError("radii must grow: hole_mm, fifteen_mm, ten_mm, shooting_mm, surface_mm")
        if any(not 0 < w < self.fifteen_mm for w in self.line_widths_mm):
            raise ValueError("line_widths_mm must be positive and small")
        return self

    def model(self) -> BoardModel:
        """Return the board model of this file."""
        return BoardModel(
            self.name,
            self.shooting_mm,
            self.ten_mm,
            self.fifteen_mm,
            self.hole_mm,
            self.line_widths_mm,
            self.surface_mm,
            (self.disc_diameter_mm or DISC_DIAMETER_MM) / 2,
            self.disc_height_mm,
            self.disc_diameter_mm is not None,
        )


class CameraFile(_Strict):
    """Intrinsics of one camera at one picture size: focal lengths and principal point in px, OpenCV's distortion."""

    kind: Literal["camera"] = "camera"
    width: Side
    height: Side
    fx: Number
    fy: Number
    cx: Number
    cy: Number
    distortion: Five = (0.0, 0.0, 0.0, 0.0, 0.0)
    sigma: dict[str, NotNegative] = Field(default_factory=dict)
    rms_px: Annotated[float, Field(ge=0.0, le=1000.0)] | None = None
    coverage: Annotated[float, Field(ge=0.0, le=1.0)] | None = None
    pictures: Annotated[int, Field(ge=1, le=1_000_000)] | None = None

    @model_validator(mode="after")
    def _believable(self) -> Self:
        longer = max(self.width, self.height)
        if not all(FOCAL_RANGE[0] * longer <= f <= FOCAL_RANGE[1] * longer for f in (self.fx, self.fy)):
            raise ValueError("fx and fy don't belong to a lens for this picture size")
        if not (0 <= self.cx <= self.width and 0 <= self.cy <= self.height):
            raise ValueError("cx and cy must lie in the picture")
        limits = sigma_limits(longer)
        for name, value in self.sigma.items():
            if name not in limits:
                raise ValueError(f"sigma has {name!r}, which is unknown; known are {', '.join(limits)}")
            if value > limits[name]:
                raise ValueError(f"sigma.{name} is {value:g}, at most {limits[name]:g} can be")
        return self

    def camera(self) -> Camera:
        """Return the camera, its pose left at zero."""
        K = np.array([[self.fx, 0, self.cx], [0, self.fy, self.cy], [0, 0, 1.0]])
        zero = np.zeros(3)
        return Camera(K, np.array(self.distortion), zero, zero, self.width, self.height, dict(self.sigma))


class ScaleFile(_Strict):
    """What gave a table's millimetres (see ``calibration.scale``)."""

    source: ScaleSource
    tournament: bool = False
    detail: Annotated[str, Field(max_length=200), AfterValidator(_printable)] = ""


class TableFile(_Strict):
    """A fixed camera over a board: both, and the pose (rotation vector; translation in mm).

    ``calibrated``: the camera was measured apart ('referee calibrate camera'), not solved with the board.
    """

    kind: Literal["table"] = "table"
    camera: CameraFile
    calibrated: bool = False
    board: BoardFile
    rvec: Three
    tvec: Three
    scale: ScaleFile
    residual_px: Annotated[float, Field(ge=0, le=100)]
    picture_sha256: str = Field(pattern=r"^[0-9a-f]{64}$")

    @model_validator(mode="after")
    def _in_front(self) -> Self:
        if self.tvec[2] <= 0:
            raise ValueError("tvec must place the board in front of the camera")
        return self

    def view(self) -> BoardView:
        """Return the board as this camera sees it, in pixels of the picture as shown."""
        c = self.camera.camera()
        camera = replace(
            c,
            rvec=np.array(self.rvec),
            tvec=np.array(self.tvec),
            assumed=("table profile",),
            calibrated=self.calibrated,
        )
        return BoardView(camera, self.board.model(), Scale(**self.scale.model_dump()), self.residual_px)


class DodecaFile(_Strict):
    """Krakatoa's dodecas on one table: their size, and RGB (0 to 255) of bodies and spots as the camera shows them."""

    kind: Literal["dodecas"] = "dodecas"
    across_mm: Annotated[float, Field(ge=5.0, le=100.0)] = 18.0
    steam: Rgb
    ash: Rgb
    lava: Rgb
    yellow: Rgb
    red: Rgb
    blue: Rgb
    picture_sha256: str | None = Field(default=None, pattern=r"^[0-9a-f]{64}$")

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if not sum(self.steam) > sum(self.ash) > sum(self.lava):
            raise ValueError("steam must be brighter than ash, ash brighter than lava")
        return self


Profile = TypeVar("Profile", BoardFile, CameraFile, TableFile, DodecaFile)


def bad_profile(path: Path | str, why: str) -> UnusableInputError:
    """Return the error of a profile that can't be used."""
    return UnusableInputError(f"{path}: {why}", code="bad_profile")


def load(path: Path, kind: type[Profile]) -> Profile:
    """Read a profile of one kind; raises UnusableInputError(bad_profile), in one line, naming the field."""
    wanted = str(kind.model_fields["kind"].default)
    try:
        if path.is_dir():
            raise bad_profile(path, f"this is a folder, not a {wanted} profile")
        if path.stat().st_size > MAX_PROFILE_BYTES:
            raise bad_profile(path, f"too large to be a {wanted} profile")
        content: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError as error:
        raise bad_profile(path, "there is no such file") from error
    except UnicodeDecodeError as error:
        raise bad_profile(path, f"this is not a {wanted} profile (not text)") from error
    except RecursionError as error:
        raise bad_profile(path, "the profile is damaged: nested too deep") from error
    except tomllib.TOMLDecodeError as error:
        raise bad_profile(path, f"the profile is damaged: {error}") from error
    except (OSError, ValueError) as error:
        raise bad_profile(path, f"can't be read ({getattr(error, 'strerror', None) or error})") from error
    found = content.get("kind")
    if found != wanted:
        what = f"a profile of kind {found!r}" if isinstance(found, str) else "no profile (it has no field 'kind')"
        raise bad_profile(path, f"this is {what}; a {wanted} profile is needed")
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        message = str(first["msg"]).removeprefix("Value error, ")
        raise bad_profile(path, f"field '{field}': {message}" if field else message) from error


def as_text(profile: BoardFile | CameraFile | TableFile | DodecaFile) -> str:
    """The profile as TOML."""
    return tomli_w.dumps(profile.model_dump(exclude_none=True))


def save(path: Path, profile: BoardFile | CameraFile | TableFile | DodecaFile) -> None:
    """Write a profile as TOML; raises UnusableInputError(bad_option) where the file can't be written."""
    try:
        path.write_text(as_text(profile), encoding="utf-8")
    except OSError as error:
        raise UnusableInputError(f"{path}: can't be written ({error.strerror})", code="bad_option") from error


def board_by_name(name: str) -> BoardModel:
    """Return the board of a built-in name or of a file; raises UnusableInputError(bad_profile)."""
    if name.lower() in BUILT_IN:
        return BUILT_IN[name.lower()]
    if not name:
        raise bad_profile("board", f"its name is empty; known names: {', '.join(BUILT_IN)}")
    path = Path(name)
    if not path.exists() and path.suffix == "":
        raise bad_profile(name, f"no board of this name or file; known names: {', '.join(BUILT_IN)}")
    return load(path, BoardFile).model()


def require_size(path: Path, camera: CameraFile, width: int, height: int) -> None:
    """Raise UnusableInputError(bad_profile) when a profile was made with pictures of another size."""
    if (camera.width, camera.height) != (width, height):
        made = f"{camera.width} x {camera.height}"
        raise bad_profile(path, f"made for pictures of {made} pixels, this one has {width} x {height}")


def camera_file(camera: Camera) -> CameraFile:
    """Return the profile of a camera (its pose is left out)."""
    k = camera.K
    a, b, c, d, e = (float(v) for v in camera.dist[:5])
    limits = sigma_limits(max(camera.width, camera.height))
    sigma = {name: float(v) for name, v in camera.sigma.items() if 0 <= v <= limits.get(name, -1.0)}
    return CameraFile(
        width=camera.width,
        height=camera.height,
        fx=float(k[0, 0]),
        fy=float(k[1, 1]),
        cx=float(k[0, 2]),
        cy=float(k[1, 2]),
        distortion=(a, b, c, d, e),
        sigma=sigma,
    )


def board_file(board: BoardModel) -> BoardFile:
    """Return the profile of a board model; a diameter of the discs that is but the usual one isn't named."""
    measured = board.disc_given or board.disc_radius != DISC_DIAMETER_MM / 2
    return BoardFile(
        name=board.name,
        shooting_mm=board.shooting,
        ten_mm=board.ten,
        fifteen_mm=board.fifteen,
        hole_mm=board.hole,
        line_widths_mm=board.line_widths,
        surface_mm=board.surface,
        disc_diameter_mm=2 * board.disc_radius if measured else None,
        disc_height_mm=board.disc_height,
    )


def table_file(view: BoardView, sha256: str) -> TableFile:
    """Return the profile of a solved board whose camera speaks of the picture as shown."""
    r0, r1, r2 = (float(v) for v in view.camera.rvec)
    t0, t1, t2 = (float(v) for v in view.camera.tvec)
    return TableFile(
        camera=camera_file(view.camera),
        calibrated=view.camera.calibrated,
        board=board_file(view.board),
        rvec=(r0, r1, r2),
        tvec=(t0, t1, t2),
        scale=ScaleFile(source=view.scale.source, tournament=view.scale.tournament, detail=view.scale.detail),
        residual_px=view.residual_px,
        picture_sha256=sha256,
    )
