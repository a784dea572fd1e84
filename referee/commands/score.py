"""``referee score``: a recorded match to shots, rounds and a score, with a list of what a person should look at."""

import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from calibration.errors import TableError, UnusableInputError
from referee.commands.lengths import DISC, SHOOTING_LINE
from referee.commands.paths import FilePath

if TYPE_CHECKING:
    from calibration.hints import BoardHints
    from referee.match_files import Targets
    from referee.match_json import Agreed
    from referee.match_score import Progress, Scored

PRESETS = ("family", "match-play", "nca")
PLAYERS = ("2", "3", "2v1", "4")
CLIP_BEFORE_S, CLIP_AFTER_S = 2.0, 2.0
"""A clip of a shot begins this long before the disc leaves the line and ends this long after everything lies still."""
SHOT_LEAST_S = 1.0
"""No shot with the rest after it is shorter."""
STOPPED = 130
"""Exit status of a job that was put aside with Ctrl-C."""


@click.command()
@click.argument("videos", nargs=-1, required=True, type=FilePath(), metavar="VIDEO...")
@click.option(
    "--game", type=click.Choice(("crokinole",)), default="crokinole", show_default=True, help="What is played."
)
@click.option("--players", type=click.Choice(PLAYERS), help="Who plays (2v1: two against one); found where left out.")
@click.option("--preset", type=click.Choice(PRESETS), help="How rounds are scored (family unless given).")
@click.option("--first", type=click.Choice(("A", "B", "C", "D")), help="The seat that opened round 1.")
@click.option("--discs", type=click.IntRange(1, 24), help="Discs a side in a round.")
@click.option("--board", help="Board geometry: a built-in name (nca, family) or a board file.")
@click.option("--shooting-line", type=SHOOTING_LINE, metavar="MM", help="Radius of the shooting line.")
@click.option("--disc-mm", "--disc", type=DISC, metavar="MM", help="Diameter of the discs.")
@click.option("--json", "json_path", type=FilePath(), help="Write the result for programs there.")
@click.option("--csv", "csv_path", type=FilePath(), help="Write the shots as a table.")
@click.option("--log", "log_path", type=FilePath(), help="Write the match log.")
@click.option("--cmn", "cmn_path", type=FilePath(), help="Write the match as CMN, once it is over.")
@click.option("--report", "report_path", type=FilePath(), help="Write a page with everything.")
@click.option("--out", "folder", type=FilePath(), help="Write result, log, table and report there.")
@click.option("--annotate", "annotated", type=FilePath(), help="Write the video with all drawn into it.")
@click.option(
    "--clip", "clips", type=click.IntRange(1), multiple=True, metavar="N", help="Cut shot N out of the video, as it is."
)
@click.option("--jobs", type=click.IntRange(1, 64), default=1, show_default=True, help="Videos at once (with --out).")
@click.option("--review", is_flag=True, help="Walk through the open questions at the keyboard.")
@click.option("--quiet", is_flag=True, help="No progress bar.")
def score(
    videos: tuple[Path, ...],
    game: str,
    players: str | None,
    preset: str | None,
    first: str | None,
    discs: int | None,
    board: str | None,
    shooting_line: float | None,
    disc_mm: float | None,
    json_path: Path | None,
    csv_path: Path | None,
    log_path: Path | None,
    cmn_path: Path | None,
    report_path: Path | None,
    folder: Path | None,
    annotated: Path | None,
    clips: tuple[int, ...],
    jobs: int,
    review: bool,
    quiet: bool,
) -> int:
    """Score the match recorded in VIDEO: every shot, every round, and what a person should look at."""
    from calibration.hints import BoardHints
    from referee.match_files import Targets, make_folder
    from referee.match_json import Agreed
    from referee.outputs import VIDEOS, require_outputs, require_suffix

    targets = Targets(json_path, csv_path, log_path, cmn_path, report_path)
    if len(videos) > 1 and (targets != Targets() or annotated or clips or review):
        raise click.UsageError("several videos are written with --out FOLDER; the other outputs are for one")
    if len(videos) > 1 and folder is None:
        raise click.UsageError("several videos need --out FOLDER")
    if folder is not None:
        make_folder(folder)
    if annotated is not None:
        require_suffix("--annotate", annotated, VIDEOS, "videos")
    cut = {f"--clip {number}": clip_path(videos[0], number) for number in clips}
    inputs = [*(("a video" if len(videos) > 1 else "the video", v) for v in videos), ("the board's file", board)]
    for video in videos:
        written = targets if folder is None else targets.or_else(Targets.in_folder(folder, video.stem))
        require_outputs({**written.named(), "--annotate": annotated, **cut}, inputs)
    model = None
    if board is not None:
        from calibration import profiles  # pydantic takes 0.1 s to load

        model = profiles.board_by_name(board)
    hints = BoardHints(board=model, shooting_mm=shooting_line, disc_mm=disc_mm)
    agreed = Agreed(players, preset, first, discs)
    require_setup(agreed)
    if folder is not None and len(videos) == 1:
        targets = targets.or_else(Targets.in_folder(folder, videos[0].stem))
    if len(videos) > 1:
        assert folder is not None
        return score_many(videos, agreed, hints, folder, jobs)
    return score_one(videos[0], agreed, hints, targets, annotated, clips, review, quiet)


def require_setup(agreed: "Agreed") -> None:
    """Refuse, before hours of work, options that no match can have; raises UnusableInputError."""
    from referee.rules.crokinole.setup import make_setup

    given = {"players": agreed.players, "preset": agreed.preset, "discs": agreed.discs}
    options = {name: item for name, item in given.items() if item is not None}
    try:
        make_setup(options)
    except ValueError as error:
        raise UnusableInputError(str(error)) from error


