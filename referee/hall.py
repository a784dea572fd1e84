"""The hall: the desk's matches with the cameras that follow them, one live table a match."""

import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import resources
from pathlib import Path

from calibration.errors import NotFoundError, TableError, UnusableInputError
from referee.desk import Desk, OpenMatch
from referee.kept_cameras import KeptCameras
from referee.live import WHO, LiveTable
from referee.logfile import options_of, read_log
from referee.officials import Official
from referee.settings import Settings
from referee.watchdog import WatchedSource
from vision.cameras import SourceName, check_source, open_source, parse_source

SAMPLE = "sample"
UNNAMED = ("Player 1", "Player 2")
"""The sides of a match that was begun without a set-up: the colours of their discs aren't known yet."""
VIDEOS = (".mp4", ".mov", ".mkv", ".avi", ".webm", ".m4v", ".ts")
log = logging.getLogger(__name__)

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
        beside = desk.store.folder
        self._kept = KeptCameras(beside.with_name(beside.name.removesuffix(".evidence") + ".cameras.json"))
        self._lock = threading.Lock()

    def table(self, match: OpenMatch) -> LiveTable | None:
        """The live table of a match, if a camera follows it."""
        return self._tables.get(match.id)

    def at(self, match: OpenMatch) -> float:
        """The time of what people do at a match: that of its camera, or else of this machine's clock."""
        table = self.table(match)
        return self.desk.clock() if table is None else table.at

    def attach(self, match: OpenMatch, source: str) -> LiveTable:
        """Follow a match through a source; one that followed it before is let go."""
        return self._keep(match, source, self._name(source))

    def attach_named(self, match: OpenMatch, source: str) -> LiveTable:
        """Follow a match through what a browser names: a camera, a stream, one of :meth:`media`; never a path."""
        return self._keep(match, source, self.named(source))

    def named(self, source: str) -> SourceName:
        """The source that a browser names; raises UnusableInputError where there is none to be followed."""
        for path in self.media():
            # the name is only compared: the path comes from the folder's own list
            if path.name == source:
                return check_source(parse_source(str(path)))
        return self._name(source, paths=False)

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
        self._kept.forget(match.id)
        table.close()
        match.touched()

    def begin_sample(self) -> OpenMatch:
        """A new match of the shipped sample, followed as if live."""
        log = read_log(samples_folder() / "crokinole.log.jsonl").log
        match = self.desk.create(log.engine.game, options_of(log.engine), dict(log.about))
        self.attach(match, SAMPLE)
        return match

    def enter(self, source: str | None, identifier: str | None, resume: bool = False) -> str:
        """The path of the page that a call of the command asks for; opens what it needs.

        A source follows the match that is named, the last open one, or a new one of crokinole; the sample always a new
        one. Without a source, or after a crash, the cameras that followed matches when the program ended go on.
        """
        if resume or source is None:
            self._go_on()
            match = self.desk.open(identifier) if identifier else self._last_open()
            if match is not None and (identifier or self.table(match)):
                return f"/match/{match.id}"
            if source is None:
                return "/"
        if identifier is None and source == SAMPLE:
            return f"/match/{self.begin_sample().id}"
        name = self._name(source)
        match = self.desk.open(identifier) if identifier else self._last_open()
        if match is None:
            match = self.desk.create("crokinole", {"sides": UNNAMED}, {})
        self._keep(match, source, name)
        return f"/match/{match.id}"

    def _go_on(self) -> None:
        """Follow again what was followed when the program ended; videos from their last event on."""
        for identifier, source in self._kept.all().items():
            try:
                match = self.desk.open(identifier)
                if match.log.engine.winners(match.log.state):
                    self._kept.forget(identifier)
                    continue
                name = self._name(source)
                if name.kind == "video":
                    name = replace(name, begin=max((e.at for e in match.log.entries if e.who == WHO), default=0.0))
                self._attach(match, name, self._official_for(match))
            except TableError as error:
                log.warning("the camera of match %s isn't followed again: %s", identifier, error)

    def _last_open(self) -> OpenMatch | None:
        rows = [row for row in self.desk.rows(limit=1) if not row.result.get("winners")]
        return self.desk.open(rows[0].id) if rows else None

    def close(self) -> None:
        """Let go of all cameras."""
        with self._lock:
            tables, self._tables = list(self._tables.values()), {}
        for table in tables:
            table.close()

    def _name(self, source: str, paths: bool = True) -> SourceName:
        return self._sample_name() if source == SAMPLE else check_source(parse_source(source, paths))

    def _keep(self, match: OpenMatch, source: str, name: SourceName) -> LiveTable:
        table = self._attach(match, name, self._official_for(match))
        on_disk = name.kind in ("video", "folder")
        lasting = source if source == SAMPLE or not on_disk else str(Path(name.secret).resolve())
        self._kept.keep(match.id, lasting, shared=on_disk)
        return table

    def _attach(self, match: OpenMatch, name: SourceName, official: Official | None) -> LiveTable:
        settings = self.settings
        source = WatchedSource(
            name, settings.number("stall_seconds"), settings.number("retry_most_seconds"), self._opener
        )
        table = LiveTable(match, source, official, settings=settings, clips=settings.flag("clips"))
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
