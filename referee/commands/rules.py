"""``referee rules GAME [CLAUSE]``: what the rules say."""

import textwrap

import click

from referee.rules import GAMES
from referee.rules.clauses import clause, clauses


@click.command()
@click.argument("game", type=click.Choice(sorted(GAMES)))
@click.argument("number", metavar="[CLAUSE]", required=False)
def rules(game: str, number: str | None) -> None:
    """Show the rules of GAME, or one CLAUSE of them (C8, Y3, K6, R12)."""
    if number is None:
        texts = clauses(game)
    else:
        try:
            texts = {number[:1].upper() + number[1:].lower(): clause(game, number)}
        except ValueError as error:
            raise click.BadParameter(str(error), param_hint="CLAUSE") from error
    for name, text in texts.items():
        # the width is fixed so that the same rules print the same everywhere
        click.echo(textwrap.fill(text, 100, initial_indent=f"{name:<5}", subsequent_indent=" " * 5))
