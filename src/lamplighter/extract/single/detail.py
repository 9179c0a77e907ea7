"""Extracts the one record that a page is about, from its heading, its labelled values and its text."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lamplighter.extract.html_page import HtmlPage, folded
from lamplighter.extract.listing.places import looks_like_place
from lamplighter.extract.single.byline import GUESSED, author_of, dates_of, name_in, near, said_date
from lamplighter.extract.single.headings import Heading, main_heading
from lamplighter.extract.single.labels import Labelled, attribute_labelled, labelled_values
from lamplighter.extract.single.main_text import joined, main_lines, prose_length
from lamplighter.extract.single.offer import amount_of, availability_of, has_buy_button, maker_of, price_of
from lamplighter.extract.single.page_type import is_article, is_named_otherwise
from lamplighter.extract.single.page_words import means_apply, mentions_job
from lamplighter.extract.single.text_lines import TextLine, lines_of
from lamplighter.extract.words.field_words import bare, field_for
from lamplighter.extract.words.value_types import ValueType, date_in, value_type
from lamplighter.model.record import Finding, Method, RawRecord, RecordKind

CONFIDENCE = 0.65
_BY_TYPE, _UNCONFIRMED = 0.55, 0.50

#: fields of postings, and fields that only postings have
_JOB_FIELDS = frozenset("deadline location level career_type salary work_modality organisation".split())
_ONLY_JOBS = frozenset("level career_type salary work_modality".split())
_PRODUCT_FIELDS = frozenset({"price", "sku", "brand", "availability"})
_OF_ANY_KIND = frozenset("organisation published_at updated_at tags guid location country".split())
_OF_KIND: Mapping[RecordKind, frozenset[str]] = {
    RecordKind.JOB: _JOB_FIELDS | _OF_ANY_KIND,
    RecordKind.PRODUCT: _PRODUCT_FIELDS | {"tags", "guid", "author"},
    RecordKind.ARTICLE: frozenset("author published_at updated_at section tags".split()),
    RecordKind.OTHER: _JOB_FIELDS | _PRODUCT_FIELDS | _OF_ANY_KIND | {"author", "section"},
}
#: value types that can only be one field, without a label
_FIELD_BY_TYPE: Mapping[ValueType | None, str] = {
    ValueType.GRADE: "level",
    ValueType.EMPLOYMENT: "career_type",
    ValueType.MODALITY: "work_modality",
}

#: a label that occurs this often belongs to the rows of a listing
_REPEATED = 3
#: so many facts of a posting are enough evidence
_MANY_FACTS = 4
#: characters of running text that make a page worth a record
_SOME_TEXT, _MUCH_TEXT = 150, 400
_MOST_LINKS = 2_000
#: lines under the heading, and their length, that may name the place and the employer
_MOST_UNDER, _LONGEST_UNDER = 4, 80


def detail_records(page: HtmlPage, wanted: RecordKind | None) -> list[RawRecord]:
    """At most one record: what the page is about. `wanted` is the source's kind; None lets the page decide."""
    heading = main_heading(page)
    if heading is None or is_named_otherwise(page, heading):
        return []
    facts = _gather(page, heading)
    if facts.is_listing:
        return []
    kind = _kind(facts) if wanted is None else wanted if _is_borne_out(facts, wanted) else None
    if kind is None:
        return []
    return [RawRecord(kind=kind, fields=_fields(facts, kind))]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Facts:
    """What a page shows about the thing it may be about."""

    page: HtmlPage
    heading: Heading
    lines: Sequence[TextLine]
    labelled: Sequence[Labelled]
    #: the first value of each field
    values: Mapping[str, str]
    #: None when there is no link to apply by; "" when it leads nowhere else
    apply_url: str | None
    prose: int
    #: the labels are those of many things
    is_listing: bool


def _gather(page: HtmlPage, heading: Heading) -> _Facts:
    lines = lines_of(page)
    labelled = [*labelled_values(lines), *attribute_labelled(page)]
    values: dict[str, str] = {}
    for found in labelled:
        values.setdefault(found.field, found.value)
    times = Counter(found.field for found in labelled)
    repeated = sum(count >= _REPEATED for count in times.values())
    return _Facts(
        page=page,
        heading=heading,
        lines=lines,
        labelled=labelled,
        values=values,
        apply_url=_apply_url(page),
        prose=prose_length(lines),
        is_listing=repeated * 2 > len(times),
    )


