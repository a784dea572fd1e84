"""``referee backup FILE``: all stored matches in one file."""

from pathlib import Path

import click

from referee.commands.paths import FilePath
from referee.evidence import EvidenceFolder
from referee.settings import load_settings
from referee.store import Store, folder_beside


@click.command()
@click.argument("target", metavar="FILE", type=FilePath(dir_okay=False))
@click.option("--store", "url", help="The store's URL [the setting 'store'].")
def backup(*, target: Path, url: str | None) -> None:
    """Write all stored matches into FILE, a new SQLite file, and their pictures beside it; matches may go on meanwhile.

    To go back to it, give it as the store: --store sqlite:///FILE, or put it where the store was.
    """
    store = Store(url or load_settings().text("store") or None)
    store.backup(target)
    pieces = EvidenceFolder(store, 0).copy_to(folder_beside(target))
    count = len(store.list(limit=1_000_000))
    kept = f"{count} {'match' if count == 1 else 'matches'} from {store.shown_url}"
    click.echo(f"{kept} kept in {target}; {pieces} pictures and clips beside it.")
    store.close()
