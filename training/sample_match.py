"""Make the shipped sample match: a simulated video and, from its truth, the match log that a reader should come to.

    python training/sample_match.py TRUTH.json VIDEO.mp4 referee/samples/crokinole

writes ``.log.jsonl`` (the events with the times at which everything lay still) and copies the video. Nothing of the log
but its first line (who plays, how many discs) is used when the video is watched; tests hold the result against it.
"""

import json
import math
import shutil
import sys
from pathlib import Path
from typing import Any

from referee.log import MatchLog
from referee.logfile import to_text
from referee.rules.crokinole import Crokinole, Recorded, Rest, Shot

MOVED_MM = 1.0
NAMES = ("Uxía", "Min-jun")


def rest_of(disc: dict[str, Any], board: dict[str, Any]) -> Rest:
    """Where a disc of the truth lies, in the words of the rules."""
    if disc["state"] in ("hole", "ditch", "leaning"):
        return Rest(disc["id"], disc["state"])
    value = disc["value"]
    inner = None
    if value == 10:
        innermost = math.hypot(*disc["mm"]) - board["disc_diameter"] / 2
        inner = innermost <= board["lines"][0] + board["line_width"] / 2
    return Rest(disc["id"], "board", value, inner)


def rests_of(
    shot: dict[str, Any], ids: dict[int, int], lying: dict[int, dict[str, Any]], board: dict[str, Any]
) -> list[Rest]:
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
            rests.append(rest_of({**disc, "id": ids[disc["id"]]}, board))
    for gone in shot["ditched"]:
        if all(rest.id != ids[gone] for rest in rests):
            rests.append(Rest(ids[gone], "ditch"))
    if all(rest.id != ids[shot["disc"]] for rest in rests):
        rests.append(Rest(ids[shot["disc"]], "hole" if shot["twenty"] else "ditch"))
    return rests


def main(truth_path: str, video: str, out: str) -> None:
    """Write the log, copy the video."""
    truth = json.loads(Path(truth_path).read_text())
    seats, board = truth["truth"]["seats"], truth["truth"]["board"]
    sides = [seats["A"], seats["C"]]
    first = truth["rounds"][0]
    options = {"sides": sides, "discs": first["discs_each_side"], "first": first["first_seat"]}
    options["rounds"] = len(truth["rounds"])
    log = MatchLog(Crokinole(options), (), {"names": dict(zip(sides, NAMES, strict=True)), "title": "Sample match"})
    for round_ in truth["rounds"]:
        ids: dict[int, int] = {}
        lying: dict[int, dict[str, Any]] = {}
        for shot in [s for s in truth["shots"] if s["round"] == round_["number"]]:
            ids[shot["disc"]] = len(ids) + 1
            touched = tuple(ids[i] for i in shot["touched"] if i in ids)
            event = Shot(shot["seat"], ids[shot["disc"]], touched, tuple(rests_of(shot, ids, lying, board)))
            log.observe(event, round(shot["settled_s"], 2), "truth")
            outcome = log.state.outcome
            if (outcome.valid, outcome.rule) != (shot["valid"], shot["rule"]) or outcome.undecided:
                raise SystemExit(f"shot {shot['number']}: {outcome} is not the truth's")
            lying = {d["id"]: d for d in shot["board_after"]}
        log.observe(Recorded(), round(round_["scored_s"], 2), "truth")
        points = dict(zip(sides, log.state.played[-1].points, strict=True))
        if points != round_["points"]:
            raise SystemExit(f"round {round_['number']}: {points}, the truth has {round_['points']}")
    Path(out + ".log.jsonl").write_text(to_text(log), encoding="utf-8")
    shutil.copyfile(video, out + ".mp4")


if __name__ == "__main__":
    main(*sys.argv[1:])
