"""The command line: finds the command, turns errors into one line and an exit status.

Commands live in ``referee.commands``, one module each with a click command of the same name, and are
imported only when called, so that ``referee rules`` never waits for OpenCV.
"""

import importlib
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from calibration.errors import TableError
from referee import __version__
from referee.rules.protocol import RuleError

PIPE_CLOSED = 1
"""The exit status of a program whose output nobody reads any more, as click gives it while a command runs."""

COMMANDS = ("read", "score", "calibrate", "sheet", "replay", "rules", "backup", "watch", "audit")


class LazyGroup(click.Group):
    """A click group whose commands are imported when they are first asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, in the order of the help page."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return one command, or None when there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"referee.commands.{cmd_name}")
        command = getattr(module, cmd_name)
        assert isinstance(command, click.Command)
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="referee")
def app() -> None:
    """Read a game table through a camera, apply the rules, keep the score, prove a call."""


def fail(message: str, code: str, status: int, as_json: bool) -> int:
    """Print one line on standard error, and the error object on standard output for ``--json``."""
    if as_json:
        click.echo(json.dumps({"error": {"code": code, "message": message}}))
    click.echo(f"referee: {message}", err=True)
    return status


def asks_json(args: Sequence[str]) -> bool:
    """Whether failures are to be told as JSON too, even that of a call that couldn't be parsed."""
    options = args[: args.index("--")] if "--" in args else args
    return any(a == "--json" or a.startswith("--json=") for a in options)


def main(argv: list[str] | None = None) -> int:
    """Run the command line; returns the exit status (0 done, 2 unusable, 3 not in the picture)."""
    args = sys.argv[1:] if argv is None else argv
    as_json = asks_json(args)
    try:
        result: Any = app.main(args=args, standalone_mode=False, prog_name="referee")
    except click.UsageError as error:
        hint = f" (see '{error.ctx.command_path} --help')" if error.ctx else ""
        return fail(error.format_message() + hint, "bad_option", 2, as_json)
    except click.ClickException as error:
        return fail(error.format_message(), "bad_option", 2, as_json)
    except (click.Abort, KeyboardInterrupt):
        click.echo("referee: stopped", err=True)
        return 130
    except TableError as error:
        return fail(str(error), error.code, error.exit_status, as_json)
    except RuleError as error:
        return fail(str(error), "against_the_rules", 2, as_json)
    return result if isinstance(result, int) else 0


def run() -> None:
    """Entry point of the ``referee`` script; whoever reads its output may stop before the end (``| head``)."""
    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:
        # what Python would still write at its end goes nowhere, too
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = PIPE_CLOSED
    sys.exit(status)


if __name__ == "__main__":
    run()
