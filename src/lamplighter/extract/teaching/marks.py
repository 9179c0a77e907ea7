"""Which elements of a page were read, and as what?

Records are values. Each is looked for on the page: the link by its address, the title and the other values by their
text, inside the smallest element around title and link that holds no other record.
"""

from collections.abc import Iterator, Mapping, Sequence

from turbohtml import Element

from lamplighter.extract.html_page import folded
from lamplighter.extract.teaching.lesson import NEXT, TITLE, URL, ReadMark
from lamplighter.extract.teaching.places import UNSEEN, NumberedPage
from lamplighter.extract.teaching.rows import text_of, way_up
from lamplighter.model.record import RawRecord
from lamplighter.rules.urls.urls import LinkResolver

ROW = "row"
_MOST_RECORDS = 1_000
#: elements of a row that are searched for its values
_MOST_INSIDE = 300
#: texts that may be a title
_LONGEST = 500


def marks_of(
    page: NumberedPage, records: Sequence[RawRecord], *, url: str, next_page: str | None = None
) -> list[ReadMark]:
    """What was read, in the order of the records; what is only in structured data has no place on the page."""
    resolve = LinkResolver(LinkResolver(url).resolve(page.tree.base_url()) or url).resolve
    links: dict[str, list[Element]] = {}
    texts: dict[str, list[Element]] = {}
    for node in page.nodes:
        if node.tag in UNSEEN:
            continue
        if (href := node.attr("href")) and node.tag != "link" and (target := resolve(href)):
            links.setdefault(target, []).append(node)
        if node.tag not in ("html", "body", "title") and (text := text_of(node)) and len(text) <= _LONGEST:
            texts.setdefault(text, []).append(node)
    found = [_named(record, texts, links) for record in records[:_MOST_RECORDS]]
    titles = {title for title, _ in found if title is not None}
    marks: list[ReadMark] = []
    for record, (title, link) in zip(records, found, strict=False):
        if title is not None:
            marks += _of_record(page, record, title, link, titles)
    if next_page is not None and next_page in links:
        marks.append(ReadMark(page.places[links[next_page][-1]], NEXT, 1.0))
    return marks


def _named(
    record: RawRecord, texts: Mapping[str, list[Element]], links: Mapping[str, list[Element]]
) -> tuple[Element | None, Element | None]:
    """The title and the link of a record; of several such titles the one nearest to the link."""
    said = record.fields.get(TITLE)
    titles = texts.get(folded(str(said.value)), []) if said is not None else []
    address = record.fields.get(URL)
    anchors = links.get(str(address.value), []) if address is not None else []
    best: tuple[int, Element | None, Element | None] = (-1, titles[-1] if titles else None, None)
    for title in titles[:20]:
        way = way_up(title)
        for anchor in anchors[:20]:
            shared = len(set(way) & set(way_up(anchor)))
            if shared > best[0] or (shared == best[0] and anchor is title):
                best = (shared, title, anchor)
    return best[1], best[2]


def _of_record(
    page: NumberedPage, record: RawRecord, title: Element, link: Element | None, titles: set[Element]
) -> Iterator[ReadMark]:
    yield ReadMark(page.places[title], TITLE, record.fields[TITLE].confidence)
    if link is not None and link is not title:
        yield ReadMark(page.places[link], URL, record.fields[URL].confidence)
    row = _row_of(title, link, titles)
    yield ReadMark(page.places[row], ROW, record.fields[TITLE].confidence)
    inside = [node for node in list(row.iter_elements())[:_MOST_INSIDE] if node.tag not in UNSEEN]
    for name, value in record.fields.items():
        if name in (TITLE, URL) or not isinstance(value.value, str):
            continue
        wanted = folded(value.value)
        says = [node for node in inside if wanted and (wanted in text_of(node) or node.attr("datetime") == wanted)]
        if says:
            yield ReadMark(page.places[min(says, key=lambda node: len(text_of(node)))], name, value.confidence)


def _row_of(title: Element, link: Element | None, titles: set[Element]) -> Element:
    """The outermost element around the title that holds no other title, and the link if there is one."""
    row = title
    for node in way_up(title):
        if any(inner in titles and inner is not title for inner in node.iter_elements()):
            break
        row = node
    return row
