"""``referee score``: a recorded match to shots, rounds and a score, with a list of what a person should look at."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from calibration.errors import NotFoundError, TableError, UnusableInputError

if TYPE_CHECKING:
    from calibration.hints import BoardHints
    from referee.match_json import Agreed, MatchResult
    from referee.officials.crokinole import CrokinoleOfficial
    from vision.video import VideoInfo

PRESETS = ("family", "match-play", "nca")
PLAYERS = ("2", "3", "2v1", "4")


@click.command()
@click.argument("videos", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="VIDEO...")
@click.option("--game", type=click.Choice(("crokinole",)), default="crokinole", show_default=True)
@click.option("--players", type=click.Choice(PLAYERS), help="Who plays (2v1: two against one); found where left out.")
@click.option("--preset", type=click.Choice(PRESETS), help="How rounds are scored (family unless given).")
@click.option("--first", type=click.Choice(("A", "B", "C", "D")), help="The seat that opened round 1.")
@click.option("--discs", type=click.IntRange(1, 24), help="Discs a side in a round.")
@click.option("--board", help="Board geometry: a built-in name (nca, family) or a board file.")
@click.option("--shooting-line", type=click.FloatRange(100, 600), metavar="MM", help="Radius of the shooting line.")
@click.option("--disc", "disc_mm", type=click.FloatRange(10, 80), metavar="MM", help="Diameter of the discs.")
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Write the result for programs there.")
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
) -> int:
    """Score the match recorded in VIDEO."""
    from calibration.hints import BoardHints
    from referee.match_json import Agreed

    agreed = Agreed(players, preset, first, discs)
    model = None
    if board is not None:
        from calibration import profiles

        model = profiles.board_by_name(board)
    hints = BoardHints(board=model, shooting_mm=shooting_line, disc_mm=disc_mm)
    for video in videos:
        result, info, warnings = score_video(video, agreed, hints)
        from referee.match_json import match_json

        data = match_json(result, info, video.name, warnings)
        if json_path is not None:
            write_text(json_path, json.dumps(data, indent=1, ensure_ascii=False) + "\n")
        print_match(data)
    return 0


def score_video(path: Path, agreed: "Agreed", hints: "BoardHints") -> "tuple[MatchResult, VideoInfo, list[str]]":
    """Watch a whole video; raises NotFoundError (no_board) where no board was ever found."""
    from referee.match_json import conclude
    from referee.officials.crokinole import CrokinoleOfficial
    from vision.video import VideoFile

    with VideoFile(path) as video:
        sides = 3 if agreed.players == "3" else 2
        official = CrokinoleOfficial(agreed.discs, sides, hints)
        for frame in video.frames():
            official.feed(frame)
        official.finish()
        if official.watch.view is None:
            refusal = official.watch.refusal
            why = "no board was found in it" if refusal is None else refusal.reason
            raise NotFoundError(f"{path}: {why}", code="no_board" if refusal is None else refusal.code)
        result = conclude(official.ledger, official.follower.sides.words(), agreed)
        warnings = [*video.warnings, *(f"{at:.1f} s: {why}" for at, why in official.watch.notes)]
        return result, video.info, warnings


def write_text(path: Path, text: str) -> None:
    """Write a file; raises TableError where that fails."""
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UnusableInputError(f"{path}: can't be written ({error.strerror or error})") from error


def print_match(data: dict[str, Any]) -> None:
    """Print the rounds, the score, and what to look at."""
    for r in data["rounds"]:
        points = ", ".join(f"{c} {p}" for c, p in (r["points"] or {}).items())
        click.echo(f"round {r['number']}: {points}" + ("" if r["complete"] else " (not complete)"))
    click.echo("score: " + ", ".join(f"{c} {p}" for c, p in data["score"].items()))
    for v in data["review"]:
        click.echo(f"look at {v['time_s']:.1f} s" + (f", shot {v['shot']}" if v["shot"] else "") + f": {v['why']}")
    for w in data["warnings"]:
        click.echo(f"note: {w}", err=True)


__all__ = ["TableError", "score", "score_video"]
