"""The types of options that give lengths in millimetres."""

import math
from typing import Any

import click


class Millimetres(click.FloatRange):
    """A number within bounds; 'nan', which no bound holds back, is none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Convert, or fail with a usage error."""
        try:
            no_number = math.isnan(float(value))
        except (TypeError, ValueError):
            no_number = False  # click says what is wrong with it
        if no_number:
            self.fail(f"{value!r} is not a number; give a length in millimetres.", param, ctx)
        return super().convert(value, param, ctx)


SHOOTING_LINE = Millimetres(100.0, 600.0)
"""Radii of shooting lines from a travel board's to a giant's; beyond, it was a diameter, inches or centimetres."""
DISC = Millimetres(10.0, 80.0)
"""Diameters of discs, from a travel board's to a giant's."""
