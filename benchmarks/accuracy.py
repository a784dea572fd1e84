"""How often readings are right on pictures with truth: the samples, and the shared data where it is there.

    python benchmarks/accuracy.py [FOLDER ...] [--save]

Prints a line a folder and, with --save, stores a table with a row a picture in benchmarks/results/, so that a change
shows which pictures it helped and which it hurt.
"""

import argparse
import csv
import json
import math
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from truth import NEAR_RADII, ROOT, SHARED, options_of

from calibration.errors import TableError
from referee.crokinole_json import reading_json
from referee.crokinole_reader import hints_for, read_crokinole
from vision.frames import load_picture
from vision.pairing import nearest_pairs

FOLDERS = ("scenes/crokinole", "scenes/crokinole_variants", "photos/crokinole")

FLAT = {"leaning": "board"}


def match(found: list[dict[str, Any]], true: list[dict[str, Any]], radius: float) -> list[tuple[int, int]]:
    """Pairs (found, true) by distance in the picture, nearest first."""
    return nearest_pairs(
        (math.dist(f["px"], t["px"]), i, j)
        for i, f in enumerate(found)
        for j, t in enumerate(true)
        if math.dist(f["px"], t["px"]) <= NEAR_RADII * t.get("radius_px", radius)
    )


def by_side(reading: dict[str, Any], pairs: list[tuple[dict[str, Any], dict[str, Any]]]) -> dict[str, str] | None:
    """Word of the reading -> side of the truth; None where one word stands for two sides or the other way round."""
    word: dict[str, str] = {}
    for f, t in pairs:
        if word.setdefault(f["colour"], t["side"]) != t["side"] and not t.get("unsure"):
            return None
    return word if len(set(word.values())) == len(word) else None


def judge(path: Path, truth: dict[str, Any]) -> dict[str, Any]:
    """Read one picture and compare; a row for the table."""
    row: dict[str, Any] = {"picture": path.name, "outcome": "read", "ms": 0, "true": 0, "right": 0, "misread": 0,
                           "missed": 0, "invented": 0, "score": "", "sure": "", "honest": "", "clear": "",
                           "residual_px": "", "tilt_deg": "", "stages": ""}  # fmt: skip
    start = time.perf_counter()
    try:
        frame = load_picture(path)
        reading = reading_json(read_crokinole(frame, hints_for(frame, options_of(truth))), 0.0)
    except TableError as error:
        row.update(outcome=error.code, ms=round(1000 * (time.perf_counter() - start)))
        if truth.get("nothing"):
            row.update(outcome="refused rightly")
        else:
            row["missed"] = row["true"] = sum(not d.get("unsure") and d["state"] != "ditch" for d in truth["discs"])
        return row
    row["ms"] = round(1000 * (time.perf_counter() - start))
    row["stages"] = " ".join(f"{name}={ms:.0f}" for name, ms in reading["stages_ms"].items())
    if truth.get("nothing"):
        row.update(outcome="invented board")
        return row
    found = [d for d in reading["discs"] if d["state"] != "ditch"]
    true = [d for d in truth["discs"] if d.get("state") != "ditch"]
    index = match(found, true, truth.get("radius_px", 20))
    pairs = [(found[i], true[j]) for i, j in index]
    sure = [(f, t) for f, t in pairs if not t.get("unsure")]
    right = [
        f["value"] == t["value"]
        and (t.get("state") is None or FLAT.get(f["state"], f["state"]) == FLAT.get(t["state"], t["state"]))
        for f, t in sure
    ]
    row["true"] = sum(not d.get("unsure") for d in true)
    row["right"], row["misread"] = sum(right), len(right) - sum(right)
    row["missed"], row["invented"] = row["true"] - len(sure), len(found) - len(pairs)
    row["residual_px"] = reading["board"]["residual_px"]
    row["tilt_deg"] = reading["camera"]["tilt_deg"]
    row["clear"] = all(abs(g) >= 0.5 for t in true for g in (t.get("gaps") or {}).values())
    word = by_side(reading, pairs)
    if truth.get("score") is not None:
        allowed = [{s: p for s, p in sc.items() if p} for sc in (truth["score"], *truth.get("also_score", []))]
        named = {(word or {}).get(w, w): p for w, p in reading["score"].items() if p}
        row["score"] = word is not None and named in allowed
        row["sure"] = reading["score_sure"]
        ranges = {(word or {}).get(w, w): r for w, r in reading["score_range"].items()}
        held = any(
            all(r[0] <= sc.get(s, 0) <= r[1] for s, r in ranges.items()) and set(sc) <= set(ranges) for sc in allowed
        )
        row["honest"] = row["score"] or (not row["sure"] and held)
    return row


def report(name: str, rows: list[dict[str, Any]]) -> None:
    """Print one folder's figures."""
    scored = [r for r in rows if r["score"] != ""]
    total = {k: sum(r[k] for r in rows) for k in ("true", "right", "misread", "missed", "invented")}
    wrong = [r["picture"] for r in scored if not r["score"] and r["sure"]]
    doubted = [r for r in scored if r["score"] and not r["sure"] and r["clear"]]
    refused = [r["picture"] for r in rows if r["outcome"] not in ("read", "refused rightly")]
    print(f"\n== {name}: {len(rows)} pictures, not read {refused or 'none'}")
    print(f"   pieces {total['true']}: right {total['right']}, misread {total['misread']}, missed {total['missed']}, "
          f"invented {total['invented']}")  # fmt: skip
    print(f"   score right {sum(map(bool, (r['score'] for r in scored)))} of {len(scored)}, honest "
          f"{sum(bool(r['honest']) for r in scored)}, wrong though sure {wrong or 'none'}, needless doubt "
          f"{len(doubted)} (clear pictures)")  # fmt: skip
    print(f"   median {statistics.median(r['ms'] for r in rows):.0f} ms a picture")


def main() -> int:
    """Judge all folders; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--save", action="store_true", help="store the tables in benchmarks/results/")
    options = parser.parse_args()
    folders = options.folders or [ROOT / "sample_images", *(SHARED / f for f in FOLDERS if (SHARED / f).is_dir())]
    for folder in folders:
        rows = []
        for truth_path in sorted(folder.glob("*.truth.json")):
            truth = json.loads(truth_path.read_text())
            rows.append(judge(folder / truth["image"], truth))
        if not rows:
            print(f"{folder}: no pictures with truth", file=sys.stderr)
            continue
        report("/".join(folder.resolve().parts[-2:]), rows)
        if options.save:
            target = ROOT / "benchmarks" / "results" / f"{folder.resolve().name}.csv"
            target.parent.mkdir(exist_ok=True)
            with target.open("w", newline="") as file:
                writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)
            print(f"   -> {target.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
