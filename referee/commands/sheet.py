"""``referee sheet GAME``: keep a match by keyboard, without any camera."""

import time
from pathlib import Path
from typing import Any

import click

from calibration.errors import UnusableInputError
from referee.commands.paths import FilePath
from referee.commands.replay import show_sheet, winners
from referee.keyboard import words_for
from referee.keyboard.words import Words
from referee.log import MatchLog
from referee.logfile import LogWriter, options_of, read_log
from referee.rules import GAMES
from referee.rules.protocol import RuleError

COMMON_HELP = """\
At any prompt:
  undo, redo          take back the last entry, bring it back; any number of times
  rule N EVENT        what happened in entry N after all; 'because ...' at the end keeps the reason
  insert N EVENT      an event that is missing before entry N
  strike N            entry N doesn't count
  score, log          the score sheet; all entries with their numbers
  quit                stop; the same command goes on later
  help, ?             this"""


def _options(given: tuple[str, ...], players: str | None, preset: str | None, game: str) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise click.BadParameter(f"{text!r} is not of the form NAME=VALUE", param_hint="--set")
        # a whole number, a list, a truth value or a text: the engines check what they need
        items = [int(v) if v.isdecimal() else v for v in value.split(",") if v]
        word: Any = {"true": True, "false": False}.get(value.lower(), items[0] if len(items) == 1 else items)
        options[name] = word
    if players is not None:
        options["players"] = players if game == "crokinole" else [p.strip() for p in players.split(",") if p.strip()]
    if preset is not None:
        options["preset"] = preset
    return options


@click.command()
@click.argument("game", type=click.Choice(sorted(GAMES)))
@click.option("--log", "path", type=FilePath(dir_okay=False), help="The log's file [GAME.log.jsonl].")
@click.option("--players", help="crokinole: 2, 3, 2v1 or 4; other games: names, by commas.")
@click.option("--preset", help="crokinole: family, match-play or nca.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="Any other option of the game's rules.")
@click.option("--who", default="keyboard", show_default=True, help="Who keeps the sheet, for the log.")
def sheet(
    *, game: str, path: Path | None, players: str | None, preset: str | None, settings: tuple[str, ...], who: str
) -> None:
    """Keep a match of GAME by keyboard; every entry is saved at once, and the same command goes on later."""
    path = path or Path(f"{game}.log.jsonl")
    options = _options(settings, players, preset, game)
    if path.exists():
        writer = _resume(path, game, options)
    else:
        try:
            engine = GAMES[game](options)
        except (TypeError, ValueError) as error:
            raise UnusableInputError(str(error)) from error
        writer = LogWriter(path, MatchLog(engine))
        click.echo(f"A new match of {game}, kept in {path}. Type ? for help.")
    Keeper(writer, who).run()
    click.echo(f"Kept in {path}: {len(writer.log.entries)} entries.")


def _resume(path: Path, game: str, options: dict[str, Any]) -> LogWriter:
    file = read_log(path)
    log = file.log
    if log.engine.game != game:
        raise UnusableInputError(f"{path} is a match of {log.engine.game}; choose another file with --log")
    kept = options_of(log.engine)
    asked = options_of(GAMES[game]({**kept, **options}))
    if asked != kept:
        names = ", ".join(name for name in asked if asked[name] != kept.get(name))
        raise UnusableInputError(f"{path} was begun with another {names}; leave it out, or choose another --log")
    if not file.whole:
        # nothing is lost: the file as it was stays beside the one that is written anew
        spare = path.with_name(path.name + ".before")
        spare.write_bytes(path.read_bytes())
        click.echo(f"{file.problem or f'{path} is brought up to date'}; the file as it was is kept as {spare}")
    click.echo(f"Going on with {path} after entry {len(log.entries)}. Type ? for help.")
    return LogWriter(path, log, start=not file.whole)


class Keeper:
    """The dialogue: asks, understands, tells, until it is told to stop."""

    def __init__(self, writer: LogWriter, who: str) -> None:
        self.writer = writer
        self.log = writer.log
        self.who = who
        self.words: Words = words_for(writer.log.engine)

    def run(self) -> None:
        """Ask until 'quit' or the end of the input."""
        if winners(self.log):
            show_sheet(self.log)
            click.echo("This match is over; another one is begun in another file, with --log.")
        while True:
            try:
                text = click.prompt(self._prompt(), prompt_suffix=" > ", default="", show_default=False).strip()
            except click.Abort:
                click.echo()
                return
            if text.lower() in ("quit", "q", "exit"):
                return
            try:
                self._do(text)
            except (RuleError, ValueError) as error:
                click.echo(f"  {error}")
                click.echo("  Nothing was noted. Type ? for help.")

    def _prompt(self) -> str:
        if self.log.stuck is not None:
            return f"{self.log.stuck}; undo, rule or strike"
        return self.words.prompt(self.log.state)

    def _do(self, text: str) -> None:
        command, _, rest = text.partition(" ")
        command = command.lower()
        simple = {"": self._help, "?": self._help, "help": self._help, "score": self._score, "log": self._list}
        if text.lower() in simple:
            simple[text.lower()]()
        elif text.lower() in ("undo", "redo"):
            change = (self.log.undo if command == "undo" else self.log.redo)(time.time(), self.who)
            self._tell(str(change))
        elif command in ("rule", "insert", "strike"):
            self._rule(command, rest)
        else:
            before = self.log.state
            self.log.observe(self.words.parse(text, before), time.time(), self.who)
            self._tell(*self.words.told(before, self.log.state))
            if winners(self.log):
                show_sheet(self.log)

    def _rule(self, command: str, rest: str) -> None:
        rest, _, why = rest.partition(" because ")
        number, _, text = rest.strip().partition(" ")
        if not number.isdecimal() or not 1 <= int(number) <= len(self.log.entries):
            raise ValueError(f"{command} needs the number of an entry, 1 to {len(self.log.entries)}; 'log' shows them")
        if bool(text.strip()) == (command == "strike"):
            raise ValueError(f"{command} N takes {'no event' if command == 'strike' else 'an event after N'}")
        event = None
        if command != "strike":
            event = self.words.parse(text.strip(), self._state_before(int(number)))
        change = self.log.rule(
            event, time.time(), self.who, target=int(number), before=command == "insert", why=why.strip() or None
        )
        self._tell(str(change))

    def _state_before(self, number: int) -> Any:
        """The state in which entry ``number`` happened, to read what is typed about it."""
        state = self.log.engine.start()
        for entry, _, after in self.log.history():
            if number in (entry.number, entry.target):
                break
            state = after
        return state

    def _tell(self, *lines: str) -> None:
        self.writer.save()
        for line in lines:
            click.echo(f"  {line}")

    def _help(self) -> None:
        click.echo(self.words.help(self.log.state))
        click.echo(COMMON_HELP)

    def _score(self) -> None:
        show_sheet(self.log)

    def _list(self) -> None:
        for entry in self.log.entries:
            event = "" if entry.event is None else self.log.engine.event_to_json(entry.event)
            about = "" if entry.target is None else f" about entry {entry.target}"
            click.echo(f"{entry.number:>4}  {entry.kind}{about} by {entry.who}: {event or entry.why or ''}")