def score_one(
    video: Path, agreed: "Agreed", hints: "BoardHints", targets: "Targets",
    annotated: Path | None, clips: tuple[int, ...], review: bool, quiet: bool,
) -> int:  # fmt: skip
    """Score one video and write everything that is wanted of it."""
    from referee.match_files import failure_told, write_all, write_text
    from referee.match_json import match_json
    from referee.match_score import score_video

    with failure_told(targets.json), bar(video.name, quiet) as tell:
        require_room(video, clips)
        scored = score_video(video, agreed, hints, tell)
    data = match_json(scored.result, scored.info, video.name, scored.warnings)
    for note in write_all(targets, data, scored.log, scored.official.pictures, video):
        click.echo(f"note: {note}", err=True)
    print_match(data)
    cut_clips(video, data, clips)
    if annotated is not None:
        from referee.match_video import annotate

        duration = scored.info.duration_s
        with bar(annotated.name, quiet) as tell:
            annotate(video, annotated, data, scored.official.boards, lambda at: tell(at, duration))
    if review and data["review"]:
        from referee.logfile import to_text
        from referee.match_review import walk

        beside = (targets.log or video).parent
        made = walk(video, data, scored.log, beside, _ask, click.echo)
        if made and targets.log is not None:
            write_text(targets.log, to_text(scored.log))
        click.echo("score by the log: " + ", ".join(f"{side} {points}" for side, points in scored.log.score.items()))
    return 0 if scored.stopped is None else STOPPED


def _ask(words: str) -> str:
    return str(click.prompt(words, default="", show_default=False))


def clip_path(video: Path, shot: int) -> Path:
    """Where a shot that is cut out goes: into the working folder."""
    return Path(f"{video.stem}.shot{shot}{video.suffix}")


def require_room(video: Path, clips: tuple[int, ...]) -> None:
    """Refuse, before hours of work, a shot that the video is too short for; raises UnusableInputError."""
    from vision.video import VideoFile

    with VideoFile(video) as file:
        duration = file.info.duration_s
    for number in clips:
        if duration is not None and number > duration / SHOT_LEAST_S:
            raise UnusableInputError(f"--clip {number}: a video of {duration:.0f} s has no room for so many shots")


def cut_clips(video: Path, data: dict[str, Any], clips: tuple[int, ...]) -> None:
    """Cut shots out of the video, beside it in the working folder."""
    from vision.video import cut_clip

    shots = {s["number"]: s for s in data["shots"]}
    for number in clips:
        if number not in shots:
            raise UnusableInputError(f"--clip {number}: the video has {len(shots)} shots", code="bad_option")
        shot = shots[number]
        target = clip_path(video, number)
        cut_clip(video, max(shot["start_s"] - CLIP_BEFORE_S, 0.0), shot["settled_s"] + CLIP_AFTER_S, target)
        click.echo(f"wrote {target}")


def score_many(videos: tuple[Path, ...], agreed: "Agreed", hints: "BoardHints", folder: Path, jobs: int) -> int:
    """Score several videos, ``jobs`` at once; one that fails leaves the others be."""
    from multiprocessing import get_context

    names = [v.stem for v in videos]
    if len(set(names)) < len(names):
        raise click.UsageError("two videos have the same name; their results would overwrite each other")
    status = 0
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        waiting = {pool.submit(job, video, agreed, hints, folder): video for video in videos}
        for done in as_completed(waiting):
            try:
                click.echo(f"{waiting[done]}: {done.result()}")
            except TableError as error:
                click.echo(f"referee: {error}", err=True)
                status = status or error.exit_status
    return status


def job(video: Path, agreed: "Agreed", hints: "BoardHints", folder: Path) -> str:
    """One video of several, in a process of its own; returns its score in a line."""
    from referee.match_files import Targets, failure_told, write_all
    from referee.match_json import match_json
    from referee.match_score import score_video

    targets = Targets.in_folder(folder, video.stem)
    with failure_told(targets.json):
        scored: Scored = score_video(video, agreed, hints, lambda at, of: None)
    data = match_json(scored.result, scored.info, video.name, scored.warnings)
    write_all(targets, data, scored.log, scored.official.pictures, video)
    if not data["shots"]:
        return "no shot was seen"
    asked = f", {len(data['review'])} to look at" if data["review"] else ""
    return ", ".join(f"{c} {p}" for c, p in data["score"].items()) + f" after {len(data['shots'])} shots{asked}"


def bar(name: str, quiet: bool) -> "AbstractContextManager[Progress]":
    """A progress bar with the time left, on standard error; nothing where nobody watches."""
    from contextlib import contextmanager

    @contextmanager
    def show() -> Any:
        if quiet or not sys.stderr.isatty():
            yield lambda at, of: None
            return
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"),
                   TimeRemainingColumn(), TextColumn("left"))  # fmt: skip
        with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
            task = progress.add_task(name, total=None)
            yield lambda at, of: progress.update(task, completed=at, total=of)

    return show()


def print_match(data: dict[str, Any]) -> None:
    """Print the rounds, the score, and what to look at."""
    for r in data["rounds"]:
        points = ", ".join(f"{c} {p}" for c, p in (r["points"] or {}).items())
        click.echo(f"round {r['number']}: {points}" + ("" if r["complete"] else " (not complete)"))
    if data["shots"]:
        click.echo("score: " + ", ".join(f"{c} {p}" for c, p in data["score"].items()))
    for v in data["review"]:
        click.echo(f"look at {v['time_s']:.1f} s" + (f", shot {v['shot']}" if v["shot"] else "") + f": {v['why']}")
    for w in data["warnings"]:
        click.echo(f"note: {w}", err=True)
