"""Recalibrate the gap's sigma on gaps that the network never saw.

    python benchmarks/gaps.py --held-out && python -m training.fit_gap_sigma

Reads the table of gaps measured by networks that hadn't seen these scenes and fits ``EDGE`` of
``vision/contact_sigma.py``: the log of the edges' sigma as a line in the log of what the network said, log pixels a
millimetre, tangent of the view angle and direction to the camera, by the likelihood of Student's t with all the other
parts of the budget held. Prints the coefficients, and the spread and coverage that they give.
"""

import argparse
import csv
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vision.contact_sigma import EDGE, EDGE_MIN_MM

NU = 6.0
"""Degrees of freedom: a few errors are far out, and they must not stretch all sigmas."""
STRETCH = 2.447 / 1.96
"""What makes 1.96 sigma the 95 % interval of the heavy-tailed law: Student's t has 2.447 there with NU = 6."""
STEP, DAMPING, ROUNDS = 1e-3, 1e-3, 100
MIDDLE = np.array([0.0, 1.0, 0.0, 0.0, 0.0])
PRIOR = np.array([0.6, 0.25, 0.3, 0.3, 0.15])
"""Spread of the coefficients about MIDDLE: a few hundred gaps must not bend the law."""

Array = NDArray[np.float64]


def load(path: Path) -> tuple[Array, Array, Array]:
    """Errors (N,), terms (N, 5) of the law with the network's own sigma, variance (N,) of all other parts, in mm."""
    with path.open() as file:
        rows = [r for r in csv.DictReader(file) if r["measured_mm"]]
    number = {k: np.array([float(r[k]) for r in rows]) for k in rows[0] if k not in ("picture", "line", "verdict")}
    error = number["measured_mm"] - number["true_mm"]
    rest = np.column_stack(
        [np.ones(len(rows)), np.log(number["px_per_mm"]), number["view_tan"], number["cosine"]]
    ) @ np.array([EDGE[0], *EDGE[2:]])
    said = (np.log(number["edge"]) - rest) / EDGE[1]
    terms = np.column_stack(
        [np.ones(len(rows)), said, np.log(number["px_per_mm"]), number["view_tan"], number["cosine"]]
    )
    others = sum(number[k] ** 2 for k in ("pose", "line_edge", "radius", "height"))
    return error, terms, np.asarray(others)


def total(law: Array, terms: Array, others: Array) -> Array:
    """Sigma (N,) in mm of gaps by a law (5,)."""
    return np.sqrt(np.maximum(np.exp(terms @ law), EDGE_MIN_MM) ** 2 + others)


def cost(law: Array, error: Array, terms: Array, others: Array) -> float:
    """Negative log likelihood of errors (N,) by Student's t, and of the law by its prior."""
    sigma = total(law, terms, others) / STRETCH
    loss = (np.log(sigma) + (NU + 1) / 2 * np.log1p((error / sigma) ** 2 / NU)).sum()
    return float(loss + (((law - MIDDLE) / PRIOR) ** 2).sum() / 2)


def fitted(error: Array, terms: Array, others: Array) -> Array:
    """The law (5,) of least cost, by damped Newton steps with derivatives by differences."""
    law, n = MIDDLE.copy(), len(MIDDLE)
    unit = STEP * np.eye(n)
    for _ in range(ROUNDS):
        now = cost(law, error, terms, others)
        ahead = np.array([cost(law + u, error, terms, others) for u in unit])
        back = np.array([cost(law - u, error, terms, others) for u in unit])
        slope = (ahead - back) / (2 * STEP)
        bend = np.diag((ahead - 2 * now + back) / STEP**2)
        for i in range(n):
            for j in range(i):
                both = cost(law + unit[i] + unit[j], error, terms, others)
                bend[i, j] = bend[j, i] = (both - ahead[i] - ahead[j] + now) / STEP**2
        values, ways = np.linalg.eigh(bend)
        step = -ways @ ((ways.T @ slope) / np.maximum(np.abs(values), DAMPING))
        while cost(law + step, error, terms, others) > now and np.abs(step).max() > 1e-6:
            step /= 2
        law = law + step
        if np.abs(step).max() < 1e-4:
            break
    return law


def main() -> None:
    """Fit and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("table", type=Path, nargs="?", default=Path("benchmarks/results/gaps_held_out.csv"))
    error, terms, others = load(parser.parse_args().table)
    law = fitted(error, terms, others)
    z = np.abs(error) / total(law, terms, others)
    print("EDGE = (" + ", ".join(f"{v:.3f}" for v in law) + ")")
    print(f"{len(z)} gaps: spread {1.4826 * np.median(z):.2f}, inside 95 % {100 * (z <= 1.96).mean():.1f} %")


if __name__ == "__main__":
    main()
