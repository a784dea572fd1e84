"""What is known before a picture is looked at: profiles, a board's measures, a length; the same for every command."""

from dataclasses import dataclass
from pathlib import Path

from calibration.drift import check_view
from calibration.errors import NotFoundError
from calibration.hints import BoardHints
from calibration.view import BoardView
from referee.crokinole_reader import hints_for, view_from_table
from vision.frames import Frame


@dataclass(frozen=True)
class Known:
    """What the options tell. ``shooting_mm``: radius of the shooting line; ``disc_mm``: diameter of the discs."""

    camera: Path | None = None
    board: str | None = None
    table: Path | None = None
    shooting_mm: float | None = None
    disc_mm: float | None = None

    def hints(self, frame: Frame) -> BoardHints:
        """Turn the options into hints for this frame; raises UnusableInputError(bad_profile)."""
        board = camera = None
        if self.board is not None or self.camera is not None:
            from calibration import profiles  # noqa: PLC0415  (pydantic takes 0.1 s to load)

            board = None if self.board is None else profiles.board_by_name(self.board)
            if self.camera is not None:
                camera = profiles.load(self.camera, profiles.CameraFile)
                profiles.require_size(self.camera, camera, frame.width, frame.height)
        return hints_for(frame, BoardHints(board, self.shooting_mm, self.disc_mm), camera)

    def view(self, frame: Frame) -> BoardView | None:
        """The saved set-up, checked against this frame; None without one.

        Raises UnusableInputError(bad_profile) where it doesn't fit, NotFoundError(no_board) where nothing lies there.
        """
        if self.table is None:
            return None
        from calibration import profiles  # noqa: PLC0415

        table = profiles.load(self.table, profiles.TableFile)
        profiles.require_size(self.table, table.camera, frame.width, frame.height)
        view = view_from_table(frame, table)
        fit = check_view(frame.pixels, view)
        again = "if it or the camera was moved, run 'referee calibrate board' again"
        if fit.fault == "nothing_there":
            raise NotFoundError(f"{frame.source}: no board where {self.table} says it lies; {again}", code="no_board")
        if fit.fault == "moved":
            why = f"the board's lines lie {fit.residual_px:.1f} px beside their place; {again}"
            raise profiles.bad_profile(self.table, why)
        return view
