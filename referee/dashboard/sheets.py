"""The score sheet as a table for the screen, with headings in the reader's language."""

from typing import Any

from referee.dashboard.texts import Texts
from referee.exports import score_sheet
from referee.log import MatchLog

Rows = list[list[str]]


def sheet(log: MatchLog, names: dict[str, str], t: Texts) -> dict[str, Rows | list[str]]:
    """``heads`` and ``rows``; where sides have several columns each, ``groups`` names the sides, ``of_group`` those."""
    rows = score_sheet(log)
    heads, body = rows[0], rows[1:]
    if log.engine.game == "crokinole":
        return _crokinole(log, names, t)
    known = {"category": "sheet.category", "throw": "sheet.throw", "round": "sheet.round", "trump": "sheet.trump"}
    known["challenge"] = "sheet.challenge"
    told = []
    for head in map(str, heads):
        team = head.removeprefix("crosses ")
        words = f"{t('sheet.crosses')} {names.get(team, team)}" if team != head else names.get(head, head)
        told.append(t(known[head]) if head in known else words)
    out: Rows = []
    for row in body:
        first = str(row[0])
        label = t("sheet.total") if first == "total" else t.known("category." + first.replace(" ", "_"), first)
        out.append([label, *map(str, row[1:])])
    return {"heads": told, "rows": out}


def _crokinole(log: MatchLog, names: dict[str, str], t: Texts) -> dict[str, Rows | list[str]]:
    state: Any = log.state
    setup = log.engine.setup
    of_side = [t("sheet.points"), t("sheet.twenties"), t("sheet.gained"), t("sheet.score")]
    heads = [t("sheet.round")]
    for side in setup.sides:
        heads += [f"{names[side]} · {of_side[0]}", *of_side[1:]]
    groups = {"groups": [names[side] for side in setup.sides], "of_group": of_side}
    totals = [0] * len(setup.sides)
    rows: Rows = []
    for done in state.played:
        totals = [a + b for a, b in zip(totals, done.gained, strict=True)]
        row = [str(done.number)]
        for i, total in enumerate(totals):
            row += [str(done.points[i]), str(done.twenties[i]), f"+{done.gained[i]}", str(total)]
        rows.append(row)
    return {"heads": heads, "rows": rows, **groups}
