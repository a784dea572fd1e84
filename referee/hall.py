"""The hall: the desk's matches with the cameras that follow them, one live table a match."""

import threading
from collections.abc import Callable
from functools import partial
from importlib import resources
from pathlib import Path

from calibration.errors import NotFoundError, UnusableInputError
from referee.desk import Desk, OpenMatch
from referee.live import LiveTable
from referee.logfile import options_of, read_log
from referee.officials import Official
from referee.settings import Settings
from referee.watchdog import WatchedSource
from vision.cameras import SourceName, open_source, parse_source

SAMPLE = "sample"
VIDEOS = (".mp4", ".mov", ".mkv", ".avi", ".webm", ".m4v", ".ts")
WHO_SEES = "camera"

OfficialMaker = Callable[[OpenMatch], Official | None]


def samples_folder() -> Path:
    """Where the shipped sample match lies."""
    return Path(str(resources.files("referee").joinpath("samples")))


class Hall:
    """Opens and closes live tables; ``official_for`` makes the official of a match's game, None where there is none.

    ``pace``: how many times as fast as they were taken videos are shown.
    """

    def __init__(
        self, desk: Desk, settings: Settings, official_for: OfficialMaker | None = None, pace: float = 1.0
    ) -> None:
        self.desk = desk
        self.settings = settings
        self._opener = partial(open_source, pace=pace)
        self._official_for = official_for or (lambda match: None)
        self._tables: dict[str, LiveTable] = {}
        self._lock = threading.Lock()

    def table(self, match: OpenMatch) -> LiveTable | None:
        """The live table of a match, if a camera follows it."""
        return self._tables.get(match.id)

    def at(self, match: OpenMatch) -> float:
        """The time for what people do at a match: of its camera, else of this machine's clock."""
        table = self.table(match)
        return self.desk.clock() if table is None else table.at

    def attach(self, match: OpenMatch, source: str) -> LiveTable:
        """Follow a match through a source; one that followed it before is let go."""
        if source == SAMPLE:
            return self._attach(match, self._sample_name(), self._sample_official(match))
        return self._attach(match, parse_source(source), self._official_for(match))

    def attach_named(self, match: OpenMatch, source: str) -> LiveTable:
        """Follow a match through what a browser names: a camera, a stream, or one of :meth:`media`, never a path."""
        if source == SAMPLE:
            return self.attach(match, source)
        for path in self.media():
            # the name is only compared: the path comes from the folder's own list
            if path.name == source:
                return self._attach(match, parse_source(str(path)), self._official_for(match))
        return self._attach(match, parse_source(source, paths=False), self._official_for(match))

    def media(self) -> list[Path]:
        """Videos and folders of the setting ``media``."""
        folder = self.settings.text("media")
        if not folder or not Path(folder).is_dir():
            return []
        return sorted(p for p in Path(folder).iterdir() if p.is_dir() or p.suffix.lower() in VIDEOS)

    def detach(self, match: OpenMatch) -> None:
        """Let the camera of a match go."""
        with self._lock:
            table = self._tables.pop(match.id, None)
        if table is None:
            raise NotFoundError("no camera follows this match", code="no_camera")
        table.close()
        match.touched()

    def begin_sample(self) -> OpenMatch:
        """A new match of the shipped sample, followed as if live."""
        log = read_log(samples_folder() / "crokinole.log.jsonl").log
        match = self.desk.create(log.engine.game, options_of(log.engine), dict(log.about))
        self.attach(match, SAMPLE)
        return match

    def enter(self, source: str | None, identifier: str | None, resume: bool = False) -> str:
        """Go to where a call of the command wants: the page's path. A source follows a match that is named, the last
        open one, or a new one of crokinole; the sample a new one of its own, unless it is resumed after a crash.
        """
        if identifier is None and source is None:
            return "/"
        if identifier is None and source == SAMPLE and not resume:
            return f"/match/{self.begin_sample().id}"
        match = self.desk.open(identifier) if identifier else self._last_open()
        if match is None:
            match = self.desk.create("crokinole", {}, {})
        if source is not None:
            self.attach(match, source)
        return f"/match/{match.id}"

    def _last_open(self) -> OpenMatch | None:
        rows = [row for row in self.desk.rows(limit=1) if not row.result.get("winners")]
        return self.desk.open(rows[0].id) if rows else None

    def close(self) -> None:
        """Let go of all cameras."""
        with self._lock:
            tables, self._tables = list(self._tables.values()), {}
        for table in tables:
            table.close()

    def _attach(self, match: OpenMatch, name: SourceName, official: Official | None) -> LiveTable:
        settings = self.settings
        source = WatchedSource(
            name, settings.number("stall_seconds"), settings.number("retry_most_seconds"), self._opener
        )
        table = LiveTable(
            match,
            source,
            official,
            dark_below=settings.number("dark_below"),
            blurred_below=settings.number("blurred_below"),
            picture_width=settings.whole("picture_width"),
            clips=settings.flag("clips"),
        )
        with self._lock:
            before, self._tables[match.id] = self._tables.get(match.id), table
        if before is not None:
            before.close()
        return table.start()

    def _sample_name(self) -> SourceName:
        path = samples_folder() / "crokinole.mp4"
        if not path.is_file():
            raise UnusableInputError("the sample match isn't part of this installation", code="no_video")
        return SourceName("video", path.name, str(path))

    def _sample_official(self, match: OpenMatch) -> Official:
        from referee.officials.recorded import RecordedOfficial  # noqa: PLC0415 - only with the sample

        done = sum(entry.kind == "observed" and entry.who == WHO_SEES for entry in match.log.entries)
        return RecordedOfficial(samples_folder() / "crokinole", done)
