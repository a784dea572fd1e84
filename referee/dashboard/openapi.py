"""The OpenAPI document of the JSON API, kept beside the routes; a test holds the two together."""

import re
from typing import Any

from referee import __version__

ERROR_CODES = {
    400: "the request is wrong: bad_json, bad_request, bad_event, bad_option",
    403: "not allowed: no_token, wrong_origin",
    404: "no_match, no_question, gone, no_page",
    409: "conflict: the match has gone on; or against_the_rules, with the faults",
    413: "too_large",
    415: "not_json",
    421: "wrong_host",
    503: "too_many, disk_full, store_busy, store_down",
}


def _of(schema: str) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}}


def _op(what: str, answer: str = "State", status: int = 200, body: dict[str, Any] | None = None) -> dict[str, Any]:
    made: dict[str, Any] = {
        "summary": what,
        "responses": {
            str(status): {"description": "done", "content": _of(answer)},
            "default": {"description": "refused", "content": _of("Error")},
        },
    }
    if body is not None:
        schema = {"type": "object", "properties": body}
        made["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
    return made


def _file(what: str, kind: str) -> dict[str, Any]:
    return {"summary": what, "responses": {"200": {"description": "the file", "content": {kind: {}}}}}


TEXT, WHOLE, FLAG = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
OBJECT: dict[str, Any] = {"type": "object"}
WHO = {"who": {**TEXT, "description": "who keeps the score, for the log"}}
SEEN = {"revision": {**WHOLE, "description": "the revision that was looked at; another one is a conflict"}}
EVENT = {
    "event": {**OBJECT, "description": "an event of the game with its kind"},
    "text": {**TEXT, "description": "or as it would be typed at the keyboard"},
}
WHY = {"why": {**TEXT, "description": "kept in the log"}}

PAIR: dict[str, Any] = {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}
DISC = {
    "disc": {**WHOLE, "description": "of the reading; left out: one that the camera doesn't see"},
    "there": {**FLAG, "description": "false: nothing lies there"},
    "side": {**TEXT, "description": "whose it is"},
    "px": {**PAIR, "description": "the middle of its upper face in the picture"},
    "mm": {**PAIR, "description": "or its middle on the board"},
    "value": {**WHOLE, "enum": [0, 5, 10, 15], "description": "what it is worth there"},
    "inner": {**FLAG, "description": "worth 10 and touching the 15 line"},
    "state": {**TEXT, "enum": ["board", "hole", "leaning"]},
}

PATHS: dict[str, dict[str, Any]] = {
    "/openapi.json": {"get": _op("This document", "Object")},
    "/cameras": {"get": _op("The cameras that this machine names", "Object")},
    "/statistics": {"get": _op("Counts over all stored matches", "Object")},
    "/matches": {
        "get": _op("The stored matches, the one changed last first", "Object"),
        "post": _op(
            "Begin a match",
            "State",
            201,
            {
                "game": TEXT,
                "options": OBJECT,
                "about": OBJECT,
                "title": TEXT,
                "source": TEXT,
                "sample": {**FLAG, "description": "true: the shipped sample match instead"},
            },
        ),
    },
    "/matches/{identifier}": {"get": _op("A match as the screen shows it; 'current' is the one changed last")},
    "/matches/{identifier}/stream": {
        "get": _file("Every change as a server-sent event 'state' whose data is a State", "text/event-stream")
    },
    "/matches/{identifier}/events": {
        "get": _op("Every event in words; the state holds the newest", "Object"),
        "post": _op("Keep an event", "State", 201, EVENT | WHO | SEEN),
    },
    "/matches/{identifier}/rulings": {
        "post": _op(
            "Rule: another event in place of an entry, before it, or none (it is struck out)",
            "State",
            201,
            EVENT | {"target": WHOLE, "before": FLAG} | WHY | WHO | SEEN,
        )
    },
    "/matches/{identifier}/takebacks": {"post": _op("Take back an entry", "State", 201, {"target": WHOLE} | WHY | WHO)},
    "/matches/{identifier}/undo": {"post": _op("Take back the last entry in force", "State", 201, WHO | SEEN)},
    "/matches/{identifier}/redo": {"post": _op("Bring back what was undone last", "State", 201, WHO | SEEN)},
    "/matches/{identifier}/answers": {
        "post": _op(
            "Answer an open question",
            "State",
            201,
            {"key": TEXT, "choice": {**WHOLE, "description": "left out: it stays as it is"}} | WHO,
        )
    },
    "/matches/{identifier}/again": {"post": _op("Begin another match like this one", "State", 201, {})},
    "/matches/{identifier}/source": {
        "post": _op("Follow the match through a source; left out: through none", "State", 201, {"source": TEXT})
    },
    "/matches/{identifier}/find-board": {"post": _op("Look for the board anew", "State", 201, {})},
    "/matches/{identifier}/view": {
        "get": _op("Where the board lies in the newest picture; find=1 looks for it now", "Object"),
        "post": _op(
            "The board lies where four points are on its outermost line", "Object", 201, {"handles": {"type": "array"}}
        ),
    },
    "/matches/{identifier}/reading": {
        "get": _op("What the camera takes to lie on the table, disc by disc: number in the log, side, place", "Object"),
        "post": _op(
            "Correct one disc of the reading; kept as a ruling on the last shot", "State", 201, DISC | WHY | WHO | SEEN
        ),
    },
    "/matches/{identifier}/help": {"get": _op("What may be typed now", "Object")},
    "/matches/{identifier}/picture.jpg": {"get": _file("The newest picture", "image/jpeg")},
    "/matches/{identifier}/picture.mjpg": {"get": _file("The moving picture", "multipart/x-mixed-replace")},
    "/matches/{identifier}/log.jsonl": {"get": _file("The match log", "application/jsonl")},
    "/matches/{identifier}/sheet.csv": {"get": _file("The score sheet", "text/csv")},
    "/matches/{identifier}/match.cmn.json": {"get": _file("Crokinole Match Notation", "application/json")},
    "/matches/{identifier}/audit/{digest}.pdf": {
        "get": _file("The picture measured anew, with its report", "application/pdf")
    },
    "/matches/{identifier}/evidence/{digest}": {"get": _file("A picture that a call rests on", "image/jpeg")},
}


def document() -> dict[str, Any]:
    """The whole document."""
    for path, operations in PATHS.items():
        names = re.findall(r"\{(\w+)\}", path)
        for operation in operations.values():
            operation["parameters"] = [{"name": n, "in": "path", "required": True, "schema": TEXT} for n in names]
    error = {
        "type": "object",
        "required": ["error"],
        "properties": {
            "error": {
                "type": "object",
                "required": ["code", "message"],
                "properties": {"code": TEXT, "message": TEXT, "faults": {"type": "array", "items": OBJECT}},
            }
        },
    }
    state = {
        "type": "object",
        "required": ["schema", "id", "game", "revision", "sides", "events", "legal", "questions", "over"],
        "properties": {"schema": {"const": "state/1"}, "id": TEXT, "game": TEXT, "revision": WHOLE, "over": FLAG},
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Table Referee",
            "version": __version__,
            "description": "Every refusal has the form Error. "
            + " ".join(f"{status}: {words}." for status, words in ERROR_CODES.items()),
        },
        "servers": [{"url": "/api/v1"}],
        "paths": PATHS,
        "components": {
            "schemas": {"State": state, "Error": error, "Object": OBJECT},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }
