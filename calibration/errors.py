"""The one error hierarchy, on the lowest floor so that every floor can raise from it.

A message names the input, says what is wrong with it and what to do next. ``code`` is the word that
programs read (``--json`` prints it), ``exit_status`` what the process returns.
"""


class TableError(Exception):
    """Base of every error raised on purpose; ``code`` and ``exit_status`` are the machine's view."""

    exit_status = 2

    def __init__(self, message: str, *, code: str = "bad_option") -> None:
        super().__init__(message)
        self.code = code


class UnusableInputError(TableError):
    """An input (picture, video, profile, option) that can't be used at all: exit status 2."""


class NotFoundError(TableError):
    """The picture was readable, but what was asked for isn't in it: exit status 3."""

    exit_status = 3
