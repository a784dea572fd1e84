"""Open questions of a match, stored, so that they are still there after a restart.

A question isn't part of the log: the ruling that answers it is, with the question's words as its reason.
"""

import json
import logging
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from calibration.errors import NotFoundError
from referee.rules.codec import from_json, to_json
from referee.store import Store
from referee.store import questions as table

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Choice:
    """A possible answer, with the event that then holds as JSON data."""

    words: str
    event: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question as stored; ``entry``: the log's entry that holds meanwhile, ``picture``: hash of the evidence."""

    key: str
    doubt: str
    why: str
    at: float
    answers: tuple[Choice, ...]
    entry: int | None = None
    gap_mm: float | None = None
    sigma_mm: float | None = None
    clause: str | None = None
    picture: str | None = None


class Questions:
    """The questions of one match."""

    def __init__(self, store: Store, match: str) -> None:
        self.store = store
        self.match = match

    def add(self, question: OpenQuestion) -> bool:
        """Ask; returns False where the same key was asked before."""
        with self.store.writing() as db:
            if db.execute(sa.select(table.c.key).where(self._is(question.key))).first() is not None:
                return False
            data = json.dumps(to_json(question), ensure_ascii=False)
            db.execute(table.insert(), {"match": self.match, "key": question.key, "data": data, "at": question.at})
        return True

    def all_open(self) -> list[OpenQuestion]:
        """Those not yet answered, the oldest first."""
        query = sa.select(table.c.data).where((table.c.match == self.match) & table.c.closed.is_(None))
        with self.store.reading() as db:
            stored = db.execute(query.order_by(table.c.at, table.c.key)).scalars().all()
        found = []
        for data in stored:
            try:
                found.append(_read(data))
            except ValueError as error:  # a damaged question hides neither the others nor the match
                log.warning("a question of match %s can't be read: %s", self.match, error)
        return found

    def open(self, key: str) -> OpenQuestion:
        """One that is open; raises NotFoundError where it isn't (somebody else was faster)."""
        with self.store.reading() as db:
            query = sa.select(table.c.data).where(self._is(key) & table.c.closed.is_(None))
            data = db.execute(query).scalar_one_or_none()
        if data is None:
            raise NotFoundError("this question is answered already, or was never asked", code="no_question")
        return _read(data)

    def close(self, key: str, who: str, choice: int | None) -> None:
        """Note that it is answered, by whom and how."""
        with self.store.writing() as db:
            closed = json.dumps({"who": who, "choice": choice}, ensure_ascii=False)
            db.execute(table.update().where(self._is(key)).values(closed=closed))

    def _is(self, key: str) -> sa.ColumnElement[bool]:
        return sa.and_(table.c.match == self.match, table.c.key == key)


def _read(data: str) -> OpenQuestion:
    question: OpenQuestion = from_json(OpenQuestion, json.loads(data))
    return question
