"""Extracts the records of a listing from nothing but what repeats on the page.

1. `tree` walks the page once.
2. `regions` finds similar links and the rows around them.
3. `choice` takes the region where the listing was on the page before, or weighs the evidence for each region and for
   the page having no listing; `strays` finds rows that do not belong.
4. `columns`, `labels` and `titles` separate the texts of a row; `fields` and `dates` assign them.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from lamplighter.extract.html_page import HtmlPage, host_of
from lamplighter.extract.listing.choice import at_position, choose, position_of
from lamplighter.extract.listing.columns import Columns, cells_of, header_for, header_of, is_data, is_table, table_rows
from lamplighter.extract.listing.dates import BY_TYPE, Values, dates_above, notice_days, title_days, with_date_above
from lamplighter.extract.listing.fields import BY_HEADER, known_texts, values_of
from lamplighter.extract.listing.flat import FlatRow, RowLink
from lamplighter.extract.listing.ground import Ground
from lamplighter.extract.listing.kinds import kind_of
from lamplighter.extract.listing.labels import constant_texts
from lamplighter.extract.listing.missed import with_missed
from lamplighter.extract.listing.page_evidence import NOTHING_DECLARED, Declared
from lamplighter.extract.listing.places import places_of
from lamplighter.extract.listing.regions import MAX_ROWS, UNLINKED, Region, link_text, pattern_of, regions
from lamplighter.extract.listing.rows import HEADINGS, is_action, is_apply, links_in, segments, text_of
from lamplighter.extract.listing.sections import sections
from lamplighter.extract.listing.spans import Spans, spans_of
from lamplighter.extract.listing.strays import without_strays
from lamplighter.extract.listing.titles import ReadRow, give_titles
from lamplighter.extract.listing.tree import ROW_ADDRESSES, Box, outline, release
from lamplighter.extract.words.value_types import date_in
from lamplighter.model.reading import RowPosition
from lamplighter.model.record import Finding, Method, RawRecord, RecordKind

#: no list that was found by its form is surer than what structured data say
_SUREST = 0.90
_MAX_LINKS = 5_000
_MAX_TABLES = 200
_NO_ADDRESS = ("#", "mailto:", "tel:", "javascript:", "data:", "sms:", "whatsapp:")
_IN_SCRIPT = re.compile(r"location(?:\.href)?\s*=\s*['\"]([^'\"]{1,500})['\"]|open\(\s*['\"]([^'\"]{1,500})['\"]")
#: characters before a link in its own line that make it a part of a sentence
_SENTENCE = 40
#: elements in a link that may be its heading
_FIRST = 12
#: jobs, and events among all the rest
_AT_A_PLACE = frozenset({RecordKind.JOB, RecordKind.OTHER})
_ROW_TAGS = frozenset({"tr", "li", "div", "article", "td"})


class PageListing(NamedTuple):
    """What a page lists."""

    records: list[RawRecord]
    #: why these rows and no others, for people; empty when there is no listing
    because: str = ""
    #: where it is; None when that was a close choice
    at: RowPosition | None = None
    #: whether it was found where it was before
    is_known: bool = False


NO_LISTING = PageListing([])


def template_of(page: HtmlPage) -> str:
    """The pattern of the page's address: pages with the same pattern are built alike."""
    return pattern_of(page.url, host_of(page.url))


def find_listing(
    page: HtmlPage,
    wanted: RecordKind | None,
    declared: Declared = NOTHING_DECLARED,
    *,
    before: RowPosition | None = None,
) -> PageListing:
    """The listing that the page is about; without records when it is about something else.

    `before` is where it was on the last page of this template; there it is looked for first.
    """
    if len(page.anchors) > _MAX_LINKS * 20:
        return NO_LISTING
    boxes = outline(page)
    try:
        return _listing(page, boxes, wanted, declared, before)
    finally:
        release(boxes)


def _listing(
    page: HtmlPage, boxes: Sequence[Box], wanted: RecordKind | None, declared: Declared, before: RowPosition | None
) -> PageListing:
    links = links_of(page, boxes)
    found = found_regions(boxes, links)
    known = at_position(found, links, before) if before is not None else None
    choice = known or choose(found, Ground(page, boxes), declared=declared, wanted=wanted)
    if choice is None:
        return NO_LISTING
    sure = min(choice.sure, _SUREST)
    records = records_of_region(page, with_missed(without_strays(choice.region), links), boxes, wanted, sure=sure)
    at = before if known else position_of(choice, template_of(page))
    return PageListing(records, choice.because, at, is_known=known is not None)


