"""A scored video as one HTML page that needs nothing else: score, every shot with its picture, what to look at."""

import base64
import html
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from referee.match_json import points_after_shots

STYLE = """
body{font:15px/1.45 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1c1c20;background:#fff}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}table{border-collapse:collapse}
td,th{padding:.25rem .7rem;border-bottom:1px solid #ddd;text-align:right}td:first-child,th:first-child{text-align:left}
.score{font-size:2rem;font-weight:600}.strip{display:grid;grid-template-columns:repeat(auto-fill,minmax(11rem,1fr));gap:.8rem}
figure{margin:0;border:1px solid #ddd;border-radius:.4rem;overflow:hidden}figure img{width:100%;display:block}
figcaption{padding:.4rem .5rem;font-size:.85rem}.bad{color:#a3161d}.ask{background:#fff4d6}a{color:#1746a2}
@media (prefers-color-scheme:dark){body{background:#17171b;color:#e8e8ea}td,th,figure{border-color:#44444c}
.ask{background:#4a3b10}a{color:#9db8ff}.bad{color:#ff8a8f}}
"""
SIDE_COLOURS = ("#1746a2", "#b3541e", "#2d7d46")


def report(data: Mapping[str, Any], pictures: Mapping[int, bytes], video: str) -> str:
    """The page for a result (``match/1``); ``pictures``: JPEG by shot; ``video``: the file's name, for the links."""
    sides = list(data["score"])
    parts = [
        f"<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
        f"<title>{_e(video)}</title><style>{STYLE}</style><h1>{_e(video)}</h1>",
        "<p class=score>" + " &middot; ".join(f"{_e(s)} {data['score'][s]}" for s in sides) + "</p>",
        _rounds(data, sides),
        _review(data, video),
        _statistics(data, sides),
        _plot(data, sides),
        _shots(data, pictures, video),
    ]
    if data["warnings"]:
        parts.append("<h2>Notes</h2><ul>" + "".join(f"<li>{_e(w)}</li>" for w in data["warnings"]) + "</ul>")
    return "".join(parts) + "</html>\n"


def _e(text: object) -> str:
    return html.escape(str(text))


def _at(video: str, seconds: float, words: str) -> str:
    return f"<a href='{_e(quote(video))}#t={max(seconds - 1.5, 0):.1f}'>{_e(words)}</a>"


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{seconds % 60:04.1f}"


def _table(rows: Sequence[Sequence[object]]) -> str:
    head, *body = rows
    cells = "".join(f"<th>{_e(c)}</th>" for c in head)
    lines = "".join("<tr>" + "".join(f"<td>{_e(c)}</td>" for c in row) + "</tr>" for row in body)
    return f"<table><tr>{cells}</tr>{lines}</table>"


def _rounds(data: Mapping[str, Any], sides: list[str]) -> str:
    rows: list[list[object]] = [["round", *[f"{s} points" for s in sides], *[f"{s} twenties" for s in sides], ""]]
    for r in data["rounds"]:
        points, twenties = r["points"] or {}, r["twenties"] or {}
        whole = "" if r["complete"] else "not complete"
        rows.append([r["number"], *[points.get(s, "") for s in sides], *[twenties.get(s, "") for s in sides], whole])
    return "<h2>Rounds</h2>" + _table(rows)


def _review(data: Mapping[str, Any], video: str) -> str:
    if not data["review"]:
        return "<h2>To look at</h2><p>Nothing.</p>"
    items = []
    for v in data["review"]:
        where = f"shot {v['shot']}" if v["shot"] is not None else f"round {v['round']}"
        items.append(f"<li>{_at(video, v['time_s'], _clock(v['time_s']))} {where}: {_e(v['why'])}</li>")
    return "<h2>To look at</h2><ul>" + "".join(items) + "</ul>"


def _statistics(data: Mapping[str, Any], sides: list[str]) -> str:
    rows: list[list[object]] = [["shots by", "shots", "valid", "twenties", "left the surface", "seconds a turn"]]
    players = sorted({(s["colour"], s["seat"] or "") for s in data["shots"]})
    previous: dict[int, float] = {}
    last: float | None = None
    for s in data["shots"]:
        if last is not None:
            previous[s["number"]] = s["start_s"] - last
        last = s["settled_s"]
    for colour, seat in players:
        mine = [s for s in data["shots"] if s["colour"] == colour and (s["seat"] or "") == seat]
        valid = sum(bool(s["valid"]) for s in mine)
        own = sum(c == colour for s in mine for c in s["twenties"].values())
        out = sum(s["disc"] in s["ditched"] for s in mine)
        pauses = sorted(previous[s["number"]] for s in mine if s["number"] in previous)
        pace = f"{pauses[len(pauses) // 2]:.1f}" if pauses else ""
        share = f"{valid} ({100 * valid / len(mine):.0f} %)"
        rows.append([f"{colour} ({seat})" if seat else colour, len(mine), share, own, out, pace])
    return "<h2>Players</h2>" + _table(rows)


def _plot(data: Mapping[str, Any], sides: list[str]) -> str:
    """Points that each side would count after every shot: board and twenties of the round."""
    width, height, pad = 900, 220, 30
    after = points_after_shots(data)
    lines = {s: [points[s] for points in after] for s in sides}
    count = max(len(data["shots"]), 2)
    top = max([v for line in lines.values() for v in line] + [20])
    drawn = []
    for k, s in enumerate(sides):
        points = " ".join(
            f"{pad + i * (width - 2 * pad) / (count - 1):.1f},{height - pad - v * (height - 2 * pad) / top:.1f}"
            for i, v in enumerate(lines[s])
        )
        colour = SIDE_COLOURS[k % len(SIDE_COLOURS)]
        drawn.append(f"<polyline points='{points}' fill=none stroke='{colour}' stroke-width=2 />")
        drawn.append(f"<text x={pad + 120 * k} y=18 fill='{colour}'>{_e(s)}</text>")
    axis = f"<text x=2 y={pad + 5} fill=currentColor font-size=12>{top:.0f}</text>"
    return (
        "<h2>Points of the round after each shot</h2>"
        f"<svg viewBox='0 0 {width} {height}' width='100%' role=img aria-label='points by shot'>"
        f"{axis}{''.join(drawn)}</svg>"
    )


def _shots(data: Mapping[str, Any], pictures: Mapping[int, bytes], video: str) -> str:
    asked = {v["shot"] for v in data["review"]}
    figures = []
    for s in data["shots"]:
        picture = pictures.get(s["number"])
        image = ""
        if picture is not None:
            encoded = base64.b64encode(picture).decode()
            image = f"<img alt='board after shot {s['number']}' src='data:image/jpeg;base64,{encoded}'>"
        words = [f"{_at(video, s['start_s'], _clock(s['start_s']))} <b>{s['number']}</b> {_e(s['colour'])}"]
        if s["seat"]:
            words.append(f"({_e(s['seat'])})")
        if s["valid"] is False:
            words.append(f"<span class=bad>{_e((s['rule'] or 'not valid').replace('_', ' '))}</span>")
        if s["twenties"]:
            words.append("twenty for " + _e(", ".join(sorted(set(s["twenties"].values())))))
        kind = " class=ask" if s["number"] in asked else ""
        figures.append(f"<figure>{image}<figcaption{kind}>{' '.join(words)}</figcaption></figure>")
    return "<h2>Shots</h2><div class=strip>" + "".join(figures) + "</div>"
