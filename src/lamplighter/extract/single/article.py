"""Extracts an article: trafilatura's text, or ours where it finds none, with title, author, date and language."""

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from html import escape
from typing import Any, NamedTuple

from turbohtml import Element

from lamplighter.extract.bounds import excess
from lamplighter.extract.charset import decode
from lamplighter.extract.elements import parent_of, self_and_above
from lamplighter.extract.html_page import HtmlPage, parse_page
from lamplighter.extract.single.body_text import body_of
from lamplighter.extract.single.byline import author_of, dates_of
from lamplighter.extract.single.byline_words import BY
from lamplighter.extract.single.headings import Heading, main_heading, meta_texts
from lamplighter.extract.single.main_text import LONGEST_TEXT, has_prose, joined, lines_in, main_region
from lamplighter.extract.single.page_type import is_article, is_named_otherwise
from lamplighter.extract.single.text_lines import ShownElement, TextLine, lines_of
from lamplighter.extract.sniff import BodyType, sniff
from lamplighter.extract.structured.page_meta import meta_values
from lamplighter.extract.words.value_types import ValueType, value_type
from lamplighter.model.record import Finding, Method, RawRecord, RecordKind

CONFIDENCE = 0.60
_GUESSED = 0.50

#: characters of a page that are read: no article begins later than this
_LONGEST_PAGE = 2_000_000
#: below this trafilatura is unsure and returns everything on the page, in one piece
_SHORTEST_TEXT = 300
#: ours is then the better one, if it is at least this share of it
_ENOUGH_OF_IT = 0.6
#: a text of the part with most of the prose is right if it is longer than this, and between these shares of ours
_SURE_TEXT, _LEAST_OF_OURS, _MOST_OF_OURS = 500, 0.3, 3
#: a longer table row is not a row but a page laid out as a table
_LONGEST_ROW = 1_000
#: lines above the text that may repeat the heading, the byline and the date
_MOST_ABOVE = 5
#: characters of text that are enough to detect its language
_ENOUGH_FOR_LANGUAGE = 200
_READ_BY_US = frozenset({None, RecordKind.ARTICLE, RecordKind.OTHER})


def read_article(page: HtmlPage, html: str, wanted: RecordKind | None) -> list[RawRecord]:
    """At most one record: the article that the page is. `html` is the page's markup."""
    if wanted not in _READ_BY_US or not has_prose(page):
        return []
    heading = main_heading(page)
    if heading is None or is_named_otherwise(page, heading):
        return []
    lines = lines_of(page)
    shown = _shown(page, lines, heading)
    if wanted is None and not is_article(page, shown):
        return []
    fields = _fields(page, html, _Seen(lines, shown, heading))
    return [RawRecord(kind=wanted or RecordKind.ARTICLE, fields=fields)] if "text" in fields else []


class _Seen(NamedTuple):
    """The visible parts of a page."""

    lines: Sequence[TextLine]
    #: author and dates
    shown: Mapping[str, Finding]
    heading: Heading | None


def _fields(page: HtmlPage, html: str, seen: _Seen) -> dict[str, Finding]:
    heading = seen.heading
    fields = _signs(page, seen.shown)
    if heading is not None:
        fields["title"] = Finding(heading.text, Method.ARTICLE, CONFIDENCE if heading.confirmed else _GUESSED)
    if text := article_text(html, seen.lines, heading):
        fields["text"] = Finding(text, Method.ARTICLE, CONFIDENCE)
        if language := _language(page, text):
            fields["language"] = language
    return fields


def article_text(html: str, lines: Sequence[TextLine], heading: Heading | None) -> str:
    """The running text, one paragraph per line, without the title and what is between it and the text."""
    title = heading.text if heading is not None else ""
    region = main_region(lines)
    ours = joined(lines_in(lines, region)) if region is not None else ""
    text = _by_reader(_around(region, heading), fast=True) if region is not None else ""
    is_longer = len(text) > _MOST_OF_OURS * len(ours) and len(ours) >= _SURE_TEXT
    if len(text) < max(_SURE_TEXT, _LEAST_OF_OURS * len(ours)) or is_longer:
        # The text is elsewhere, or more than the text. This takes many times as long, and few pages need it.
        text = _by_reader(html[:_LONGEST_PAGE], fast=False) or text
    is_layout = any(line.startswith("|") and len(line) > _LONGEST_ROW for line in text.split("\n"))
    if is_layout or (len(text) < _SHORTEST_TEXT and len(ours) >= _ENOUGH_OF_IT * len(text)):
        text = ours
    return _without_head(body_of(text, lines, title), title)[:LONGEST_TEXT].rstrip()


