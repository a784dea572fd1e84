"""The report as one self-contained HTML page that prints as the PDF does: a sheet of paper a call."""

import base64
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from calibration.errors import UnusableInputError
from referee.audit_words import Page

STYLE = """
@page { size: A4; margin: 13mm 15mm }
* { box-sizing: border-box }
html { font-size: 13px }
body { margin: 0; background: #eceef0; color: #1a1c21;
  font: 1rem/1.4 "Helvetica Neue", Arial, "Liberation Sans", sans-serif }
article { width: min(100%, 820px); margin: 24px auto; padding: 32px 44px; background: #fff;
  box-shadow: 0 1px 4px #0003 }
header, .place, figcaption, .label, dt { color: #6b7078 }
header { display: flex; justify-content: space-between; font-size: .85rem; letter-spacing: .04em;
  border-bottom: 1px solid #cdd0d4; padding-bottom: 8px; margin-bottom: 14px }
h1 { font-size: 1.92rem; line-height: 1.2; margin: 4px 0 8px }
h2 { font-size: 1.00rem; margin: 0 0 6px }
p { margin: 0 0 8px }
.figures { display: grid; grid-template-columns: 1.5fr 1fr 1fr 1fr; gap: 12px; margin: 12px 0 14px;
  border-top: 1px solid #cdd0d4; border-bottom: 1px solid #cdd0d4; padding: 8px 0 }
.figures b { display: block; font-size: 1.08rem; white-space: nowrap }
.label { font-size: .85rem }
figure { margin: 0; min-width: 0 }
img { display: block; width: 100%; height: auto }
figcaption { font-size: .85rem; margin-top: 4px }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 14px; margin-bottom: 14px }
.beside { display: grid; grid-template-columns: 32% 1fr; gap: 28px; margin-bottom: 14px; align-items: start }
.key { display: inline-block; width: 20px; height: 3px; margin: 0 5px 3px 0 }
.key + span { margin-right: 12px }
.legend { white-space: nowrap; display: inline-block }
table { border-collapse: collapse; width: 100% }
td, th { padding: 3px 8px 3px 0; text-align: left; font-weight: normal }
td:first-child, tfoot td { white-space: nowrap }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
td.bar { width: 45%; font-size: .85rem; color: #6b7078 }
td.bar svg { vertical-align: -1px; margin-right: 5px }
tfoot td { font-weight: 600 }
tfoot tr:first-child td { border-top: 1px solid #cdd0d4; padding-top: 6px }
th { font-size: .85rem; color: #6b7078 }
dl { display: grid; grid-template-columns: 9rem 1fr; gap: 3px 8px; margin: 0; font-size: .92rem }
dd { margin: 0; overflow-wrap: anywhere }
.more { border-top: 1px solid #cdd0d4; padding-top: 8px; font-size: .92rem }
.more p { margin-bottom: 4px }
.clauses { border-top: 1px solid #cdd0d4; padding-top: 8px; font-size: .88rem }
.clauses p { margin-bottom: 3px }
@media print {
  html { font-size: 9.4px }
  body { background: #fff }
  .beside { grid-template-columns: 27% 1fr; gap: 20px; margin-bottom: 8px }
  .pair, .figures { margin-bottom: 8px }
  td, th { padding-top: 1.5px; padding-bottom: 1.5px }
  article { width: auto; margin: 0; padding: 0; box-shadow: none; break-after: page; break-inside: avoid }
  article:last-of-type { break-after: auto }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact }
}
@media (max-width: 640px) {
  article { padding: 18px 16px; margin: 0 }
  .pair, .beside { grid-template-columns: 1fr }
  .figures { grid-template-columns: 1fr 1fr }
  .figures b, td:first-child, tfoot td { white-space: normal }
  .beside > * { min-width: 0 }
}
"""

LEGEND = (
    ("#00dcdc", "line\u2019s inner edge"),
    ("#ff28be", "disc\u2019s outline"),
    ("#ffbe3c", "its upper rim"),
)
BAR_PX = 150


