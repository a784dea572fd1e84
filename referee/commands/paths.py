"""The type of arguments and options that name a file or folder."""

from pathlib import Path
from typing import Any

import click


class FilePath(click.Path):  # type: ignore[type-arg,unused-ignore]  # generic in newer versions only
    """A path; an empty one, which the system would take for the working folder, is none."""

    def __init__(self, *, file_okay: bool = True, dir_okay: bool = True) -> None:
        super().__init__(file_okay=file_okay, dir_okay=dir_okay, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Convert, or fail with a usage error."""
        if value == "":
            self.fail("the name is empty; name a file or folder.", param, ctx)
        return super().convert(value, param, ctx)
