"""``referee audit``: evidence for a line call, its verification, and a judge's ruling on it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from referee.commands.lengths import DISC, SHOOTING_LINE
from referee.commands.paths import FilePath

if TYPE_CHECKING:
    from referee.audit_source import Source
    from referee.crokinole_reader import CrokinoleReading
    from referee.known import Known

F = TypeVar("F", bound=Callable[..., Any])

OPTIONS = ("camera", "board", "table", "shooting-line", "disc-mm")
"""What may be known before the picture is looked at, as in ``referee read``."""


class PictureFirst(click.Group):
    """A group whose first word may be a picture instead of a command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the command ``call`` before whatever isn't a command."""
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = ["call", *args]
        return super().parse_args(ctx, args)


@click.group(cls=PictureFirst, no_args_is_help=False)
def audit() -> None:
    """Prove a line call: 'referee audit PICTURE|VIDEO@SECONDS -o FOLDER' measures it, draws it and reports it.

    FOLDER gets report.pdf and report.html (a page a call), evidence.json, manifest.json with the SHA-256 of everything,
    and the pictures. 'referee audit call --help' shows the options.
    """


class Point(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # generic in newer versions only
    """Two numbers by a comma: a point of the picture in pixels."""

    name = "X,Y"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, float]:
        """Return the two numbers."""
        if isinstance(value, tuple):
            return float(value[0]), float(value[1])
        try:
            x, y = (float(part) for part in str(value).split(","))
        except ValueError:
            self.fail(f"{value!r} is not of the form X,Y", param, ctx)
        return x, y


@audit.command()
@click.argument("target", metavar="PICTURE|VIDEO@SECONDS")
@click.option("--disc", type=click.IntRange(min=1), metavar="ID", help="The disc, by its number in 'referee read'.")
@click.option("--at", type=Point(), help="The disc, by a point on it in pixels of the picture.")
@click.option("-o", "--output", type=FilePath(), required=True, metavar="FOLDER", help="A new folder.")
@click.option("--camera", type=FilePath(), help="Camera profile from 'referee calibrate camera'.")
@click.option("--board", help="Board geometry: a built-in name (nca, family) or a board file.")
@click.option("--table", type=FilePath(), help="A fixed camera's set-up from 'referee calibrate board'.")
@click.option("--shooting-line", type=SHOOTING_LINE, metavar="MM", help="Radius of the shooting line.")
@click.option("--disc-mm", type=DISC, metavar="MM", help="Diameter of the discs.")
@click.option("--copy-original", is_flag=True, help="Copy the original into FOLDER too.")
@click.option("--json", "as_json", is_flag=True, help="Print the calls as evidence.json has them.")
def call(
    *,
    target: str,
    disc: int | None,
    at: tuple[float, float] | None,
    output: Path,
    camera: Path | None,
    board: str | None,
    table: Path | None,
    shooting_line: float | None,
    disc_mm: float | None,
    copy_original: bool,
    as_json: bool,
) -> int:
    """Measure the calls in a picture, or in a video at one moment: one disc's, or those of all discs near a line."""
    if disc is not None and at is not None:
        raise click.UsageError("--disc and --at name the same thing: give one of them")
    from referee.audit import Asked, build_audit
    from referee.audit_files import EVIDENCE, require_free
    from referee.audit_source import load, parse_target
    from referee.known import Known

    wanted = parse_target(target)
    require_free(output)
    known = Known(camera, board, table, shooting_line, disc_mm)
    source = load(wanted)
    reading = measured(source, known)
    given = dict(zip(OPTIONS, (camera, board, table, shooting_line, disc_mm), strict=True))
    settings = {name: str(v) if isinstance(v, Path) else v for name, v in given.items() if v is not None}
    named = {"camera": camera, "board": None if board is None else Path(board), "table": table}
    files = {name: path for name, path in named.items() if path is not None and path.is_file()}
    made = build_audit(source, reading, Asked(disc, at), settings=settings, files=files)
    evidence = made.write(output, copy_original=copy_original)
    if as_json:
        click.echo(json.dumps(made.calls))
        return 0
    for page in made.pages:
        click.echo(f"{page.place}: {page.verdict} ({page.figures[0][1]}, touching with {page.figures[1][1]})")
    click.echo(f"{output}: report.pdf, report.html, {EVIDENCE}; evidence {evidence}")
    return 0


