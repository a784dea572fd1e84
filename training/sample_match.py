"""Make the shipped sample match: a simulated video's truth as a match log and as the discs seen over time.

    python training/sample_match.py TRUTH.json referee/samples/crokinole

writes ``.log.jsonl`` (the events with the times of the video) and ``.discs.json`` (what lies on the board from
when on, in mm, for the drawing over the picture). The video itself is the simulator's, encoded smaller.
"""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from referee.log import MatchLog
from referee.logfile import to_text
from referee.rules.crokinole import Crokinole, Recorded, Rest, Shot

MOVED_MM = 1.0
CLOSE_MM = 0.5
SIGMA_MM = 0.25
"""A call nearer than CLOSE_MM is asked about in the sample, as one measured with SIGMA_MM would be."""


def rest_of(disc: dict[str, Any]) -> Rest:
    """Where a disc of the truth lies, in the words of the rules."""
    if disc["state"] in ("hole", "ditch", "leaning"):
        return Rest(disc["id"], disc["state"])
    value = disc["value"]
    inner = None
    if value == 10:
        inner = disc.get("touches_15", False)
    return Rest(disc["id"], "board", value, inner)


def rests_of(shot: dict[str, Any], ids: dict[int, int], lying: dict[int, dict[str, Any]]) -> list[Rest]:
    """The discs that a shot moved, as they came to rest."""
    rests = []
    for disc in shot["board_settled"]:
        if disc["id"] not in ids:
            continue
        old = lying.get(disc["id"])
        near = old is not None and max(abs(a - b) for a, b in zip(old["mm"], disc["mm"], strict=True))
        if old is None or near > MOVED_MM or old["state"] != disc["state"]:
            if old is not None and old["state"] == "ditch":
                continue
            rests.append(rest_of({**disc, "id": ids[disc["id"]]}))
    for gone in shot["ditched"]:
        if all(rest.id != ids[gone] for rest in rests):
            rests.append(Rest(ids[gone], "ditch"))
    if all(rest.id != ids[shot["disc"]] for rest in rests):
        rests.append(Rest(ids[shot["disc"]], "hole" if shot["twenty"] else "ditch"))
    return rests


def close_call(log: MatchLog, shot: dict[str, Any]) -> dict[str, Any]:
    """The question about the closest disc of a shot: the value it has, or the lower one."""
    at = round(shot["settled_s"] + 0.2, 2)
    entry = next(entry for entry in log.entries if abs(entry.at - at) < 0.01)
    near = min((d for d in shot["board_settled"] if d["state"] == "board"), key=lambda d: d["margin_mm"])
    first = shot["disc"] - shot["number_in_round"]
    values = [near["value"], max(v for v in (0, 5, 10) if v < near["value"])]
    answers = []
    for value in values:
        rests = [
            Rest(r.id, "board", value, False if value == 10 else None) if r.id == near["id"] - first else r
            for r in entry.event.rests
        ]
        event = log.engine.event_to_json(replace(entry.event, rests=tuple(rests)))
        answers.append({"words": str(value), "event": event})
    why = f"#{near['id'] - first}, {near['nearest_line']}"
    return {
        "at": at,
        "mm": near["mm"],
        "why": why,
        "gap_mm": round(near["margin_mm"], 2),
        "sigma_mm": SIGMA_MM,
        "clause": "C16",
        "answers": answers,
    }


def main(truth_path: str, out: str) -> None:
    """Write both files."""
    truth = json.loads(Path(truth_path).read_text())
    seats = truth["truth"]["seats"]
    sides = [seats["A"], seats["C"]]
    first = truth["rounds"][0]
    options = {"sides": sides, "discs": first["discs_each_side"], "first": first["first_seat"]}
    options["rounds"] = len(truth["rounds"])
    names = dict(zip(sides, ("Uxía", "Min-jun"), strict=True))
    log = MatchLog(Crokinole(options), (), {"names": names, "title": "Sample match"})
    boards: list[dict[str, Any]] = [{"at": 0.0, "discs": []}]
    for round_ in truth["rounds"]:
        ids: dict[int, int] = {}
        lying: dict[int, dict[str, Any]] = {}
        for shot in [s for s in truth["shots"] if s["round"] == round_["number"]]:
            ids[shot["disc"]] = len(ids) + 1
            rests = rests_of(shot, ids, lying)
            touched = tuple(ids[i] for i in shot["touched"] if i in ids)
            event = Shot(shot["seat"], ids[shot["disc"]], touched, tuple(rests))
            log.observe(event, round(shot["settled_s"] + 0.2, 2), "camera")
            outcome = log.state.outcome
            if (outcome.valid, outcome.rule) != (shot["valid"], shot["rule"]) or outcome.undecided:
                raise SystemExit(f"shot {shot['number']}: {outcome} is not the truth's")
            for key, at in (("board_settled", shot["settled_s"]), ("board_after", shot["consequences_s"])):
                discs = [
                    {
                        "id": ids.get(d["id"], 90 + d["id"]),
                        "colour": d["colour"],
                        "mm": [round(v, 1) for v in d["mm"]],
                        "state": d["state"],
                        "value": d["value"],
                    }
                    for d in shot[key]
                    if d["state"] != "ditch"
                ]
                boards.append({"at": round(at, 2), "discs": discs})
            lying = {d["id"]: d for d in shot["board_after"]}
        log.observe(Recorded(), round(round_["scored_s"], 2), "camera")
        boards.append({"at": round(round_["scored_s"] + 3.0, 2), "discs": []})
        points = dict(zip(sides, log.state.played[-1].points, strict=True))
        if points != round_["points"]:
            raise SystemExit(f"round {round_['number']}: {points}, the truth has {round_['points']}")
    questions = [
        close_call(log, shot) for shot in truth["shots"] if 0 < (shot["margins"]["least_line_mm"] or 9) < CLOSE_MM
    ]
    camera = truth["truth"]["cameras"][0]
    board = {
        "camera": {k: camera[k] for k in ("K", "dist", "rvec", "tvec")},
        "video": truth["video"],
        "boards": boards,
        "questions": questions,
    }
    Path(out + ".log.jsonl").write_text(to_text(log), encoding="utf-8")
    Path(out + ".discs.json").write_text(json.dumps(board, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
