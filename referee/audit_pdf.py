"""The report as a PDF: one A4 page a call. The same input gives the same bytes."""

import io
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from calibration.errors import UnusableInputError
from referee.audit_pictures import CROP_PX
from referee.audit_words import Page

MARGIN = 15.0
WIDTH, HEIGHT = 210.0, 297.0
"""A4 in mm; all lengths here are mm from the page's upper left corner."""

GUTTER = 4.0
SMALL_SIDES = (57.0, 51.0, 45.0)
"""Width of the pictures beside the tables: smaller the more there is to say."""

CROP_ASPECT = CROP_PX[1] / CROP_PX[0]
INK, GREY, RULE = (0.10, 0.11, 0.13), (0.42, 0.44, 0.47), (0.80, 0.81, 0.83)
PLAIN, BOLD = "Vera", "VeraBd"
"""Bitstream Vera comes with reportlab and is embedded, so that the page looks the same everywhere."""

CROP_LEAST = 40.0
"""Least height of the crops: notes that would make them smaller are left to the HTML page and the data."""

LEADING = 1.32
"""Distance of lines over the size of their letters."""

LINE, DISC, RIM = (0.0, 0.86, 0.86), (1.0, 0.16, 0.75), (1.0, 0.75, 0.24)
"""The drawn curves' colours, for the legend."""

LEGEND = ((LINE, "line's inner edge"), (DISC, "disc's outline"), (RIM, "its upper rim"))


def write_pdf(
    path: Path, pages: Sequence[Page], pictures: Mapping[str, Mapping[str, bytes]], taken: str | None = None
) -> None:
    """Write the report.

    ``pictures`` holds JPEGs by call and by name (crop_drawn, crop, from_above, solved_lines). ``taken``, by the
    source's own clock, is the document's date; without it there is none.
    """
    from reportlab import rl_config  # noqa: PLC0415  (0.2 s, needed for printing only)
    from reportlab.pdfbase.pdfdoc import PDFDictionary, PDFString  # noqa: PLC0415
    from reportlab.pdfgen import canvas  # noqa: PLC0415

    _fonts()
    rl_config.useA85 = 0  # pictures as bytes, not as letters: a second a page in plain Python
    data = io.BytesIO()
    sheet = canvas.Canvas(data, pagesize=(WIDTH * _mm(), HEIGHT * _mm()), invariant=1)
    title = f"Line call: {pages[0].place}" + (f" and {len(pages) - 1} more" if len(pages) > 1 else "")
    about = {"Title": PDFString(title), "Creator": PDFString("Table Referee")}
    date = pdf_date(taken)
    if date is not None:
        about["CreationDate"] = PDFString(date)
    # reportlab always writes a date of its own: that of the run, or a made-up one
    sheet._doc.info.format = PDFDictionary(about).format
    for number, page in enumerate(pages, start=1):
        _Setter(sheet).page(page, pictures[page.name], f"page {number} of {len(pages)}")
        sheet.showPage()
    sheet.save()
    try:
        path.write_bytes(data.getvalue())
    except OSError as error:
        raise UnusableInputError(f"{path}: can't be written ({error.strerror or error})") from error


def pdf_date(taken: str | None) -> str | None:
    """A moment from EXIF or a video's container, in PDF's form; None where none is given."""
    match = re.match(r"(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:\.\d+)?\s*(Z|[+-]\d\d:\d\d)?", taken or "")
    if match is None:
        return None
    zone = match[7] or ""
    return "D:" + "".join(match.groups()[:6]) + (f"{zone[:3]}'{zone[4:]}'" if len(zone) == 6 else zone)


def _mm() -> float:
    return 72 / 25.4


@cache
def _fonts() -> frozenset[int]:
    """Register the typeface; returns the characters that it has."""
    from reportlab.pdfbase import pdfmetrics  # noqa: PLC0415
    from reportlab.pdfbase.ttfonts import TTFont  # noqa: PLC0415

    plain = TTFont(PLAIN, "Vera.ttf")
    pdfmetrics.registerFont(plain)
    pdfmetrics.registerFont(TTFont(BOLD, "VeraBd.ttf"))
    pdfmetrics.registerFontFamily(PLAIN, normal=PLAIN, bold=BOLD, italic=PLAIN, boldItalic=BOLD)
    return frozenset(plain.face.charWidths)


def printable(text: str) -> str:
    """Text with the characters that the typeface lacks written as their code."""
    known = _fonts()
    return "".join(c if ord(c) in known else c.encode("ascii", "backslashreplace").decode() for c in text)


def _extra(page: Page, count: int) -> list[tuple[str, str]]:
    """What stands below the tables, each with its bold beginning; of the notes the first ``count``."""
    extra = [("What would decide it", page.advice[0])] if page.advice else []
    extra += [("\u2013", words) for words in page.advice[1:]]
    notes = [*page.notes[:count], *(["more in evidence.json"] if count < len(page.notes) else [])]
    return extra + ([("Note", "; ".join(notes))] if notes else [])


