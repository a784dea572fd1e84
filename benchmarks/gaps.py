"""The table of every gap: what is true, what was measured, how sure it was; with a plot. One command.

    python benchmarks/gaps.py [--held-out] [--out benchmarks/results] [--only TEXT]

Reads the rendered scenes under ``$REFEREE_DATA`` (``../shared`` unless set) by the real pipeline: board, discs, gaps.
With ``--held-out`` each is measured by the one of two pairs of networks that it didn't teach (``training/held_out``,
by ``training/train_gaps.py`` and ``training/train_lines.py`` with ``--fold``), which is how well new pictures are
measured; without, by the networks that are shipped, which learnt from all of them.
"""

import argparse
import csv
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from truth import NEAR_RADII, ROOT, SHARED, options_of

from calibration.errors import TableError
from calibration.view import BoardView
from referee.crokinole_reader import hints_for, solve_view
from vision.contact_net import ContactNet, load
from vision.contacts import measure
from vision.discs import read_discs
from vision.frames import load_picture
from vision.networks import read_network, use_network
from vision.readings import Disc

HELD_OUT = ROOT / "training" / "held_out"
KINDS = ("crokinole", "crokinole_variants")
NEAR_MM = 3.0
"""Only gaps within this are judged: farther ones decide nothing."""
COLUMNS = (
    "picture",
    "line",
    "true_mm",
    "measured_mm",
    "sigma_mm",
    "verdict",
    "tilt_deg",
    "px_per_mm",
    "view_tan",
    "cosine",
    "edge",
    "pose",
    "line_edge",
    "radius",
    "height",
)
Row = dict[str, Any]


@dataclass(frozen=True)
class Summary:
    """The figures by which gaps are judged (see ``summarise``)."""

    gaps: int
    measured: int
    median: float
    worst_5: float
    spread: float
    inside_95: float
    wrong_sure: int
    sure: int
    too_close: float

    def __str__(self) -> str:
        """Return one line of figures."""
        return (
            f"{self.measured} of {self.gaps} measured; |error| median {self.median:.3f}, 95 % {self.worst_5:.3f} mm; "
            f"spread {self.spread:.2f}; inside 95 % {100 * self.inside_95:.1f} %; "
            f"wrong though sure {self.wrong_sure} of {self.sure}; too close {100 * self.too_close:.1f} %"
        )


def untaught_by(picture: Path) -> ContactNet:
    """The network that learnt from the other half of the scenes, those of other parity; that for lines is taken too."""
    half = 1 - int(picture.stem[1:]) % 2
    use_network(read_network(HELD_OUT / f"lines_{half}.onnx"), "lines")
    return load(HELD_OUT / f"contacts_{half}.onnx")


def rows_of(picture: Path, truth: dict[str, Any], net: ContactNet | None) -> list[Row]:
    """One row for each true gap within :data:`NEAR_MM` of one picture."""
    wanted = [d for d in truth["discs"] if d.get("gaps") and not d.get("unsure") and d.get("state") != "ditch"]
    found: tuple[Disc, ...] = ()
    shown = np.zeros((0, 2))
    view: BoardView | None = None
    try:
        frame = load_picture(picture)
        view = solve_view(frame, hints_for(frame, options_of(truth)))
        seen = read_discs(frame.pixels, view)
        radius = (seen.disc_radius_mm, seen.disc_radius_sigma_mm)
        found = measure(frame.pixels, view, seen.discs, radius=radius, net=net)
        shown = frame.to_shown(np.array([d.px for d in found]))
    except TableError as error:
        print(f"{picture.name}: {error}")
    out = []
    for true in wanted:
        away = np.linalg.norm(shown - true["px"], axis=1)
        near = len(found) > 0 and away.min() < NEAR_RADII * true["radius_px"]
        disc = found[int(away.argmin())] if near else None
        for line, gap in true["gaps"].items():
            if abs(gap) <= NEAR_MM:
                row: Row = dict.fromkeys(COLUMNS, "")
                row |= {"picture": f"{picture.parent.name}/{picture.stem}", "line": line, "true_mm": round(gap, 4)}
                row["tilt_deg"] = round(truth.get("tilt_deg", 0.0), 1)
                contact = next((c for c in disc.lines if c.line == line), None) if disc else None
                if contact and disc and view:
                    place = np.array(disc.mm)
                    outward = math.atan2(place[1], place[0]) - view.towards_camera(place)
                    parts = dict(contact.parts)
                    row |= {
                        "measured_mm": round(contact.gap_mm, 4),
                        "sigma_mm": round(contact.sigma_mm, 4),
                        "verdict": contact.verdict,
                        "px_per_mm": round(view.px_per_mm(place), 3),
                        "view_tan": round(math.tan(view.view_angle(place)), 3),
                        "cosine": round(math.cos(outward), 3),
                        "line_edge": round(parts["line"], 4),
                    } | {k: round(parts[k], 4) for k in ("edge", "pose", "radius", "height")}
                out.append(row)
    return out


