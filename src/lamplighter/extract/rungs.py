"""Extracts the records of a page from every kind of evidence on it.

A page is either about one thing or it lists many. What it declares itself (recipe, structured data) decides first; only
where that leaves the question open is the page analysed (embedded state, listing, detail, article), which costs more.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from lamplighter.extract.html_page import HtmlPage
from lamplighter.extract.listing.page_evidence import Declared
from lamplighter.extract.listing.records import NO_LISTING, PageListing, find_listing
from lamplighter.extract.merge import CONFIDENCE, further, is_at_page, is_elsewhere, merge, shared, with_own_addresses
from lamplighter.extract.recipes import by_recipe
from lamplighter.extract.single.about_one import is_about_one
from lamplighter.extract.single.article import read_article
from lamplighter.extract.single.detail import detail_records
from lamplighter.extract.single.headings import Heading, main_heading
from lamplighter.extract.single.main_text import paragraphs_length
from lamplighter.extract.single.page_type import is_named_otherwise, is_not_article, is_story
from lamplighter.extract.state.embedded_state import state_records
from lamplighter.extract.structured.jsonld import read_jsonld
from lamplighter.extract.structured.microdata import microdata_records
from lamplighter.extract.structured.page_meta import meta_records
from lamplighter.extract.structured.rdfa import rdfa_records
from lamplighter.extract.words.field_words import bare
from lamplighter.model.reading import RowPosition
from lamplighter.model.recipe import Recipe
from lamplighter.model.record import Finding, Method, RawRecord, RecordKind

Rung = Callable[[HtmlPage, RecordKind | None], list[RawRecord]]
#: vocabularies in the markup, besides JSON-LD; the syntaxes say the same
IN_MARKUP: tuple[Rung, ...] = (microdata_records, rdfa_records)
#: from this many records on a page counts as a list
_LIST = 2
#: with this many times as many rows as structured data name, the data leave some out
_MANY_MORE = 1.5
#: methods whose running text is that of an element with everything in it, in one piece
_FLAT = frozenset({Method.MICRODATA, Method.RDFA})
_DOUBTFUL_CONFIDENCE = 0.55
#: a text that is a smaller share of the page's paragraphs, or ends so, is only the beginning
_WHOLE, _CUT = 0.5, ("\u2026", "...")
#: and so is one if the page's own text is this many times as long
_MUCH_LONGER = 1.5
#: with these fields a record needs no search on the page
_NEEDED_OF_ANY = frozenset({"title", "description"})
_NEEDED: Mapping[RecordKind | None, frozenset[str]] = {
    RecordKind.PRODUCT: _NEEDED_OF_ANY | {"price", "brand"},
    RecordKind.JOB: _NEEDED_OF_ANY | {"organisation", "location", "published_at"},
    RecordKind.ARTICLE: frozenset({"title", "text"}),
}
#: fields of the head that hold for any kind of page
_OF_ANY_KIND = frozenset({"published_at", "updated_at", "language", "image", "url"})


class PageEvidence(NamedTuple):
    """What was found on a page."""

    records: list[RawRecord]
    #: oddities
    warnings: tuple[str, ...] = ()
    #: why the recipe extracted less than it should
    recipe_warnings: tuple[str, ...] = ()
    #: why the page was read as this list; empty when it was not
    because: str = ""
    #: where the list is; None when the page was not read as one by its form
    list_at: RowPosition | None = None


def records_of(
    page: HtmlPage, html: str, recipe: Recipe, wanted: RecordKind | None, *, list_at: RowPosition | None = None
) -> PageEvidence:
    """The records of a page, each field by its best evidence; `html` is what the page was parsed from.

    `list_at` is where the list was on the last page of this template.
    """
    read = by_recipe.apply(page, recipe, wanted or RecordKind.OTHER)
    described = read_jsonld(page, wanted)
    target = _Target(page, html, wanted, list_at)
    said = [described.records, *(rung(page, wanted) for rung in IN_MARKUP)]
    structured = [_with_doubt(found, page) for records in said if (found := _heard(records, target))]
    warnings = (f"{described.unreadable} of its JSON-LD blocks could not be parsed",) if described.unreadable else ()
    found, is_listing, because, list_at = _with_recipe(read.records, recipe, structured, target)
    if recipe.details and not recipe.fields and not is_listing:
        return records_of(page, html, replace(recipe.of_details(), details={}), wanted)
    records = with_own_addresses(found, page, is_listing=is_listing)
    return PageEvidence(records, warnings, read.warnings, because, list_at)


class _Target(NamedTuple):
    """A page, and the kind that is wanted."""

    page: HtmlPage
    html: str
    wanted: RecordKind | None
    #: where the list was on the last page of this template
    list_at: RowPosition | None


class _Records(NamedTuple):
    found: list[RawRecord]
    is_listing: bool
    because: str = ""
    list_at: RowPosition | None = None


def _with_recipe(
    read: list[RawRecord], recipe: Recipe, structured: Sequence[list[RawRecord]], target: _Target
) -> _Records:
    own = _own(structured, target.page)
    if not read:
        return _without_recipe(structured, own, target)
    if recipe.items is not None:
        return _Records(merge([read, *structured]), is_listing=True)
    return _Records(merge([read, *structured, *_single(target, own)]), is_listing=False)


def _without_recipe(structured: Sequence[list[RawRecord]], own: RawRecord | None, target: _Target) -> _Records:
    if own is None or not _is_sure(own, target.page):
        listed = _listed(structured, own, target)
        if listed.records:
            return _Records(listed.records, is_listing=True, because=listed.because, list_at=listed.at)
    own = own or _lone(structured, target.page)
    if own is not None:
        # What another syntax says about other things is irrelevant here.
        same = [[record for record in found if not is_elsewhere(record, target.page)] for found in structured]
        return _Records(merge([[own], *same, *_single(target, own)]), is_listing=False)
    if found := merge(_single(target, None)):
        return _Records(found, is_listing=False)
    return _Records(merge(structured), is_listing=True)


def _own(structured: Sequence[list[RawRecord]], page: HtmlPage) -> RawRecord | None:
    """The one thing that structured data say the page is about; None when they name many, or leave it open."""
    leading = max(structured, key=len, default=[])
    if not leading:
        return None
    heading = main_heading(page)
    if len(leading) == 1:
        own = [record for record in leading if is_at_page(record, page) or _is_named(record, page)]
        own = own or [record for record in leading if _is_declared(record, page)]
    else:
        own = [record for record in leading if is_at_page(record, page) or _is_headed(record, heading)]
        named = [] if own else [record for record in leading if " " in _title(record) and _is_named(record, page)]
        own = own or (named if len(named) == 1 else [])
    # A recipe or an event at this address is what the article at this address is about.
    things = [r for found in structured for r in found if r.kind is RecordKind.OTHER and is_at_page(r, page)]
    if len(things) == 1 and all(record.kind is RecordKind.ARTICLE for record in own if record is not things[0]):
        own = [*things, *(record for record in own if record is not things[0])]
    elif len(own) > 1 and not any(_is_headed(record, heading) for record in own):
        # Some templates give every row the address of the list.
        return None
    else:
        own.sort(key=lambda record: not _is_headed(record, heading))
    return next(iter(merge([record] for record in own)), None)


def _is_sure(own: RawRecord, page: HtmlPage) -> bool:
    """Is there no doubt that the page is about this thing? Blogs describe the first of their posts, shops a range."""
    is_whole = _NEEDED.get(own.kind, _NEEDED_OF_ANY) <= own.fields.keys()
    return is_whole or is_at_page(own, page) or _is_declared(own, page)


def _lone(structured: Sequence[list[RawRecord]], page: HtmlPage) -> RawRecord | None:
    """The only thing that structured data name, if they do not place it elsewhere on the site."""
    leading = max(structured, key=len, default=[])
    return leading[0] if len(leading) == 1 and not is_elsewhere(leading[0], page) else None


def _is_named(record: RawRecord, page: HtmlPage) -> bool:
    """Does the page have the record's title?"""
    title = _title(record)
    if not title:
        return "url" not in record.fields
    return f" {title} " in f" {bare(page.title or '')} " or _is_headed(record, main_heading(page))