class _Setter:
    """Sets one page from the top down."""

    def __init__(self, sheet: Any) -> None:
        self.sheet = sheet
        self.side = SMALL_SIDES[0]

    def page(self, page: Page, pictures: Mapping[str, bytes], number: str) -> None:
        """Set a whole page; the crops take the room that the rest leaves."""
        wide = WIDTH - 2 * MARGIN
        full = (wide - GUTTER) / 2 * CROP_ASPECT
        self.text(MARGIN, 10.0, wide, "TABLE REFEREE \u00b7 LINE CALL", 7, GREY)
        self.text(MARGIN, 10.0, wide, number, 7, GREY, right=True)
        self.rule(14.5)
        y = 17.5
        y += self.text(MARGIN, y, wide, page.place, 8.5, GREY) + 1.5
        y += self.text(MARGIN, y, wide, page.verdict, 16, INK, bold=True) + 2.0
        y += self.text(MARGIN, y, wide, page.reason, 8.5, INK) + 3.0
        y = self.figures(page, y) + 3.0
        low = HEIGHT - 11.0 - sum(self.height(words, wide, 7.0, n) + 0.8 for n, words in page.clauses)
        for count in range(len(page.notes), -1, -1):
            extra = _extra(page, count)
            extra_high = sum(self.height(words, wide, 7.5, lead) + 0.6 for lead, words in extra) + 2.0
            for side in SMALL_SIDES:
                self.side = side
                budget_high = max(side + 5.0, 16.0 + 4.6 * (len(page.budget) + len(page.combined)))
                facts_high = max(self.facts(page, 0.0, draw=False), 0.78 * side)
                room = low - y - 18.0 - budget_high - facts_high - extra_high
                if room >= full:
                    break
            if room >= CROP_LEAST:
                break
        crop_high = min(full, room)
        y = self.crops(page, pictures, y, crop_high) + 2.5
        self.picture(pictures["from_above"], MARGIN, y, self.side, self.side)
        self.text(MARGIN, y + self.side + 0.8, self.side, page.above_caption, 6.5, GREY)
        self.budget(page, y)
        y += budget_high + 2.5
        self.rule(y - 1.0)
        y += 1.0
        used = self.picture(pictures["solved_lines"], MARGIN, y, self.side, facts_high - 7.0)
        self.text(MARGIN, y + used + 0.8, self.side, page.lines_caption, 6.5, GREY)
        self.facts(page, y)
        y += facts_high + 1.0
        if extra:
            self.rule(y)
            y += 1.5
            for lead, words in extra:
                y += self.text(MARGIN, y, wide, words, 7.5, INK, lead=lead) + 0.6
        self.rule(low - 1.5)
        for lead, words in page.clauses:
            low += self.text(MARGIN, low, wide, words, 7.0, INK, lead=lead) + 0.8

    @property
    def beside(self) -> tuple[float, float]:
        """Left end and width of the column beside the small pictures."""
        x = MARGIN + self.side + 2 * GUTTER
        return x, WIDTH - MARGIN - x

    def figures(self, page: Page, y: float) -> float:
        """The four figures in a row; returns where they end."""
        wide = WIDTH - 2 * MARGIN
        shares = (0.33, 0.23, 0.22, 0.22)
        self.rule(y)
        x = MARGIN
        for (label, value), share in zip(page.figures, shares, strict=True):
            self.text(x, y + 1.8, share * wide - 2, label, 6.5, GREY)
            self.text(x, y + 5.2, share * wide - 1, value, 8.8, INK, bold=True)
            x += share * wide
        self.rule(y + 10.8)
        return y + 10.8

    def crops(self, page: Page, pictures: Mapping[str, bytes], y: float, high: float) -> float:
        """Both crops and the legend below them; returns where they end."""
        second = (WIDTH + GUTTER) / 2
        wide = high / CROP_ASPECT
        self.picture(pictures["crop_drawn"], MARGIN, y, wide, high)
        self.picture(pictures["crop"], second, y, wide, high)
        y += high + 0.8
        self.text(second, y, second - MARGIN, page.plain_caption, 6.5, GREY)
        self.text(MARGIN, y, second - MARGIN, page.crop_caption, 6.5, GREY)
        y += 3.4
        x = MARGIN
        for colour, words in LEGEND:
            self.sheet.setStrokeColorRGB(*colour)
            self.sheet.setLineWidth(1.4)
            self.sheet.line(x * _mm(), self.up(y + 1.35), (x + 5) * _mm(), self.up(y + 1.35))
            self.text(x + 6, y, 60, words, 6.5, GREY)
            x += 9 + self.width(words, 6.5)
        return y + 3.2

    def budget(self, page: Page, y: float) -> None:
        """The uncertainty's parts as a table with bars."""
        x, wide = self.beside
        name, number, bar = 0.44 * wide, 0.13 * wide, 0.43 * wide
        self.text(x, y, wide, "What the gap is uncertain by", 8, INK, bold=True)
        self.text(x + name, y + 4.6, number, "mm", 6.5, GREY, right=True)
        self.text(x + name + number + 3, y + 4.6, bar, "share of the variance", 6.5, GREY)
        y += 8.4
        for label, value, share in page.budget:
            self.text(x, y, name, label, 7.5, INK)
            self.text(x + name, y, number, f"{value:.3f}", 7.5, INK, right=True)
            room = bar - 14
            self.sheet.setFillColorRGB(0.24, 0.42, 0.62)
            width = max(room * share, 0.3)
            self.sheet.rect((x + name + number + 3) * _mm(), self.up(y + 2.9), width * _mm(), 2.4 * _mm(), 0, 1)
            self.text(x + name + number + 4 + width, y, 12, f"{100 * share:.0f} %", 6.5, GREY)
            y += 4.6
        self.rule(y, x, wide)
        y += 1.2
        for label, words in page.combined:
            self.text(x, y, name + 4, label, 7.5, INK, bold=True)
            self.text(x + name - 8, y, number + 8, words.removesuffix(" mm"), 7.5, INK, bold=True, right=True)
            y += 4.6

    def facts(self, page: Page, y: float, draw: bool = True) -> float:
        """What the page rests on, as two columns; returns how high that is."""
        (x, wide), label_wide, start = self.beside, 26.0, y
        for label, words in page.facts:
            high = self.height(words, wide - label_wide, 7.0)
            if draw:
                self.text(x, y, label_wide, label, 7.0, GREY)
                self.text(x + label_wide, y, wide - label_wide, words, 7.0, INK)
            y += high + 0.9
        return y - start

    def picture(self, data: bytes, x: float, y: float, wide: float, high: float) -> float:
        """Set a picture within a box, at its upper left; returns its height."""
        from reportlab.lib.utils import ImageReader  # noqa: PLC0415

        image = ImageReader(io.BytesIO(data))
        w, h = image.getSize()
        scale = min(wide / w, high / h)
        box = (x * _mm(), self.up(y + h * scale), w * scale * _mm(), h * scale * _mm())
        self.sheet.drawImage(image, *box)
        return float(h * scale)

    def rule(self, y: float, x: float = MARGIN, wide: float = WIDTH - 2 * MARGIN) -> None:
        """A hairline."""
        self.sheet.setStrokeColorRGB(*RULE)
        self.sheet.setLineWidth(0.5)
        self.sheet.line(x * _mm(), self.up(y), (x + wide) * _mm(), self.up(y))

    def text(
        self, x: float, y: float, wide: float, words: str, size: float, ink: tuple[float, float, float],
        *, bold: bool = False, right: bool = False, lead: str = "",
    ) -> float:  # fmt: skip
        """Set text, broken to ``wide``, with its top at ``y``, after a bold ``lead``; returns its height."""
        sheet, leading = self.sheet, LEADING * size / _mm()
        sheet.setFillColorRGB(*ink)
        indent = self.width(printable(lead), size, BOLD) + 0.5 * size / _mm() if lead else 0.0
        lines = self.lines(words, wide, size, BOLD if bold else PLAIN, indent)
        for row, line in enumerate(lines):
            base = self.up(y + (row + 1) * leading) + 0.28 * size
            if lead and row == 0:
                sheet.setFont(BOLD, size)
                sheet.drawString(x * _mm(), base, printable(lead))
            sheet.setFont(BOLD if bold else PLAIN, size)
            at = x + (indent if row == 0 else 0.0)
            if right:
                sheet.drawRightString((x + wide) * _mm(), base, line)
            else:
                sheet.drawString(at * _mm(), base, line)
        return leading * len(lines)

    def height(self, words: str, wide: float, size: float, lead: str = "") -> float:
        """How high text would be."""
        indent = self.width(printable(lead), size, BOLD) + 0.5 * size / _mm() if lead else 0.0
        return LEADING * size / _mm() * len(self.lines(words, wide, size, PLAIN, indent))

    def lines(self, words: str, wide: float, size: float, font: str, indent: float) -> list[str]:
        """Break text between words, and words that are longer than a line; the first line is shorter by ``indent``."""
        out, line, room = [], "", wide - indent
        for word in printable(words).split():
            rest = word
            while rest:
                longer = f"{line} {rest}" if line else rest
                if self.width(longer, size, font) <= room:
                    line, rest = longer, ""
                    continue
                if not line:
                    fits = next(
                        n for n in range(len(rest) - 1, 0, -1) if n == 1 or self.width(rest[:n], size, font) <= room
                    )
                    line, rest = rest[:fits], rest[fits:]
                out.append(line)
                line, room = "", wide
        return [*out, line]

    def width(self, words: str, size: float, font: str = PLAIN) -> float:
        """How wide a line is, of characters that the typeface has."""
        return float(self.sheet.stringWidth(words, font, size) / _mm())

    def up(self, y: float) -> float:
        """A height from the top in mm as the PDF's own, in points from the bottom."""
        return (HEIGHT - y) * _mm()
