"""The author and the dates of publication and update, as the page shows them."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from turbohtml import Element

from lamplighter.extract.elements import own_text, parent_of, self_and_above, spaced_text
from lamplighter.extract.html_page import HtmlPage, folded
from lamplighter.extract.single import byline_words as words
from lamplighter.extract.single.headings import Heading
from lamplighter.extract.single.text_lines import TextLine
from lamplighter.extract.words.field_words import field_for
from lamplighter.extract.words.value_types import DATE, LONGEST_DATE, ValueType, date_in, value_type
from lamplighter.model.record import Finding, Method

_ON_PAGE, _BY_WORD = 0.65, 0.60
#: found far from the heading, or in the address: no evidence that the page is an article at all
GUESSED = 0.50

_MOST_SIGNED, _MOST_TIMES = 20, 50
_FARTHEST_UP = 10
#: how far from the heading, in lines, a byline and a date may be
_BEFORE, _AFTER = 4, 8
_LONGEST_NAME, _MOST_WORDS = 80, 8
_LONGEST_BYLINE = 200
_MOST_LINES = 1_000
#: characters in which a press release says where and when it was issued, and what may follow
_LONGEST_DATELINE = 80
_AFTER_DATELINE = tuple("-\u2013\u2014:/|")

_YEAR = re.compile(r"\d{4}")
_URL_DATE = re.compile(r"/((?:19|20)\d\d)[/-](0[1-9]|1[0-2])[/-](0[1-9]|[12]\d|3[01])(?=[/-]|$)")


def author_of(page: HtmlPage, lines: Sequence[TextLine], heading: Heading | None) -> Finding | None:
    """The author or authors that the page shows; None when it does not name any."""
    around = near(lines, heading)
    shown = "\n".join(line.text for line in around)
    signed = list(_signed(page))
    if name := next((name for _, name in signed if name in shown), None):
        return Finding(name, Method.LABELS, _ON_PAGE)
    for piece in (piece for line in around for piece in _pieces(line)):
        if (by := words.BY.match(piece)) and (name := name_in(piece[by.end() :])) and _is_capitalised(name):
            return Finding(name, Method.LABELS, _BY_WORD)
    # Far from the heading there are other names as well: comments, testimonials, authors of other articles.
    framing = _framing(heading)
    rest = "\n".join(line.text for line in lines[:_MOST_LINES])
    has_article = heading is not None and _article_around(heading) is not None
    far = (name for node, name in signed if (has_article or name in rest) and not _is_elsewhere(node, framing))
    return Finding(name, Method.LABELS, GUESSED) if (name := next(far, None)) else None


def dates_of(page: HtmlPage, lines: Sequence[TextLine], heading: Heading | None) -> dict[str, Finding]:
    """The dates of publication and update, as the page shows them."""
    found: dict[str, Finding] = {}
    around = "\n".join(line.text for line in near(lines, heading))
    times = [*_times(page, heading)]
    # A date without a year is as likely that of a teaser.
    by_heading = [time for time in times if time.shown and time.shown in around and _YEAR.search(time.date)]
    for field, date in (*((time.field, time.date) for time in by_heading), *_dated_lines(lines, heading)):
        found.setdefault(field, Finding(date, Method.LABELS, _ON_PAGE))
    # Far below the heading it may be the date of another story, unless both are in one article.
    far = _ON_PAGE if heading is not None and _article_around(heading) is not None else GUESSED
    for time in times:
        found.setdefault(time.field, Finding(time.date, Method.LABELS, far))
    if "published_at" not in found and (dateline := _dateline(lines, heading)):
        found["published_at"] = Finding(dateline, Method.LABELS, GUESSED)
    if in_url := _URL_DATE.search(page.url):
        found.setdefault("published_at", Finding("-".join(in_url.groups()), Method.HTML, GUESSED))
    return found


def said_date(lines: Sequence[TextLine], heading: Heading | None) -> str | None:
    """The date near the heading that a word marks as the date of publication: "Posted on 4 March 2026"."""
    for line in near(lines, heading):
        if len(line.text) <= _LONGEST_BYLINE and (date := date_in(line.text)) is not None:
            before = words.BARS.split(line.text[: line.text.find(date)])[-1]
            if words.PUBLISHED.search(before) and not words.UPDATED.search(before) and not _is_another(before):
                return date
    return None


def name_in(text: str) -> str | None:
    """The name in a byline; None when it has none."""
    name = words.AFTER_NAME.split(text.strip(), maxsplit=1)[0].strip(" ,:-\u2013\u2014")
    if not name or len(name) > _LONGEST_NAME or len(name.split()) > _MOST_WORDS or words.NO_NAME.search(name):
        return None
    return name


def _signed(page: HtmlPage) -> Iterator[tuple[Element, str]]:
    """The elements marked as an author's name, with that name."""
    for node in page.tree.select(words.SIGNED)[:_MOST_SIGNED]:
        if node.tag not in ("body", "main", "article") and not _is_quoted(node):
            text = words.BY.sub("", folded(spaced_text(node)))
            if name := name_in(text):
                yield node, name
            if name := next(_names(spaced_text(node, "\n")), None):
                yield node, name