def _kind(facts: _Facts) -> RecordKind | None:
    """The kind that the page gives evidence of; None when it might be anything."""
    if _is_job(facts):
        return RecordKind.JOB
    if _is_product(facts):
        return RecordKind.PRODUCT
    return RecordKind.ARTICLE if _is_article(facts) else None


def _is_borne_out(facts: _Facts, wanted: RecordKind) -> bool:
    """Does the page confirm the kind of its source?"""
    match wanted:
        case RecordKind.JOB:
            is_posting = not _JOB_FIELDS.isdisjoint(facts.values) or facts.apply_url is not None
            speaks = mentions_job(f"{facts.page.url} {facts.page.title or ''}") and facts.prose >= _MUCH_TEXT
            return is_posting or speaks
        case RecordKind.PRODUCT:
            return (
                _price(facts) is not None or not _PRODUCT_FIELDS.isdisjoint(facts.values) or has_buy_button(facts.page)
            )
        case _:
            return facts.prose >= _SOME_TEXT


def _is_job(facts: _Facts) -> bool:
    said = _JOB_FIELDS & facts.values.keys()
    speaks = mentions_job(f"{facts.page.url} {facts.page.title or ''} {facts.heading.text}")
    if speaks:
        said |= _under_heading(facts).keys()
    only_jobs = len(said & _ONLY_JOBS)
    if len(said) >= 2 and (speaks or facts.apply_url is not None or only_jobs >= 2):
        return True
    if len(said) >= _MANY_FACTS and only_jobs:
        return True
    return facts.apply_url is not None and mentions_job(facts.page.url) and facts.prose >= _SOME_TEXT


def _is_product(facts: _Facts) -> bool:
    if _price(facts) is None:
        return False
    in_stock = availability_of(facts.lines) is not None
    return has_buy_button(facts.page) or in_stock or not {"sku", "availability"}.isdisjoint(facts.values)


def _is_article(facts: _Facts) -> bool:
    """Prose with a date of publication or a byline, or in a section of articles."""
    if facts.prose < _MUCH_TEXT:
        return False
    shown = _dates(facts)
    if (author := _author(facts)) is not None:
        shown["author"] = author
    return is_article(facts.page, shown)


def _fields(facts: _Facts, kind: RecordKind) -> dict[str, Finding]:
    fields = {
        name: Finding(value, Method.LABELS, CONFIDENCE)
        for name, value in facts.values.items()
        if name in _OF_KIND[kind]
    }
    fields["title"] = _title(facts)
    match kind:
        case RecordKind.JOB:
            fields = _by_type(facts) | _under_heading(facts) | fields
            date = facts.values.get("date") or said_date(facts.lines, facts.heading)
            if "published_at" not in fields and date is not None:
                fields["published_at"] = Finding(date, Method.LABELS, _BY_TYPE)
            if facts.apply_url:
                fields["apply_url"] = Finding(facts.apply_url, Method.LABELS, CONFIDENCE)
        case RecordKind.PRODUCT:
            if "sku" not in fields and "guid" in fields:
                # In a shop a "reference" is the number of the article.
                fields["sku"] = fields["guid"]
            # "By" names the maker of a thing and the author of a book.
            maker = "author" if any("isbn" in bare(found.label).split() for found in facts.labelled) else "brand"
            if maker not in fields and (name := maker_of(_after(facts.lines, facts.heading))) is not None:
                fields[maker] = Finding(name, Method.LABELS, _BY_TYPE)
            if (price := _price(facts)) is not None:
                amount, currency = amount_of(price)
                fields["price"] = Finding(amount, Method.LABELS, CONFIDENCE)
                if currency is not None:
                    fields["currency"] = Finding(currency, Method.LABELS, CONFIDENCE)
            if (said := availability_of(facts.lines)) is not None:
                fields["availability"] = Finding(said, Method.LABELS, CONFIDENCE)
        case RecordKind.ARTICLE:
            fields |= _dates(facts)
            fields.pop("author", None)
            if (author := _author(facts)) is not None:
                fields["author"] = author
    if kind is not RecordKind.ARTICLE and (text := _description(facts)):
        fields["description"] = Finding(text, Method.LABELS, _BY_TYPE)
    return fields


