"""A raw record becomes a clean one, or says why not."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.model.record import Finding, Method, RawRecord, Record, RecordKind, RejectedRecord
from lamplighter.normalise.records import to_record, to_records

SOURCE = "https://a.example/jobs"
PAGE = "https://a.example/jobs?page=2"
SEEN_AT = datetime(2026, 3, 2, 10, tzinfo=UTC)


def raw(kind: RecordKind = RecordKind.JOB, **values: Any) -> RawRecord:
    return RawRecord(kind=kind, fields={name: Finding(value, Method.JSONLD, 0.9) for name, value in values.items()})


def made(
    found: RawRecord, *, page_url: str = PAGE, language: str | None = None, seen_at: datetime = SEEN_AT
) -> Record | RejectedRecord:
    return to_record(found, page_url=page_url, source_url=SOURCE, language=language, seen_at=seen_at)


def clean(
    found: RawRecord, *, page_url: str = PAGE, language: str | None = None, seen_at: datetime = SEEN_AT
) -> Record:
    record = made(found, page_url=page_url, language=language, seen_at=seen_at)
    assert isinstance(record, Record)
    return record


def test_a_job_posting() -> None:
    record = clean(
        raw(
            title=" Senior Nurse ",
            url="https://a.example/jobs/7?utm_source=x",
            organisation="Acme",
            location="Bonn, DE",
            country="de",
            deadline="Dec 11, 2026",
            published_at="2026-03-01T10:00:00Z",
            description="Care",
            language="en",
            tags=["b", "a"],
            level="G-5 (Temporary)",
            career_type=["FULL_TIME"],
            salary="EUR 40,000 - 50,000 per year",
            apply_url="https://a.example/apply?utm_medium=y",
        )
    )

    assert (record.title, record.url, record.organisation) == ("Senior Nurse", "https://a.example/jobs/7", "Acme")
    assert (record.location_raw, record.country_iso, record.language, record.tags) == (
        "Bonn, DE",
        "DE",
        "en",
        ("b", "a"),
    )
    assert (record.deadline, record.published_at) == (date(2026, 12, 11), datetime(2026, 3, 1, 10, tzinfo=UTC))
    assert record.fields == {
        "deadline_raw": "Dec 11, 2026",
        "city": "Bonn",
        "level": "G-5 (Temporary)",
        "level_norm": "G-5",
        "international_eligible": False,
        "career_type": "full_time",
        "mission_tags": ["health"],
        "salary": {"min": 40000.0, "max": 50000.0, "currency": "EUR", "period": "year"},
        "salary_raw": "EUR 40,000 - 50,000 per year",
        "apply_url": "https://a.example/apply",
    }
    assert record.quality == 1.0
    assert record.provenance["location_raw"] == record.provenance["level_norm"] == ("jsonld", 0.9)
    assert record.provenance["city"] == record.provenance["mission_tags"] == ("jsonld", 0.72)


def test_a_product() -> None:
    record = clean(
        raw(RecordKind.PRODUCT, title="Lamp", price="19,90 €", availability="http://schema.org/InStock", sku="7")
    )

    assert record.fields == {
        "price": 19.9,
        "price_raw": "19,90 €",
        "currency": "EUR",
        "availability": "in_stock",
        "sku": "7",
    }
    assert record.provenance["currency"] == ("jsonld", 0.72)


def test_an_article() -> None:
    record = clean(raw(RecordKind.ARTICLE, title="Senior nurse wins", author="By Ann Lee", text="two words"))

    assert record.fields == {"author": "Ann Lee", "author_raw": "By Ann Lee", "text": "two words", "word_count": 2}


def test_a_record_is_in_the_language_of_its_page_unless_it_says_otherwise() -> None:
    assert clean(raw(title="A"), language="de_AT").language == "de-AT"
    assert clean(raw(title="A", language="fr"), language="de").language == "fr"


@pytest.mark.parametrize("title", [None, "", " \u200b "])
def test_without_a_title_there_is_no_record(title: str | None) -> None:
    skipped = made(raw(title=title, url="https://a.example/7"))

    assert skipped == RejectedRecord(reason="job record without a title, found on https://a.example/7")


@pytest.mark.parametrize("name", ["deadline", "published_at", "updated_at", "country"])
def test_d5_what_is_not_understood_is_kept_raw(name: str) -> None:
    record = clean(raw(title="A", **{name: "Frühling"}))

    assert record.fields == {f"{name}_raw": "Frühling"}
    assert name not in record.provenance


def test_a_recipe_may_use_the_records_own_names() -> None:
    record = clean(raw(title="A", location_raw="Bonn", country_iso="DE"))

    assert (record.location_raw, record.country_iso) == ("Bonn", "DE")
    assert record.provenance["country_iso"] == ("jsonld", 0.9)


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


def test_the_passing_of_time_is_no_change() -> None:
    today = clean(raw(title="A", published_at="3 days ago"), language="en")
    tomorrow = clean(raw(title="A", published_at="4 days ago"), language="en", seen_at=SEEN_AT + timedelta(days=1))
    a_week_on = clean(raw(title="A", published_at="3 days ago"), language="en", seen_at=SEEN_AT + timedelta(days=7))

    assert today.published_at is not None
    assert today.content_hash == tomorrow.content_hash == a_week_on.content_hash


def test_the_spelling_of_an_understood_date_is_no_change_but_another_date_is() -> None:
    hashes = [
        clean(raw(title="A", deadline=text), language="en").content_hash
        for text in ("2026-05-01", "1 May 2026", "2 May 2026")
    ]

    assert hashes[0] == hashes[1] != hashes[2]


NOISE = st.sampled_from(["utm_source=a", "utm_medium=b&utm_campaign=c", "fbclid=1", "gclid=x"])
SPACE = st.text(alphabet=" \n\t\u00a0", min_size=1, max_size=3)


@settings(deadline=None, max_examples=100)
@given(
    st.permutations(["title", "url", "organisation", "description", "tags"]),
    st.permutations(["id=1", "lang=en"]),
    NOISE,
    SPACE,
)
def test_order_white_space_and_tracking_change_neither_hash(
    order: list[str], query: list[str], noise: str, space: str
) -> None:
    values: dict[str, Any] = {
        "title": "Head nurse",
        "url": "https://a.example/jobs/7?id=1&lang=en",
        "organisation": "Acme Ltd",
        "description": "x y",
        "tags": ["a", "b"],
    }
    texts = {name: value.replace(" ", space) + space for name, value in values.items() if isinstance(value, str)}
    other_values = texts | {"url": f"https://a.example/jobs/7?{'&'.join([*query, noise])}#apply", "tags": ["b", "a"]}

    one, other = clean(raw(**values)), clean(raw(**{name: other_values[name] for name in order}))

    assert (one.canonical_hash, one.content_hash) == (other.canonical_hash, other.content_hash)


@settings(deadline=None, max_examples=100)
@given(SPACE, st.sampled_from([str.upper, str.lower, str.title, str]))
def test_without_an_address_neither_white_space_nor_case_makes_another_thing(space: str, case: Any) -> None:
    one = clean(raw(title="Head nurse", organisation="Acme Ltd", location="Bonn"))
    other = clean(raw(title=case(f"Head{space}nurse"), organisation=case("Acme Ltd"), location=case("Bonn")))

    assert one.canonical_hash == other.canonical_hash


TEXTS: dict[str, list[Any]] = {
    "title": ["Senior Nurse (P-3)", "Internship Coordinator", "Lamp", "A"],
    "url": ["https://a.example/7", "javascript:x", SOURCE],
    "organisation": ["Acme", ""],
    "location": ["Bonn, Germany", "Remote", "Nairobi or Geneva", "nowhere"],
    "country": ["de", "Kenya", "x"],
    "deadline": ["2026-05-01", "1 May 2026", "in 3 days", "soon", "0"],
    "published_at": ["2026-03-01T10:00:00+02:00", "3 days ago", "2041-01-01", "yesterday"],
    "updated_at": ["1 March 2026", "2026-03-01"],
    "description": ["Open to all nationalities. Nurse in public health.", "Must be authorized to work in Kenya."],
    "language": ["en", "de-AT", "?"],
    "tags": [["Health", "b"], "a, b", 7],
    "guid": ["1", None],
    "level": ["P-3 (Fixed term)", "NOB", "Entry level", "7"],
    "career_type": [["FULL_TIME", "CONTRACTOR"], "Vollzeit", "x", "Permanent contract"],
    "work_modality": ["remote", "Homeoffice", "x"],
    "salary": ["from £30,000", {"min": "5", "period": "MONTH"}, "Competitive", 60000],
    "price": ["1.299,00 €", "$5 - $9", "1.299", 5, "x", 1.299],
    "currency": ["EUR", "€", "x"],
    "availability": ["Auf Lager", "https://schema.org/SoldOut", "x"],
    "author": ["By Ann Lee, Staff Writer", ["Ann", "Bob"], "x@y.example"],
    "text": ["two words", "你好"],
    "image": ["https://a.example/i.png"],
    "extra": [{"a": 1}],
}
plausible = st.fixed_dictionaries(
    {"title": st.sampled_from(TEXTS["title"])},
    optional={name: st.sampled_from(values) for name, values in TEXTS.items() if name != "title"},
)


def raw_again(record: Record) -> RawRecord:
    """The clean record's values, as if a page had said them."""
    values: dict[str, Any] = {
        "title": record.title,
        "url": record.url if "url" in record.provenance else None,
        "organisation": record.organisation,
        "location": record.location_raw,
        "country": record.country_iso,
        "deadline": record.deadline and record.deadline.isoformat(),
        "published_at": record.published_at and record.published_at.isoformat(),
        "updated_at": record.updated_at and record.updated_at.isoformat(),
        "description": record.description,
        "language": record.language,
        "tags": list(record.tags),
        **record.fields,
    }
    return raw(record.kind, **{name: value for name, value in values.items() if value is not None})