def _names(text: str) -> Iterator[str]:
    """The pieces of such an element that look like names: it may contain a date and a count as well."""
    for piece in (folded(piece) for piece in text[:_LONGEST_BYLINE].split("\n")):
        is_label = words.BY.match(f"{piece} x") is not None and " " not in piece
        if " " in piece and not is_label and (name := name_in(words.BY.sub("", piece))) and _is_capitalised(name):
            yield name


def _is_quoted(node: Element) -> bool:
    """Does the element name a person who is quoted: a customer, a reader?"""
    for above in islice(self_and_above(node), _FARTHEST_UP):
        if above.tag in ("article", "main", "body"):
            return False
        if above.tag in ("blockquote", "figure") or words.QUOTED.search((above.attr("class") or "")[:200]):
            return True
    return False


def _is_capitalised(name: str) -> bool:
    """Are most of its words capitalised? Scripts without capitals always count as names."""
    parts = [word for word in name.split() if word[0].isalpha()]
    return sum(not word[0].islower() for word in parts) * 2 > len(parts)


def near(lines: Sequence[TextLine], heading: Heading | None) -> Sequence[TextLine]:
    """The lines around the heading; the first ones of the page when it has none."""
    place = next((place for place, line in enumerate(lines) if heading and line.text == heading.text), None)
    return lines[: _AFTER * 2] if place is None else lines[max(0, place - _BEFORE) : place + _AFTER + 1]


def _pieces(line: TextLine) -> Iterator[str]:
    """A line, and its separate pieces: its elements, and what dots, bars or labels separate."""
    yield line.text
    if len(line.text) <= _LONGEST_BYLINE:
        yield from line.parts if len(line.parts) > 1 else ()
        pieces = [piece for piece in words.PIECES.split(line.text) if piece]
        yield from pieces if len(pieces) > 1 else ()


def _dated_lines(lines: Sequence[TextLine], heading: Heading | None) -> Iterator[tuple[str, str]]:
    above = ""
    for line in near(lines, heading):
        label, above = above, line.text
        if (heading and line.text == heading.text) or _is_another(label):
            continue
        for piece in _pieces(line):
            if (date := date_in(piece)) is None:
                continue
            said, before = piece[: piece.find(date)], line.text[: line.text.find(date)]
            if words.UPDATED.search(said):
                yield "updated_at", date
            elif _is_another(words.BARS.split(before)[-1]):
                continue
            elif words.PUBLISHED.search(said) or words.BY.match(piece) or value_type(piece) is ValueType.DATE:
                yield "published_at", date


def _is_another(label: str) -> bool:
    """Does the label announce something other than a date of publication: "Closing date:", "Location"?"""
    return field_for(label) not in (None, "published_at", "updated_at", "author", "title", "section", "tags")


def _dateline(lines: Sequence[TextLine], heading: Heading | None) -> str | None:
    """The date at the start of the first paragraph, as in a press release."""
    for line in near(lines, heading):
        place = words.DATELINE.match(line.text[:_LONGEST_DATELINE]) if len(line.text) > _LONGEST_DATELINE else None
        date = DATE.match(line.text[:_LONGEST_DATELINE], place.end()) if place else None
        if date is not None and line.text[date.end() :].lstrip(" )")[:1] in _AFTER_DATELINE:
            return date[0].strip(" ,.")
    return None


class _Time(NamedTuple):
    field: str
    date: str
    #: the date as it is shown
    shown: str


def _times(page: HtmlPage, heading: Heading | None) -> Iterator[_Time]:
    """The page's own time elements; those of teasers and comments are left out."""
    framing = _framing(heading)
    for node in page.tree.find_all("time")[:_MOST_TIMES]:
        date = folded(node.attr("datetime")) or folded(node.text)
        if not any(c.isdigit() for c in date) or len(date) > LONGEST_DATE or _is_elsewhere(node, framing):
            continue
        names = f"{node.attr('class') or ''} {node.attr('itemprop') or ''}"
        before = folded(own_text(parent))[-60:] if (parent := parent_of(node)) is not None else ""
        updated = words.UPDATED.search(names) or (words.UPDATED.search(before) and not words.PUBLISHED.search(before))
        yield _Time("updated_at" if updated else "published_at", date, folded(node.text))


def _is_elsewhere(node: Element, framing: set[Element]) -> bool:
    """Is it in a list or in an article that is not the one under the page's heading, or outside that one?"""
    above, in_footer = parent_of(node), False
    for _ in range(_FARTHEST_UP):
        if above is None:
            return bool(framing)
        if above in framing:
            # An article has its byline in its own footer; the footer of a page belongs to the whole site.
            return in_footer and above.tag != "article"
        if above.tag in ("li", "article", "aside", "nav", "tr"):
            return True
        in_footer = in_footer or above.tag == "footer"
        above = parent_of(above)
    return False


def _framing(heading: Heading | None) -> set[Element]:
    """The heading and the elements around it, within its article if it has one."""
    found: set[Element] = set()
    if heading is None:
        return found
    last = _article_around(heading)
    for above in islice(self_and_above(heading.node), 100):
        found.add(above)
        if above == last:
            break
    return found


def _article_around(heading: Heading) -> Element | None:
    """The article that contains the heading."""
    near = islice(self_and_above(heading.node), _FARTHEST_UP + 1)
    return next((above for above in near if above.tag == "article"), None)