def found_regions(boxes: Sequence[Box], links: Sequence[RowLink]) -> list[Region]:
    """Everything on the page that repeats."""
    main = next((box for box in boxes if box.tag == "main" or box.role == "main"), None)
    by_place = {link.box.place: link for link in links}
    return [*regions(links, main), *_tables(boxes, by_place), *sections(boxes, by_place)]


def links_of(page: HtmlPage, boxes: Sequence[Box]) -> list[RowLink]:
    """The links of the page that lead somewhere else."""
    resolve, host = page.resolver.resolve, host_of(page.url)
    found: list[RowLink] = []
    known: dict[str, tuple[str, str] | None] = {}
    headings = [box.place for box in boxes if box.tag in HEADINGS]
    heading_until = 0
    for box in boxes:
        tag = box.tag
        if tag in HEADINGS:
            heading_until = max(heading_until, box.last)
        if tag == "a":
            href = box.attribute("href").strip()
        elif box.clickable and tag in _ROW_TAGS:
            href = _row_address(box)
        else:
            continue
        if not href:
            continue
        if href not in known:
            url = None if href.lower().startswith(_NO_ADDRESS) else resolve(href)
            known[href] = (url, pattern_of(url, host)) if url is not None and url != page.url else None
        target = known[href]
        if target is None or len(found) >= _MAX_LINKS or box.before >= _SENTENCE:
            continue
        in_heading = box.place <= heading_until or _has_heading(box, headings)
        found.append(RowLink(box=box, url=target[0], pattern=target[1], text=link_text(box), in_heading=in_heading))
    return found


def _has_heading(box: Box, headings: Sequence[int]) -> bool:
    """Is there a heading among its first elements? `headings` are the places of all."""
    at = bisect_right(headings, box.place)
    return at < len(headings) and headings[at] <= min(box.last, box.place + _FIRST)


def _row_address(box: Box) -> str:
    """The target of a row that a script makes clickable."""
    for name in ROW_ADDRESSES:
        if address := box.attribute(name):
            return address.strip()
    script = box.attribute("onclick")
    if script and (match := _IN_SCRIPT.search(script[:1000])):
        return match[1] or match[2]
    return ""


def _tables(boxes: Sequence[Box], links: Mapping[int, RowLink]) -> Iterator[Region]:
    """Tables whose headers name a title and something else: their rows are records even without links."""
    for table in islice((box for box in boxes if is_table(box)), _MAX_TABLES):
        columns = header_of(table)
        fields = columns.fields.values()
        if table.worth < 1 or "title" not in fields or len(fields) < 2:
            continue
        title = next(column for column, field in columns.fields.items() if field == "title")
        rows = [row for row in islice(table_rows(table), MAX_ROWS) if is_data(row)]
        spans = spans_of(rows, columns)
        named = [
            FlatRow(parts=spans.own_parts(row) if spans else [row], box=row, link=None)
            for row in rows
            if _has_text(row, title, spans)
        ]
        yield Region(key="table", rows=[replace(row, link=_link_in(row, links)) for row in named])


def _has_text(row: Box, column: int, spans: Spans | None) -> bool:
    """Is the title cell filled? A row of filters above the others has none."""
    cells = spans.own_cells(row) if spans else dict(cells_of(row))
    return column not in cells or cells[column].size > 0


def _link_in(row: FlatRow, links: Mapping[int, RowLink]) -> RowLink | None:
    """The link of a row: the row itself, or its first link that is not a mere button."""
    inside = [links[box.place] for box in links_in(row.parts) if box.place in links]
    best = min(inside, key=lambda link: (is_action(link.text), is_apply(link.text)), default=None)
    return links.get(row.box.place) or best