def values_of(record: Record) -> dict[str, Any]:
    return {name: getattr(record, name) for name in record.__slots__ if name != "provenance"}


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(RecordKind), plausible)
def test_what_is_clean_stays_as_it_is(kind: RecordKind, values: dict[str, Any]) -> None:
    once = clean(raw(kind, **values), language="en")

    again = clean(raw_again(once), language="en")

    assert values_of(again) == values_of(once)


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(RecordKind), plausible, st.sampled_from([name for name in TEXTS if name != "title"]))
def test_knowing_less_never_makes_a_record_better(kind: RecordKind, values: dict[str, Any], name: str) -> None:
    without = {other: value for other, value in values.items() if other != name}

    assert clean(raw(kind, **without)).quality <= clean(raw(kind, **values)).quality <= 1


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
names = st.sampled_from([*TEXTS, "level_norm", "mission_tags", "international_eligible", "approximate_dates", "x"])


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(RecordKind), st.dictionaries(names, anything, max_size=8))
def test_any_values_make_the_same_record_every_time_or_none(kind: RecordKind, values: dict[str, Any]) -> None:
    once, again = (made(raw(kind, **values)) for _ in range(2))

    assert once == again
    assert isinstance(once, RejectedRecord) or 0.2 <= once.quality <= 1


