"""The hash changes when a reader would notice, and only then."""

from lamplighter.extract import fingerprint
from lamplighter.model.reading import Link
from lamplighter.model.record import Finding, Method, RawRecord, RecordKind


def record(**values: object) -> RawRecord:
    return RawRecord(
        kind=RecordKind.JOB, fields={name: Finding(value, Method.FEED, 0.8) for name, value in values.items()}
    )


ONE, TWO = record(title="A", tags=["x"]), record(title="B")
LINKS = [Link(url="https://a.example/1"), Link(url="https://a.example/2")]


def test_order_does_not_matter() -> None:
    turned = record(tags=["x"], title="A")

    assert fingerprint.of_records([ONE, TWO], LINKS) == fingerprint.of_records([TWO, turned], LINKS[::-1])


def test_a_changed_value_and_a_new_link_do() -> None:
    before = fingerprint.of_records([ONE], LINKS[:1])

    assert fingerprint.of_records([TWO], LINKS[:1]) != before
    assert fingerprint.of_records([ONE], LINKS) != before


def test_touched_dates_and_ids_do_not() -> None:
    assert fingerprint.of_records([record(title="A", updated_at="now", guid="2")], []) == fingerprint.of_records(
        [record(title="A")], []
    )


def test_half_characters_are_no_obstacle() -> None:
    assert fingerprint.of_records([record(title="\ud800")], []) != fingerprint.of_text("\ud800", "\ud800")