def _title(facts: _Facts) -> Finding:
    """The heading; where the page's head does not confirm it, a value labelled as the title is more reliable."""
    if not facts.heading.confirmed and (labelled := facts.values.get("title")):
        return Finding(labelled, Method.LABELS, CONFIDENCE)
    return Finding(facts.heading.text, Method.LABELS, CONFIDENCE if facts.heading.confirmed else _UNCONFIRMED)


def _author(facts: _Facts) -> Finding | None:
    labelled = name_in(facts.values.get("author", ""))
    if labelled is not None:
        return Finding(labelled, Method.LABELS, CONFIDENCE)
    return author_of(facts.page, facts.lines, facts.heading)


def _dates(facts: _Facts) -> dict[str, Finding]:
    """The dates of publication and update: dedicated elements and lines are better than labelled values."""
    found = dates_of(facts.page, facts.lines, facts.heading)
    for name in ("published_at", "updated_at"):
        if (name not in found or found[name].confidence <= GUESSED) and (date := date_in(facts.values.get(name, ""))):
            found[name] = Finding(date, Method.LABELS, CONFIDENCE)
    return found


def _by_type(facts: _Facts) -> dict[str, Finding]:
    """Values near the heading without a label that can only be one field: P-3, full-time, remote."""
    found: dict[str, Finding] = {}
    for part in [part for line in near(facts.lines, facts.heading) for part in (*line.parts, line.text)]:
        looks_like = value_type(part)
        if looks_like in _FIELD_BY_TYPE:
            found.setdefault(_FIELD_BY_TYPE[looks_like], Finding(part, Method.LABELS, _BY_TYPE))
    return found


def _under_heading(facts: _Facts) -> dict[str, Finding]:
    """The place and the employer without labels under the heading; the page's title names the employer, too."""
    found: dict[str, Finding] = {}
    title = f" {bare(facts.page.title or '')} "
    for line in _after(facts.lines, facts.heading)[:_MOST_UNDER]:
        text = line.text.strip(" ,;|-\u2013\u2014")
        if len(text) > _LONGEST_UNDER or value_type(text) is not None or field_for(text) is not None:
            continue
        if looks_like_place(text, facts.page.language):
            found.setdefault("location", Finding(text, Method.LABELS, _BY_TYPE))
        elif (words := bare(text)) and words != bare(facts.heading.text) and f" {words} " in title:
            found.setdefault("organisation", Finding(text, Method.LABELS, _BY_TYPE))
    return found


def _description(facts: _Facts) -> str:
    """The running text, without the lines that were used as labelled values and without the heading."""
    read = {place for found in facts.labelled if found.first >= 0 for place in range(found.first, found.last + 1)}
    left = [line for place, line in enumerate(facts.lines) if place not in read and line.text != facts.heading.text]
    return joined(main_lines(left))


def _apply_url(page: HtmlPage) -> str | None:
    """The target of the first link with a name such as "Apply"."""
    for node in page.anchors[:_MOST_LINKS]:
        if means_apply(folded(node.text)):
            url = page.resolver.resolve(node.attr("href") or "")
            return url if url and url != page.url else ""
    buttons = page.tree.find_all("button")[:_MOST_LINKS]
    return "" if any(means_apply(folded(node.text)) for node in buttons) else None


def _price(facts: _Facts) -> str | None:
    return facts.values.get("price") or price_of(_after(facts.lines, facts.heading))


def _after(lines: Sequence[TextLine], heading: Heading) -> Sequence[TextLine]:
    """The lines below the heading: a price above it belongs to another product."""
    place = next((place for place, line in enumerate(lines) if line.text == heading.text), None)
    return lines if place is None else lines[place + 1 :]