def all_of_page(*found: RawRecord, language: str | None = "en") -> list[Record | RejectedRecord]:
    return to_records(found, page_url=PAGE, source_url=SOURCE, language=language, seen_at=SEEN_AT)


def deadlines(*texts: str) -> list[date | None]:
    made = all_of_page(*(raw(title="Nurse", deadline=text) for text in texts))
    return [record.deadline for record in made if isinstance(record, Record)]


def test_the_rows_of_a_page_settle_each_others_dates() -> None:
    assert deadlines("04/05/2026") == [None]
    assert deadlines("04/05/2026", "25/04/2026") == [date(2026, 5, 4), date(2026, 4, 25)]
    assert deadlines("04/05/2026", "04/25/2026") == [date(2026, 4, 5), date(2026, 4, 25)]
    assert deadlines("04/05/2026", "25/04/2026", "04/26/2026")[0] is None


def test_any_date_of_any_record_counts() -> None:
    found, _ = all_of_page(raw(title="Nurse", deadline="04/05/2026"), raw(title="Cook", published_at="25/02/2026"))

    assert isinstance(found, Record)
    assert found.deadline == date(2026, 5, 4)


def test_the_records_of_a_page_keep_their_order_and_say_why_one_is_missing() -> None:
    first, second, third = all_of_page(raw(title="Nurse"), raw(), raw(title="Cook"))

    assert isinstance(first, Record)
    assert isinstance(second, RejectedRecord)
    assert isinstance(third, Record)
    assert (first.title, third.title) == ("Nurse", "Cook")


@pytest.mark.parametrize("text", ["closing in 3 days", "today", "2 hours ago", "Posted 30+ Days Ago", "12 March"])
@pytest.mark.parametrize("name", ["deadline", "published_at"])
def test_a_text_that_stays_is_no_change_however_much_time_passes(name: str, text: str) -> None:
    hashes = {
        clean(raw(title="Nurse", **{name: text}), language="en", seen_at=SEEN_AT + timedelta(days=day)).content_hash
        for day in (0, 1, 2)
    }

    assert len(hashes) == 1


def identities(*entries: tuple[str, str, str]) -> list[str]:
    """The identities of feed entries, each with an address, a guid and a title."""
    raws = [
        RawRecord(
            kind=RecordKind.ARTICLE,
            fields={
                name: Finding(value, Method.FEED, 0.85)
                for name, value in zip(("url", "guid", "title"), entry, strict=True)
                if value
            },
        )
        for entry in entries
    ]
    found = to_records(
        raws, page_url="https://a.example/feed", source_url="https://a.example/feed", language=None, seen_at=SEEN_AT
    )
    assert [record.url for record in found if isinstance(record, Record)] == [entry[0] for entry in entries]
    return [record.canonical_hash for record in found if isinstance(record, Record)]


NOTES = "https://a.example/release-notes"


def test_entries_of_a_feed_that_share_a_page_are_told_apart_by_their_ids() -> None:
    first, second = identities((NOTES, "tag:1", "May 3"), (NOTES, "tag:2", "May 9"))

    assert first != second
    assert [second] == identities((NOTES, "tag:2", "May 9"), (NOTES, "tag:3", "May 12"))[:1]


def test_without_ids_they_are_told_apart_by_their_titles() -> None:
    assert len(set(identities((NOTES, "", "May 3"), (NOTES, "", "May 9")))) == 2


def test_an_entry_that_a_feed_has_twice_is_one_record() -> None:
    assert len(set(identities((NOTES, "tag:1", "May 3"), (NOTES, "tag:2", "May 3")))) == 1