def measured(source: "Source", known: "Known") -> "CrokinoleReading":
    """Read the source's frame with what is known."""
    from referee.crokinole_reader import read_crokinole

    return read_crokinole(source.frame, known.hints(source.frame), known.view(source.frame))


@audit.command()
@click.argument("folder", type=FilePath(file_okay=False))
@click.option("--original", type=FilePath(), help="Where the original is now, if it was moved.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def verify(*, folder: Path, original: Path | None, as_json: bool) -> int:
    """Compute all hashes of FOLDER again and, where the original is found, measure again and compare.

    Exit status 0 when nothing differs, 2 when something does.
    """
    from referee import audit_verify
    from referee.audit_files import read_folder

    audited = read_folder(folder)
    known = known_of(audited.evidence, folder)
    found = audit_verify.verify(audited, original, lambda source: measured(source, known))
    same = all(f.ok is not False for f in found)
    if as_json:
        findings = [{"ok": f.ok, "words": f.words} for f in found]
        said = {"schema": "verification/1", "same": same, "evidence": audited.hash, "findings": findings}
        click.echo(json.dumps(said))
    else:
        for finding in found:
            click.echo(f"{ {True: 'ok', False: 'DIFFERS', None: 'note'}[finding.ok]:<8}{finding.words}")
        click.echo(f"evidence {audited.hash}")
        foreign = sum(f.foreign for f in found)
        others = f"; what the folder holds besides ({foreign}) is not part of the audit" if foreign else ""
        click.echo(
            f"nothing differs{others}" if same else "this folder is not what was written, or can't be reproduced"
        )
    return 0 if same else 2


def known_of(evidence: dict[str, Any], folder: Path) -> "Known":
    """The options of an audit, with the copies of the files that it used."""
    from referee.known import Known

    settings = evidence.get("settings") or {}
    files = settings.get("files") or {}

    def path(name: str) -> Path | None:
        return folder / files[name] if name in files else None

    board = path("board")
    return Known(
        path("camera"),
        settings.get("board") if board is None else str(board),
        path("table"),
        settings.get("shooting-line"),
        settings.get("disc-mm"),
    )


@audit.command()
@click.argument("folder", type=FilePath(file_okay=False))
@click.argument("log_path", metavar="LOG", type=FilePath(dir_okay=False))
@click.option("--disc", type=click.IntRange(min=1), required=True, metavar="ID", help="The disc's number in the match.")
@click.option("--value", type=click.IntRange(0, 15), required=True, help="What it counts.")
@click.option("--who", required=True, help="Who ruled.")
@click.option("--why", help="The reason, in the judge's words.")
@click.option("--call", "call_id", type=click.IntRange(min=1), metavar="ID", help="The disc's number in the audit.")
@click.option("--entry", type=click.IntRange(min=1), metavar="N", help="The shot's entry [the disc's last].")
def rule(
    *,
    folder: Path,
    log_path: Path,
    disc: int,
    value: int,
    who: str,
    why: str | None,
    call_id: int | None,
    entry: int | None,
) -> None:
    """Add a judge's decision on the call in FOLDER to the match LOG, with the evidence's hash.

    It holds against what was measured, and can be taken back: 'undo' in 'referee sheet'.
    """
    from referee.audit_files import read_folder
    from referee.audit_ruling import Ruling
    from referee.audit_ruling import rule as decide

    audited = read_folder(folder)
    change = decide(audited, log_path, Ruling(disc, value, who, why, call_id, entry))
    click.echo(f"entry {change.entry.number}: disc {disc} counts {value}, ruled by {change.entry.who}; {change}")
