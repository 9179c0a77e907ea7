"""The hash changes when a reader would notice, and only then."""

import pytest

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


PAGE = """<html><head><meta name="csrf-token" content="{token}"><style>.{token} {{}}</style></head><body>
<!-- served by {token} --><h1>{heading}</h1><p>{price}</p><a href="/jobs/1">Nurse</a>
<form><input type="hidden" name="authenticity_token" value="{token}"></form>
<script nonce="{token}">track("{token}")</script>
<script type="application/json" nonce="{token}">{{"id": {data}}}</script></body></html>"""


def seen(how: object = (), **values: str) -> str:
    given = {"token": "a1", "heading": "Jobs", "price": "5 EUR", "data": "1"} | values
    return fingerprint.of_markup(PAGE.format(**given), how)


def test_tokens_comments_styles_and_scripts_without_data_do_not_count() -> None:
    assert seen(token="b2") == seen()


@pytest.mark.parametrize("change", [{"heading": "News"}, {"price": "6 EUR"}, {"data": "2"}], ids=str)
def test_text_values_and_data_count(change: dict[str, str]) -> None:
    assert seen(**change) != seen()


def test_how_a_page_is_read_counts() -> None:
    assert seen(how=("recipe", 2)) != seen(how=("recipe", 1))


def test_a_script_that_may_hold_a_list_counts() -> None:
    script = (
        "<script>jobs = [" + "".join(f'{{"title": "Nurse {n}", "url": "/jobs/{n}"}},' for n in range(9)) + "]</script>"
    )

    assert fingerprint.of_markup(script, ()) != fingerprint.of_markup(script.replace("Nurse 3", "Cook"), ())


@pytest.mark.parametrize("broken", ["<!-- a", "<script>a", "<style>a", "<meta content='a", "<p>a"])
def test_what_is_never_closed_is_no_obstacle(broken: str) -> None:
    assert fingerprint.of_markup(broken, ()) == fingerprint.of_markup(broken, ())
