"""A raw record becomes a clean one, or says why not."""

from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.model.record import Found, Method, RawRecord, Record, RecordKind, Skipped
from lamplighter.normalise.records import to_record

SOURCE = "https://a.example/jobs"
PAGE = "https://a.example/jobs?page=2"


def raw(kind: RecordKind = RecordKind.JOB, **values: Any) -> RawRecord:
    return RawRecord(kind=kind, fields={name: Found(value, Method.JSONLD, 0.9) for name, value in values.items()})


def clean(found: RawRecord, page_url: str = PAGE) -> Record:
    record = to_record(found, page_url=page_url, source_url=SOURCE)
    assert isinstance(record, Record)
    return record


def test_a_job_posting() -> None:
    record = clean(
        raw(
            title=" Nurse ",
            url="https://a.example/jobs/7?utm_source=x",
            organisation="Acme",
            location="Bonn, DE",
            country="de",
            deadline="2026-05-01",
            published_at="2026-03-01T10:00:00Z",
            description="Care",
            language="en",
            tags=["b", "a"],
            career_type=["FULL_TIME"],
            salary={"min": "1"},
            apply_url="https://a.example/apply?utm_medium=y",
        )
    )

    assert (record.title, record.url, record.organisation) == ("Nurse", "https://a.example/jobs/7", "Acme")
    assert (record.location_raw, record.country_iso, record.language, record.tags) == (
        "Bonn, DE",
        "DE",
        "en",
        ("b", "a"),
    )
    assert (record.deadline, record.published_at) == (date(2026, 5, 1), datetime(2026, 3, 1, 10, tzinfo=UTC))
    assert record.fields == {"career_type": "full_time", "salary": {"min": "1"}, "apply_url": "https://a.example/apply"}
    assert record.quality == 1.0
    assert record.provenance["location_raw"] == ("jsonld", 0.9)


def test_a_product() -> None:
    record = clean(
        raw(RecordKind.PRODUCT, title="Lamp", price="19.90", availability="http://schema.org/InStock", sku="7")
    )

    assert record.fields == {"price": 19.9, "availability": "in_stock", "sku": "7"}


def test_an_article() -> None:
    record = clean(raw(RecordKind.ARTICLE, title="News", author="Ann", text="two words"))

    assert record.fields == {"author": "Ann", "text": "two words", "word_count": 2}


@pytest.mark.parametrize("title", [None, "", " \u200b "])
def test_without_a_title_there_is_no_record(title: str | None) -> None:
    skipped = to_record(raw(title=title, url="https://a.example/7"), page_url=PAGE, source_url=SOURCE)

    assert skipped == Skipped(reason="a job without a title, found on https://a.example/7")


@pytest.mark.parametrize("name", ["deadline", "published_at", "updated_at", "country"])
def test_d5_what_is_not_understood_is_kept_raw(name: str) -> None:
    record = clean(raw(title="A", **{name: "Frühling"}))

    assert record.fields == {f"{name}_raw": "Frühling"}
    assert name not in record.provenance


def test_a_recipe_may_use_the_records_own_names() -> None:
    assert clean(raw(title="A", location_raw="Bonn", country_iso="DE")).location_raw == "Bonn"


def test_the_listings_address_is_not_the_records_own() -> None:
    record = clean(raw(title="A", url=SOURCE + "?utm_source=x"))

    assert record.url == PAGE
    assert record.canonical_hash == clean(raw(title="A")).canonical_hash
    assert "url" not in record.provenance


def test_j5_a_script_is_not_an_address() -> None:
    record = clean(raw(title="A", url="javascript:alert(1)", apply_url="javascript:alert(1)"))

    assert (record.url, record.fields) == (PAGE, {})


def test_listing_and_detail_page_know_the_same_thing() -> None:
    in_listing = clean(raw(title="Nurse", url="https://a.example/jobs/7"), page_url=PAGE)
    on_its_page = clean(raw(title="Nurse (m/f)", url="https://a.example/jobs/7"), page_url="https://a.example/jobs/7")

    assert in_listing.canonical_hash == on_its_page.canonical_hash


def test_a_touched_date_is_no_change_but_a_new_text_is() -> None:
    before = clean(raw(title="A", description="x", updated_at="2026-03-01", guid="1"))

    assert clean(raw(title="A", description="x", updated_at="2026-03-02", guid="1")).content_hash == before.content_hash
    assert clean(raw(title="A", description="y", updated_at="2026-03-01", guid="1")).content_hash != before.content_hash


def test_quality_is_the_share_of_what_could_be_there() -> None:
    assert clean(raw(title="A")).quality == 0.2
    assert clean(raw(title="A", url="https://a.example/7")).quality == 0.4
    assert (
        clean(raw(title="A", url="https://a.example/7", organisation="B", description="C", location="D")).quality == 0.7
    )


NOISE = st.sampled_from(["utm_source=a", "utm_medium=b&utm_campaign=c", "fbclid=1", "gclid=x"])
SPACE = st.text(alphabet=" \n\t\u00a0", min_size=1, max_size=3)


@settings(deadline=None, max_examples=100)
@given(st.permutations(["title", "url", "organisation", "description"]), NOISE, SPACE)
def test_order_white_space_and_tracking_change_neither_hash(order: list[str], noise: str, space: str) -> None:
    values = {
        "title": "Head nurse",
        "url": "https://a.example/jobs/7?id=1",
        "organisation": "Acme Ltd",
        "description": "x y",
    }
    spaced = {name: value.replace(" ", space) + space for name, value in values.items()} | {
        "url": f"{values['url']}&{noise}"
    }

    one, other = clean(raw(**values)), clean(raw(**{name: spaced[name] for name in order}))

    assert (one.canonical_hash, one.content_hash) == (other.canonical_hash, other.content_hash)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
names = st.sampled_from(
    "title url organisation location country deadline published_at tags guid price salary text x".split()
)


@settings(deadline=None, max_examples=300)
@given(st.sampled_from(RecordKind), st.dictionaries(names, anything, max_size=8))
def test_any_values_make_the_same_record_every_time_or_none(kind: RecordKind, values: dict[str, Any]) -> None:
    once, again = (to_record(raw(kind, **values), page_url=PAGE, source_url=SOURCE) for _ in range(2))

    assert once == again
    assert isinstance(once, Skipped) or 0.2 <= once.quality <= 1