def _is_declared(record: RawRecord, page: HtmlPage) -> bool:
    """Does the head of the page say that it is about one product or posting, as this record is?"""
    if record.kind not in (RecordKind.PRODUCT, RecordKind.JOB):
        return False
    return any(said.kind is record.kind for said in meta_records(page, None))


def _is_headed(record: RawRecord, heading: Heading | None) -> bool:
    return heading is not None and bool(title := _title(record)) and title == bare(heading.text)


def _title(record: RawRecord) -> str:
    found = record.fields.get("title")
    return bare(str(found.value)) if found is not None else ""


def _listed(structured: Sequence[list[RawRecord]], own: RawRecord | None, target: _Target) -> PageListing:
    """The many things that the page lists; none when it is about one."""
    page, wanted = target.page, target.wanted
    named = [found for found in structured if len(found) >= _LIST] if own is None else []
    if not named and wanted in (None, RecordKind.ARTICLE) and is_story(page):
        return NO_LISTING
    listing = find_listing(page, wanted, _declared(own, structured), before=target.list_at)
    rungs = [listing.records]
    if own is None:
        rungs.insert(0, state_records(page, wanted))
    least = 1 if listing.is_known else _LIST
    shown = [found for records in rungs if len(found := _of_kind(records, wanted)) >= least]
    if not shown and not named:
        return NO_LISTING
    if not named and not listing.is_known and is_about_one(shown, page, wanted):
        return NO_LISTING
    leading = max(named, key=len, default=[])
    records = merge([*_ranked(leading, shown), *(found for found in structured if found is not leading)])
    others = (more for found in structured for more in found if not is_at_page(more, page))
    return listing._replace(records=records + further(records, others))


def declared(structured: Sequence[list[RawRecord]], page: HtmlPage) -> Declared:
    """What structured data say about the page being about one thing."""
    return _declared(_own(structured, page), structured)


