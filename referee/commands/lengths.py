"""The types of options that give lengths in millimetres."""

import math
from typing import Any

import click


class Millimetres(click.FloatRange):
    """A number within bounds; 'nan', which no bound holds back, is none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Convert, or fail with a usage error."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a length in millimetres.", param, ctx)
        return number


SHOOTING_LINE = Millimetres(100.0, 600.0)
"""Radii of shooting lines from a travel board's to a giant's; beyond, it was a diameter, inches or centimetres."""
DISC = Millimetres(10.0, 80.0)
"""Diameters of discs, from a travel board's to a giant's."""
