"""Pairs things of two lists, such as what was seen before and what is seen now, by how far apart they are."""

from collections.abc import Iterable


def nearest_pairs(ways: Iterable[tuple[float, int, int]]) -> list[tuple[int, int]]:
    """Pairs (i, j) out of possible ones (distance, i, j), the nearest first, so that each i and each j has but one."""
    pairs: list[tuple[int, int]] = []
    used_i: set[int] = set()
    used_j: set[int] = set()
    for _, i, j in sorted(ways):
        if i not in used_i and j not in used_j:
            used_i.add(i)
            used_j.add(j)
            pairs.append((i, j))
    return pairs