def _declared(own: RawRecord | None, structured: Sequence[list[RawRecord]]) -> Declared:
    return Declared(own.kind if own is not None else None, max(map(len, structured), default=0))


def _ranked(named: list[RawRecord], shown: Sequence[list[RawRecord]]) -> list[list[RawRecord]]:
    """Lists of the same things; the first decides which there are: structured data, unless they leave out many rows."""
    by_length = sorted(shown, key=len, reverse=True)
    most = by_length[0] if by_length else []
    leaves_out = len(most) >= _MANY_MORE * len(named) and shared(named, most) * 2 >= len(named)
    if leaves_out or len(most) > 2 * len(named):
        return [*by_length, named]
    return [named, *by_length]


def _single(target: _Target, known: RawRecord | None) -> list[list[RawRecord]]:
    """What the page itself says about the one thing it is about, as far as it is not known already."""
    page, html, wanted, _ = target
    has = _known_fields(known)
    kind = known.kind if known is not None else wanted
    meta = meta_records(page, kind)
    if kind is RecordKind.ARTICLE:
        if has >= _NEEDED[kind]:
            return [meta]
        return [meta, _unless_told(read_article(page, html, kind), known), _headed(page, kind)]
    if _NEEDED.get(kind, _NEEDED_OF_ANY) <= has:
        return [meta]
    detail = detail_records(page, kind)
    if known is None and meta:
        meta = _confirmed_meta(meta, detail, target)
    is_read = known is None and (not detail or (meta or detail)[0].kind is RecordKind.ARTICLE)
    return [meta, detail, read_article(page, html, kind) if is_read else []]


def _unless_told(read: list[RawRecord], known: RawRecord | None) -> list[RawRecord]:
    """The article as it was read, without its text if JSON-LD has nearly as much: the rest of it are comments."""
    said = known.fields.get("text") if known is not None else None
    if said is None or said.method is not Method.JSONLD or str(said.value).endswith(_CUT):
        return read
    return [
        replace(record, fields={name: found for name, found in record.fields.items() if name != "text"})
        if len(str(record.fields["text"].value)) < _MUCH_LONGER * len(str(said.value))
        else record
        for record in read
    ]


def _headed(page: HtmlPage, kind: RecordKind) -> list[RawRecord]:
    """The heading, for things that nothing else names."""
    heading = main_heading(page)
    if heading is None:
        return []
    return [RawRecord(kind=kind, fields={"title": Finding(heading.text, Method.LABELS, CONFIDENCE)})]


def _confirmed_meta(meta: list[RawRecord], detail: list[RawRecord], target: _Target) -> list[RawRecord]:
    """What the head says, as far as the page confirms it: some systems call every page an article."""
    if meta[0].kind is not RecordKind.ARTICLE:
        return meta
    if detail and detail[0].kind is not RecordKind.ARTICLE:
        fields = {name: found for name, found in meta[0].fields.items() if name in _OF_ANY_KIND}
        return [RawRecord(kind=detail[0].kind, fields=fields)]
    heading = main_heading(target.page)
    is_none = target.wanted is None and not detail and heading is not None and is_not_article(target.page, heading)
    return [] if is_none else meta


def _known_fields(known: RawRecord | None) -> frozenset[str]:
    """The fields that need no more searching."""
    fields = known.fields if known is not None else {}
    return frozenset(
        name for name, found in fields.items() if name != "text" or found.confidence > _DOUBTFUL_CONFIDENCE
    )


def _with_doubt(records: list[RawRecord], page: HtmlPage) -> list[RawRecord]:
    """The records, with less confidence in a flat or shortened running text than in the article reader's."""
    texts = {place: record.fields["text"] for place, record in enumerate(records) if "text" in record.fields}
    if not texts:
        return records
    enough = _WHOLE * paragraphs_length(page)
    doubtful = dict.fromkeys(
        place
        for place, text in texts.items()
        if text.method in _FLAT or len(said := str(text.value)) < enough or said.endswith(_CUT)
    )
    return [
        replace(record, fields={**record.fields, "text": texts[place]._replace(confidence=_DOUBTFUL_CONFIDENCE)})
        if place in doubtful
        else record
        for place, record in enumerate(records)
    ]


def _heard(records: list[RawRecord], target: _Target) -> list[RawRecord]:
    """The records that may count here: of the wanted kind, and no article where the page is clearly none."""
    found = _of_kind(records, target.wanted)
    if len(found) >= _LIST:
        # Of several things without a name the first may be the page itself; the others cannot be told apart.
        found = [record for record in found if "title" in record.fields] or found[:1]
    if target.wanted is not None or len(found) != 1 or found[0].kind is not RecordKind.ARTICLE:
        return found
    heading = main_heading(target.page)
    return [] if heading is not None and is_named_otherwise(target.page, heading) else found


def _of_kind(records: list[RawRecord], wanted: RecordKind | None) -> list[RawRecord]:
    if wanted is None:
        return records
    return [record for record in records if record.kind in (wanted, RecordKind.OTHER)]
