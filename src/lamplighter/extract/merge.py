"""Which findings of different rungs are one record, which value of each field is best, and which address is its own?"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from lamplighter.extract.html_page import HtmlPage, host_of
from lamplighter.model.record import Finding, Method, RawRecord, RecordKind

#: confidence that a page with a single record is that record's own page
CONFIDENCE = 0.50
#: prefixes of tracking parameters
_TRACKING = ("utm_", "gclid", "fbclid", "ref=", "source=", "src=")


def merge(rungs: Iterable[Sequence[RawRecord]]) -> list[RawRecord]:
    """The records of the first rung that has any; the rungs below it complete their fields but add no records."""
    rungs = [found for found in rungs if found]
    if not rungs:
        return []
    records = list(rungs[0])
    for found in rungs[1:]:
        both_single = len(records) == len(found) == 1
        if both_single and found[0] is records[0]:
            continue
        others = {} if both_single else _by_key(found, beside=records)
        for place, record in enumerate(records):
            other = found[0] if both_single else _partner(record, others)
            if other is not None and _compatible(record.kind, other.kind):
                records[place] = _united(record, other)
    return records


def further(records: Sequence[RawRecord], named: Iterable[RawRecord]) -> list[RawRecord]:
    """The records of `named` that are surely not known yet: of the same kind, with a title and an own address."""
    known = {key for record in records for key in _keys(record)}
    kinds = {record.kind for record in records}
    found = []
    for other in named:
        keys = _keys(other)
        if len(keys) == len(_NAMED_BY) and known.isdisjoint(keys) and any(_compatible(other.kind, k) for k in kinds):
            found.append(other)
            known.update(keys)
    return found


def shared(records: Sequence[RawRecord], others: Sequence[RawRecord]) -> int:
    """How many of the records are among the others, too?"""
    by_key = _by_key(others, beside=records)
    return sum(_partner(record, by_key) is not None for record in records)


#: how a record is recognised on its page
_NAMED_BY = ("url", "title")
_Key = tuple[str, str]


def _by_key(records: Sequence[RawRecord], *, beside: Sequence[RawRecord]) -> Mapping[_Key, RawRecord]:
    """The first record of each address and each title; a title that occurs twice on either side is ambiguous."""
    found = {key: record for record in reversed(records) for key in _keys(record)}
    for side in (records, beside):
        times = Counter(key for record in side for key in _keys(record) if key[0] == "title")
        for key, count in times.items():
            if count > 1:
                found.pop(key, None)
    return found


def _partner(record: RawRecord, others: Mapping[_Key, RawRecord]) -> RawRecord | None:
    return next((others[key] for key in _keys(record) if key in others), None)


def _keys(record: RawRecord) -> list[_Key]:
    """Its address before its title, as far as it has them."""
    named = ((name, record.fields.get(name)) for name in _NAMED_BY)
    values = ((name, str(found.value)) for name, found in named if found is not None)
    return [(name, " ".join(value.split()).casefold() if name == "title" else value) for name, value in values]


def _compatible(a: RecordKind, b: RecordKind) -> bool:
    return a is b or RecordKind.OTHER in (a, b)


def _united(record: RawRecord, other: RawRecord) -> RawRecord:
    fields: dict[str, Finding] = dict(record.fields)
    for name, found in other.fields.items():
        if name not in fields or found.confidence > fields[name].confidence:
            fields[name] = found
    kind = other.kind if record.kind is RecordKind.OTHER else record.kind
    return replace(record, kind=kind, fields=fields)


def with_own_addresses(records: Sequence[RawRecord], page: HtmlPage, *, is_listing: bool) -> list[RawRecord]:
    """The distinct records, with an address only where it is theirs alone; a single one may have the page's."""
    records = _distinct(records)
    if len(records) == 1:
        return [records[0] if is_listing or "url" in records[0].fields else _at_page(records[0], page)]
    times_seen = Counter(_url(record) for record in records)
    return [
        _without_address(record) if times_seen[_url(record)] > 1 or _url(record) == page.url else record
        for record in records
    ]


def is_at_page(record: RawRecord, page: HtmlPage) -> bool:
    """Does the record name this page as its own, but for the spelling of the address?"""
    url = _url(record)
    return url is not None and _place(url) in (_place(page.url), _place(page.canonical or page.url))


def is_elsewhere(record: RawRecord, page: HtmlPage) -> bool:
    """Is the record's own page another one of this site? The application form is often on another site."""
    url = _url(record)
    return url is not None and host_of(url) == host_of(page.url) and not is_at_page(record, page)


def _place(url: str) -> str:
    """The address without what changes between visits: scheme, www, campaign parameters, a trailing slash."""
    address = url.partition("://")[2].partition("#")[0].removeprefix("www.")
    path, _, query = address.partition("?")
    own = "&".join(part for part in query.split("&") if part and not part.startswith(_TRACKING))
    return f"{path.rstrip('/')}?{own}"


def _distinct(records: Sequence[RawRecord]) -> list[RawRecord]:
    """Plugins often describe one article twice: the same title at the same address is the same record."""
    if len(records) < 2:
        return list(records)
    by_name = {(record.kind, _url(record), _title(record)): record for record in reversed(records)}
    return list(reversed(by_name.values())) if len(by_name) < len(records) else list(records)


def _at_page(record: RawRecord, page: HtmlPage) -> RawRecord:
    url, method = (page.canonical, Method.META) if page.canonical else (page.url, Method.HTML)
    return replace(record, fields={**record.fields, "url": Finding(url, method, CONFIDENCE)})


def _without_address(record: RawRecord) -> RawRecord:
    return replace(record, fields={name: found for name, found in record.fields.items() if name != "url"})


def _url(record: RawRecord) -> str | None:
    found = record.fields.get("url")
    return str(found.value) if found else None


def _title(record: RawRecord) -> str:
    found = record.fields.get("title")
    return str(found.value).casefold() if found else ""