def write_html(path: Path, pages: Sequence[Page], pictures: Mapping[str, Mapping[str, bytes]]) -> None:
    """Write the report; ``pictures`` as for the PDF."""
    title = f"Line call: {pages[0].place}" + (f" and {len(pages) - 1} more" if len(pages) > 1 else "")
    articles = "\n".join(_article(page, pictures[page.name], i, len(pages)) for i, page in enumerate(pages, start=1))
    text = (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{escape(title)}</title>\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n{articles}\n</body>\n</html>\n"
    )
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UnusableInputError(f"{path}: can't be written ({error.strerror or error})") from error


def _article(page: Page, pictures: Mapping[str, bytes], number: int, count: int) -> str:
    legend = "".join(
        f'<span class="legend"><i class="key" style="background:{c}"></i><span>{escape(w)}</span></span> '
        for c, w in LEGEND
    )
    figures = "".join(f'<div><span class="label">{escape(n)}</span><b>{escape(v)}</b></div>' for n, v in page.figures)
    facts = "".join(f"<dt>{escape(n)}</dt><dd>{escape(v)}</dd>" for n, v in page.facts)
    clauses = "".join(f"<p><b>{escape(n)}</b>&ensp;{escape(words)}</p>" for n, words in page.clauses)
    return f"""<article id="{escape(page.name)}">
<header><span>TABLE REFEREE \u00b7 LINE CALL</span><span>page {number} of {count}</span></header>
<div class="place">{escape(page.place)}</div>
<h1>{escape(page.verdict)}</h1>
<p>{escape(page.reason)}</p>
<div class="figures">{figures}</div>
<div class="pair">
{_figure(pictures["crop_drawn"], f"{escape(page.crop_caption)}<br>{legend}", "the place with the solved outlines")}
{_figure(pictures["crop"], escape(page.plain_caption), "the place enlarged")}
</div>
<div class="beside">
{_figure(pictures["from_above"], escape(page.above_caption), "the board from above")}
<div>{_budget(page)}</div>
</div>
<div class="beside">
{_figure(pictures["solved_lines"], escape(page.lines_caption), "the solved lines over the board")}
<dl>{facts}</dl>
</div>
{_more(page)}<div class="clauses">{clauses}</div>
</article>"""


def _figure(data: bytes, caption: str, words: str) -> str:
    source = base64.b64encode(data).decode("ascii")
    return (
        f'<figure><img alt="{escape(words)}" src="data:image/jpeg;base64,{source}">'
        f"<figcaption>{caption}</figcaption></figure>"
    )


def _budget(page: Page) -> str:
    rows = []
    for label, value, share in page.budget:
        wide = max(round(BAR_PX * share), 1)
        bar = f'<svg width="{wide}" height="10"><rect width="{wide}" height="10" fill="#3d6b9e"/></svg>'
        rows.append(
            f'<tr><td>{escape(label)}</td><td class="number">{value:.3f}</td>'
            f'<td class="bar">{bar}{100 * share:.0f} %</td></tr>'
        )
    foot = "".join(
        f'<tr><td>{escape(label)}</td><td class="number">{escape(words.removesuffix(" mm"))}</td><td></td></tr>'
        for label, words in page.combined
    )
    return (
        "<h2>What the gap is uncertain by</h2><table><thead><tr><th></th><th class='number'>mm</th>"
        f"<th>share of the variance</th></tr></thead><tbody>{''.join(rows)}</tbody><tfoot>{foot}</tfoot></table>"
    )


def _more(page: Page) -> str:
    words = []
    if page.advice:
        words.append(f"<p><b>What would decide it</b>&ensp;{escape(page.advice[0])}</p>")
        words += [f"<p>\u2013 {escape(line)}</p>" for line in page.advice[1:]]
    if page.notes:
        words.append(f"<p><b>Note</b>&ensp;{escape('; '.join(page.notes))}</p>")
    return f'<div class="more">{"".join(words)}</div>\n' if words else ""