def _around(region: ShownElement, heading: Heading | None) -> str:
    """The part of the page with the heading and most of the prose, as a page: the rest only takes the reader's time."""
    above = set(self_and_above(heading.node if heading is not None else None))
    node = next((node for node in self_and_above(region.node) if node in above), region.node)
    frames = [frame for frame in self_and_above(parent_of(node)) if frame.tag not in ("html", "body")]
    return "".join(["<html><body>", *map(_opened, reversed(frames)), node.html[:_LONGEST_PAGE]])


def _opened(frame: Element) -> str:
    """The start tag of an element around the text, by whose role the reader may know it."""
    named = [(name, frame.attr(name)) for name in ("role", "itemprop")]
    attributes = [f' {name}="{escape(value)}"' for name, value in named if value]
    return f"<{frame.tag}{''.join(attributes)}>"


def _by_reader(html: str, *, fast: bool) -> str:
    try:
        # Its metadata are switched off: guessing dates takes longer than extracting the text, and we have our own.
        found = _reader()(html, fast=fast, include_comments=False, with_metadata=False)
    except Exception:  # with such hostile input it may raise anything, and we have another reader
        return ""
    return (found.text or "").strip() if found is not None else ""


@cache
def _reader() -> Callable[..., Any]:
    """trafilatura, imported with the first article: most pages are none, and it takes a third of a second."""
    from lxml.etree import ElementDefaultClassLookup
    from lxml.html import HtmlComment, HtmlElement, HtmlEntity, HtmlProcessingInstruction
    from trafilatura import bare_extraction
    from trafilatura.utils import HTML_PARSER

    # lxml asks Python for the class of every element; the reader has no use for those of forms, and this asks nobody.
    HTML_PARSER.set_element_class_lookup(
        ElementDefaultClassLookup(
            element=HtmlElement, comment=HtmlComment, pi=HtmlProcessingInstruction, entity=HtmlEntity
        )
    )
    # It logs every page without text as an error; to us that is a result.
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    reader: Callable[..., Any] = bare_extraction
    return reader


def _without_head(text: str, title: str) -> str:
    """The text from its first paragraph on: heading, byline and date have fields of their own."""
    # Headings of documentation end with a mark that links to them.
    lines = [line for given in text.split("\n") if (line := given.strip().removesuffix("\u00b6").rstrip())]
    above = 0
    while above < min(len(lines) - 1, _MOST_ABOVE) and _is_head(lines[above], title):
        above += 1
    return "\n".join(lines[above:])


def _is_head(line: str, title: str) -> bool:
    is_byline = len(line) <= 80 and BY.match(line) is not None and line[-1] not in ".!?"
    return line == title or is_byline or value_type(line) is ValueType.DATE


def _shown(page: HtmlPage, lines: Sequence[TextLine], heading: Heading | None) -> dict[str, Finding]:
    """The author and the dates that the page shows."""
    found = dates_of(page, lines, heading)
    if (author := author_of(page, lines, heading)) is not None:
        found["author"] = author
    return found


def _signs(page: HtmlPage, shown: Mapping[str, Finding]) -> dict[str, Finding]:
    """The author and the dates: what the page shows, and what its head says where that is more reliable."""
    found = dict(shown)
    for name, said in meta_values(page).items():
        if name in ("author", "published_at", "updated_at") and (
            name not in found or said.confidence > found[name].confidence
        ):
            found[name] = said
    return found


def _language(page: HtmlPage, text: str) -> Finding | None:
    if page.language:
        return Finding(page.language, Method.HTML, CONFIDENCE)
    if locale := meta_texts(page, "og:locale").get("og:locale"):
        return Finding(locale.replace("_", "-"), Method.META, CONFIDENCE)
    return Finding(guess, Method.ARTICLE, _GUESSED) if (guess := _guessed_language(text)) else None


def _guessed_language(text: str) -> str | None:
    """The language of the text itself, where the library is installed and the text is long enough."""
    if len(text) < _ENOUGH_FOR_LANGUAGE:
        return None
    try:
        from py3langid import classify
    except ImportError:
        return None
    return str(classify(text[:5_000])[0])


def as_article(body: bytes, *, url: str, content_type: str | None) -> RawRecord | None:
    """The page read as if it were an article; None where there is no running text. `url` is its normalised address."""
    if sniff(body, content_type) is not BodyType.HTML or excess(html := decode(body, content_type)):
        return None
    page = parse_page(html, url)
    if not has_prose(page):
        return None
    heading, lines = main_heading(page), lines_of(page)
    fields = _fields(page, html, _Seen(lines, _shown(page, lines, heading), heading))
    return RawRecord(kind=RecordKind.ARTICLE, fields=fields) if "text" in fields else None