def summarise(rows: list[Row]) -> Summary:
    """Figures over rows: errors, spread of error / sigma (median-based, 1 is honest), coverage, verdicts."""
    known = [r for r in rows if r["measured_mm"] != ""]
    error = np.array([abs(r["measured_mm"] - r["true_mm"]) for r in known])
    z = error / np.array([r["sigma_mm"] for r in known])
    sure = [r for r in known if r["verdict"] != "too_close"]
    wrong = [r for r in sure if (r["verdict"] == "clear") != (r["true_mm"] > 0)]
    return Summary(
        len(rows),
        len(known),
        float(np.median(error)),
        float(np.percentile(error, 95)),
        float(1.4826 * np.median(z)),
        float((z <= 1.96).mean()),
        len(wrong),
        len(sure),
        1 - len(sure) / max(len(known), 1),
    )


def plot(rows: list[Row], path: Path) -> None:
    """Draw error against tilt, and how often intervals of k sigma hold the truth against how often they should."""
    import matplotlib as mpl  # noqa: PLC0415  an extra that only this function needs

    mpl.use("Agg")
    import matplotlib.pyplot as plt  # noqa: PLC0415

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
    for kind, colour in zip(KINDS, ("tab:blue", "tab:orange"), strict=True):
        known = [r for r in rows if r["picture"].startswith(kind + "/") and r["measured_mm"] != ""]
        if not known:
            continue
        error = np.array([r["measured_mm"] - r["true_mm"] for r in known])
        sigma = np.array([r["sigma_mm"] for r in known])
        left.errorbar(
            [r["tilt_deg"] for r in known],
            error,
            yerr=sigma,
            fmt=".",
            ms=4,
            lw=0.4,
            color=colour,
            alpha=0.7,
            label=kind,
        )
        share = np.arange(1, len(known) + 1) / len(known)
        p = np.sort([math.erf(v / math.sqrt(2)) for v in np.abs(error) / sigma])
        right.plot(p, share, color=colour, label=kind)
    left.axhline(0, color="grey", lw=0.5)
    left.set(xlabel="tilt of the camera, degrees", ylabel="measured minus true gap, mm (bars: 1 sigma)")
    right.plot([0, 1], [0, 1], color="grey", lw=0.5)
    right.set(xlabel="interval's nominal probability", ylabel="share of true gaps inside")
    left.legend()
    figure.savefig(path, dpi=110)
    plt.close(figure)


def main() -> None:
    """Measure, write the table and the plot, print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results"))
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    rows: list[Row] = []
    for kind in KINDS:
        for path in sorted((SHARED / "scenes" / kind).glob("*.truth.json")):
            truth = json.loads(path.read_text())
            if truth.get("nothing"):
                continue
            picture = path.with_name(path.name.replace(".truth.json", ".jpg"))
            if options.only in str(picture):
                rows += rows_of(picture, truth, untaught_by(picture) if options.held_out else None)
    options.out.mkdir(parents=True, exist_ok=True)
    name = "gaps_held_out" if options.held_out else "gaps"
    with (options.out / f"{name}.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    plot(rows, options.out / f"{name}.png")
    for kind in KINDS:
        some = [r for r in rows if r["picture"].startswith(kind + "/")]
        if some:
            print(f"{kind}: {summarise(some)}")


if __name__ == "__main__":
    main()
