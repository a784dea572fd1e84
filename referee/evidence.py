"""Pictures and clips that calls rest on, kept as files beside the store under the hash of their content.

Beside a picture of a board lies a table profile that says where the board was in it. Together the files may grow to a
limit; then the oldest goes first. What belongs to a disputed call is kept regardless until somebody lets it go. The log
is not changed when a file is removed: the entry still names its hash.
"""

import hashlib
import logging
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from calibration.errors import NotFoundError, UnusableInputError
from referee.store import Store, StoreError
from referee.store import evidence as table

CLIP = "clip of entry "
"""What stands before the entry's number in the words of a clip."""

KINDS = {"jpg": "image/jpeg", "mp4": "video/mp4"}
VIEW = "toml"
"""The kind of file that holds the view of the picture of the same name."""
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Kept:
    """One piece of evidence, as it is listed."""

    hash: str
    kind: str
    bytes: int
    at: float
    words: str
    kept: bool


class EvidenceFolder:
    """The files of one store; ``limit_bytes`` for all of them together."""

    def __init__(self, store: Store, limit_bytes: int) -> None:
        self.store = store
        self.limit_bytes = limit_bytes
        self.folder = store.folder
        self._adopt(store.folder_before)

    def put(
        self, match: str, content: bytes, kind: str, at: float, words: str = "", kept: bool = False, view: str = ""
    ) -> str:
        """Keep one piece for a match; returns its hash. The file is whole on the disk before the store names it.

        ``view``: a table profile, as text, of the board in a picture.
        """
        digest = hashlib.sha256(content).hexdigest()
        files = {kind: content} | ({VIEW: view.encode()} if view else {})
        for suffix, data in files.items():
            path = self._path(digest, suffix)
            if path.exists():
                continue
            try:
                self._write(path, data)
            except OSError as error:
                raise StoreError(f"the evidence can't be kept ({error.strerror})", code="disk_full") from error
        row = {"hash": digest, "match": match, "kind": kind, "bytes": len(content), "at": at}
        with self.store.writing() as db:
            same = (table.c.hash == digest) & (table.c.match == match)
            if db.execute(sa.select(table.c.kept).where(same)).first() is None:
                db.execute(table.insert(), {**row, "words": words, "kept": kept})
        self.trim()
        return digest

    def get(self, match: str, digest: str) -> tuple[bytes, str]:
        """The content and its media type; raises NotFoundError where the match has no such piece any more."""
        missing = NotFoundError("there is no such picture in this match, or it was removed to make room", code="gone")
        with self.store.reading() as db:
            query = sa.select(table.c.kind).where((table.c.hash == digest) & (table.c.match == match))
            kind = db.execute(query).scalar_one_or_none()
        if kind is None:
            raise missing
        try:
            return self._path(digest, kind).read_bytes(), KINDS[kind]
        except OSError:
            raise missing from None

    def view_of(self, digest: str) -> Path | None:
        """The table profile of a picture that :meth:`get` has; None where there is none."""
        path = self._path(digest, VIEW)
        return path if path.is_file() else None

    def list(self, match: str) -> list[Kept]:
        """What there is for a match, the oldest first."""
        columns = (table.c.hash, table.c.kind, table.c.bytes, table.c.at, table.c.words, table.c.kept)
        query = sa.select(*columns).where(table.c.match == match).order_by(table.c.at)
        with self.store.reading() as db:
            return [Kept(*row) for row in db.execute(query)]

    def clips(self, match: str) -> dict[int, str]:
        """Entry -> hash of its clip."""
        query = sa.select(table.c.words, table.c.hash).where((table.c.match == match) & (table.c.kind == "mp4"))
        with self.store.reading() as db:
            rows = db.execute(query).all()
        numbers = [(words.removeprefix(CLIP), digest) for words, digest in rows if words.startswith(CLIP)]
        return {int(number): digest for number, digest in numbers if number.isdecimal()}

    def protect(self, match: str, digest: str, kept: bool = True) -> None:
        """Keep a piece whatever the limit (its call is disputed), or let it go again."""
        same = (table.c.hash == digest) & (table.c.match == match)
        with self.store.writing() as db:
            if db.execute(table.update().where(same).values(kept=kept)).rowcount != 1:
                raise NotFoundError("there is no such picture in this match", code="gone")

    def size(self) -> int:
        """The bytes of all files together."""
        with self.store.reading() as db:
            return int(db.execute(sa.select(sa.func.coalesce(sa.func.sum(table.c.bytes), 0))).scalar_one())

    def trim(self) -> int:
        """Remove the oldest pieces that aren't protected until the rest is within the limit; returns how many."""
        over = self.size() - self.limit_bytes
        if over <= 0:
            return 0
        query = sa.select(table.c.hash, table.c.match, table.c.kind, table.c.bytes)
        query = query.where(table.c.kept.is_(False)).order_by(table.c.at, table.c.hash)
        gone, removed = [], 0
        with self.store.writing() as db:
            for digest, match, kind, count in db.execute(query).all():
                if over <= 0:
                    break
                db.execute(table.delete().where((table.c.hash == digest) & (table.c.match == match)))
                if db.execute(sa.select(table.c.hash).where(table.c.hash == digest)).first() is None:
                    gone += [self._path(digest, kind), self._path(digest, VIEW)]
                over -= count
                removed += 1
        # the files go after the store has forgotten them: a crash in between leaves a file too many, never one too few
        _remove(gone)
        return removed

    def sweep(self) -> int:
        """Remove files that the store doesn't know (left by a crash); returns how many."""
        known = self._names()
        stray = [p for p in self.folder.glob("*.*") if p.name not in known] if self.folder.is_dir() else []
        return _remove(stray)

    def copy_to(self, folder: Path) -> int:
        """Copy all files that the store knows, for a backup; returns how many."""
        found = [self.folder / name for name in sorted(self._names()) if (self.folder / name).is_file()]
        try:
            if found:
                folder.mkdir(parents=True, exist_ok=True)
            for path in found:
                shutil.copy2(path, folder / path.name)
        except OSError as error:
            raise UnusableInputError(f"{folder}: the pictures can't be copied ({error.strerror or error})") from error
        return len(found)

    def _adopt(self, before: Path) -> None:
        """Take over what this store knows of a folder that it once shared with others; theirs stays there."""
        if before == self.folder or self.folder.exists() or not before.is_dir():
            return
        for name in sorted(self._names()):
            if (before / name).is_file():
                self.folder.mkdir(parents=True, exist_ok=True)
                try:
                    (self.folder / name).hardlink_to(before / name)
                except OSError:
                    shutil.copy2(before / name, self.folder / name)

    def _names(self) -> set[str]:
        """The names of all files that the store knows of."""
        with self.store.reading() as db:
            rows = db.execute(sa.select(table.c.hash, table.c.kind)).all()
        return {f"{digest}.{suffix}" for digest, kind in rows for suffix in (kind, VIEW)}

    def _path(self, digest: str, kind: str) -> Path:
        # both come from here or from the store, never from a request
        return self.folder / f"{digest}.{kind}"

    def _write(self, path: Path, content: bytes) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        fresh = path.with_suffix(".new")
        try:
            with fresh.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(path)
        except OSError:
            with suppress(OSError):
                fresh.unlink(missing_ok=True)  # half a picture would take the room that is left
            raise


def _remove(files: Sequence[Path]) -> int:
    """Remove files; returns how many. One that can't be removed stays: it costs room, and no match."""
    removed = 0
    for path in files:
        try:
            path.unlink(missing_ok=True)
            removed += 1
        except OSError as error:
            log.warning("%s: can't be removed (%s)", path, error.strerror)
    return removed
