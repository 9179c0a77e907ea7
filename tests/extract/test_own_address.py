"""An address belongs to a record only when it is its alone."""

import pytest

from lamplighter.extract.html_page import HtmlPage, parse_page
from lamplighter.extract.merge import is_at_page, is_elsewhere, with_own_addresses
from lamplighter.model.record import Finding, Method, RawRecord, RecordKind

URL = "https://a.example/jobs/7"


def record(title: str, url: str | None = None) -> RawRecord:
    fields = {"title": Finding(title, Method.JSONLD, 0.9)}
    return RawRecord(kind=RecordKind.JOB, fields=fields | ({"url": Finding(url, Method.JSONLD, 0.9)} if url else {}))


def page(html: str = "") -> HtmlPage:
    return parse_page(html, URL)


def urls(records: list[RawRecord]) -> list[str | None]:
    return [found.value if (found := record.fields.get("url")) else None for record in records]


def test_a_single_record_without_an_address_lives_at_the_page() -> None:
    assert urls(with_own_addresses([record("A")], page(), is_listing=False)) == [URL]


def test_or_at_the_pages_canonical_address() -> None:
    canonical = page("<link rel=canonical href=/7>")

    assert urls(with_own_addresses([record("A")], canonical, is_listing=False)) == ["https://a.example/7"]


def test_the_only_record_of_a_listing_does_not_live_there() -> None:
    assert urls(with_own_addresses([record("A")], page(), is_listing=True)) == [None]


def test_an_address_that_several_share_is_nobodys() -> None:
    records = [
        record("A", "https://a.example/x"),
        record("B", "https://a.example/x"),
        record("C", "https://a.example/c"),
    ]

    assert urls(with_own_addresses(records, page(), is_listing=False)) == [None, None, "https://a.example/c"]


def test_of_several_records_none_lives_at_the_page_itself() -> None:
    assert urls(with_own_addresses([record("A", URL), record("B")], page(), is_listing=False)) == [None, None]


def test_the_same_thing_said_twice_is_one_record() -> None:
    assert urls(with_own_addresses([record("A", URL), record("a", URL)], page(), is_listing=False)) == [URL]


@pytest.mark.parametrize("url", [URL, "http://www.a.example/jobs/7/", f"{URL}?utm_source=feed", f"{URL}#top"])
def test_an_address_is_the_pages_but_for_its_spelling(url: str) -> None:
    assert is_at_page(record("A", url), page())
    assert not is_elsewhere(record("A", url), page())


@pytest.mark.parametrize(
    ("url", "elsewhere"),
    [
        ("https://a.example/jobs/8", True),
        ("https://a.example/jobs/7?id=8", True),
        ("https://apply.example/7", False),
        (None, False),
    ],
)
def test_elsewhere_is_another_page_of_the_site(url: str | None, elsewhere: bool) -> None:
    assert is_elsewhere(record("A", url), page()) is elsewhere