def records_of_region(
    page: HtmlPage, region: Region, boxes: Sequence[Box], wanted: RecordKind | None, *, sure: float = _SUREST
) -> list[RawRecord]:
    """The records of a region; `sure` is how likely it is the listing of the page."""
    boxes_of_rows = [row.box for row in region.rows]
    columns = header_for(boxes_of_rows)
    spans = spans_of(boxes_of_rows, columns)
    texts = [segments(spans.own_parts(row.box) if spans else row.parts) for row in region.rows]
    constants = constant_texts(texts)
    reads = [
        ReadRow(row=row, texts=parts, known=known_texts(parts, row.box, columns, constants, spans))
        for row, parts in zip(region.rows, texts, strict=True)
    ]
    give_titles(reads)
    above = dates_above(region.rows, boxes)
    kind = wanted or _kind(page, region, boxes, reads, columns, above)
    has_place = "location" in columns.fields.values()
    places = places_of(reads, boxes, page.language) if kind in _AT_A_PLACE and not has_place else {}
    notices = notice_days(reads) if kind is RecordKind.JOB else []
    if kind is RecordKind.ARTICLE:
        notices = title_days(reads)
    shared = _shared(page, reads) if region.key in UNLINKED else frozenset()
    by_key: dict[str, dict[str, Finding]] = {}
    for number, (read, date_above) in enumerate(zip(reads, above, strict=True)):
        url = _url(page, read)
        url = None if url in shared else url
        if not read.title or (url is None and region.key not in UNLINKED):
            continue
        values = with_date_above(values_of(read, kind, columns), date_above, kind)
        group_fields = spans.fields_of_group(read.row.box, columns) if spans else {}
        of_group = {name: (value, BY_HEADER) for name, value in group_fields.items()}
        fields = _fields(read, url, sure, {**of_group, **values})
        if notices and notices[number]:
            fields.setdefault("published_at", Finding(notices[number], Method.LISTING, BY_TYPE))
        if number in places:
            fields.setdefault("location", Finding(places[number], Method.LISTING, BY_TYPE))
        if kind is RecordKind.JOB and (form := _form(page, read, url)):
            fields.setdefault("apply_url", Finding(form, Method.LISTING, BY_TYPE))
        known = by_key.setdefault(url or f"{read.row.box.place}", fields)
        for name, found in fields.items():
            known.setdefault(name, found)
    return [RawRecord(kind=kind, fields=fields) for fields in by_key.values()]


def _url(page: HtmlPage, read: ReadRow) -> str | None:
    url = _target(page, read.link) if read.link is not None else None
    if url is not None and url != page.url:
        return url
    return read.row.link.url if read.row.link else None


def _target(page: HtmlPage, link: Box) -> str | None:
    href = link.attribute("href").strip()
    return None if href.lower().startswith(_NO_ADDRESS) else page.resolver.resolve(href)


def _shared(page: HtmlPage, reads: Sequence[ReadRow]) -> frozenset[str | None]:
    """Addresses shared by rows of different titles: a common form is no row's own page."""
    names: dict[str | None, set[str]] = defaultdict(set)
    for read in reads:
        names[_url(page, read)].add(read.title)
    return frozenset(url for url, titles in names.items() if len(titles) > 1)


def _form(page: HtmlPage, read: ReadRow, url: str | None) -> str | None:
    """The application form, if that is another page than the one about the job."""
    for part in read.texts:
        if part.link is not None and is_apply(part.text):
            form = _target(page, part.link)
            return form if form not in (url, page.url) else None
    return None


def _fields(read: ReadRow, url: str | None, sure: float, values: Values) -> dict[str, Finding]:
    fields = {"title": Finding(read.title, Method.LISTING, sure)}
    if url is not None:
        fields["url"] = Finding(url, Method.LISTING, sure)
    for name, (value, confidence) in values.items():
        if name not in fields and name != "url":
            fields[name] = Finding(value, Method.LISTING, confidence)
    return fields


def _kind(
    page: HtmlPage,
    region: Region,
    boxes: Sequence[Box],
    reads: Sequence[ReadRow],
    columns: Columns,
    above: Sequence[str],
) -> RecordKind:
    sample = reads[:20]
    fields = {name for read in sample for name in values_of(read, RecordKind.OTHER, columns)}
    dated = sum(
        1
        for read, date_above in zip(sample, above, strict=False)
        if date_in(date_above) or any(date_in(part.text) for part in read.texts)
    )
    forms = sum(1 for read in sample if any(part.link and is_apply(part.text) for part in read.texts))
    if forms >= len(sample) / 2:
        fields.add("apply_url")
    first = region.rows[0].box.place
    headings = [text_of(box) for box in boxes[:first] if box.tag in ("h1", "h2") and box.worth == 1]
    urls = [row.link.url for row in region.rows if row.link]
    return kind_of(page, urls, fields, " ".join(headings[-2:]), has_dates=dated >= len(sample) / 2)
