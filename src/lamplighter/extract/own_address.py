"""Which of a page's records have an address of their own? One that several share is only where they were found."""

from collections import Counter
from collections.abc import Mapping, Sequence

from lamplighter.extract.html_page import HtmlPage, host_of
from lamplighter.model.record import Finding, Method, RawRecord

#: confidence that a page with a single record is that record's own page
CONFIDENCE = 0.50
#: prefixes of tracking parameters
_TRACKING = ("utm_", "gclid", "fbclid", "ref=", "source=", "src=")


def with_own_addresses(records: Sequence[RawRecord], page: HtmlPage, *, is_listing: bool) -> list[RawRecord]:
    """The records without duplicates, with an address only where it is theirs alone.

    A single record on a page that is no listing is what the page is about, so the page's address is its own.
    """
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
    if page.canonical:
        found = Finding(page.canonical, Method.META, CONFIDENCE)
    else:
        found = Finding(page.url, Method.HTML, CONFIDENCE)
    return RawRecord(kind=record.kind, fields={**record.fields, "url": found})


def _without_address(record: RawRecord) -> RawRecord:
    fields: Mapping[str, Finding] = {name: found for name, found in record.fields.items() if name != "url"}
    return RawRecord(kind=record.kind, fields=fields)


def _url(record: RawRecord) -> str | None:
    found = record.fields.get("url")
    return str(found.value) if found else None


def _title(record: RawRecord) -> str:
    found = record.fields.get("title")
    return str(found.value).casefold() if found else ""
