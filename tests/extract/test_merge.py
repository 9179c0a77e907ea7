"""Several rungs, one record: the best evidence wins field by field."""

from lamplighter.extract.merge import further, merge, shared
from lamplighter.model.record import Finding, Method, RawRecord, RecordKind


def record(method: Method, confidence: float, kind: RecordKind = RecordKind.JOB, **values: str) -> RawRecord:
    return RawRecord(kind=kind, fields={name: Finding(value, method, confidence) for name, value in values.items()})


def test_the_first_rung_with_records_decides_which_there_are() -> None:
    recipe = [record(Method.RECIPE, 0.95, title="A"), record(Method.RECIPE, 0.95, title="B")]
    jsonld = [record(Method.JSONLD, 0.9, title="b", organisation="Acme"), record(Method.JSONLD, 0.9, title="C")]

    merged = merge([[], recipe, jsonld])

    assert [found.fields["title"].value for found in merged] == ["A", "B"]
    assert merged[1].fields["organisation"].value == "Acme"


def test_records_meet_by_address_before_title() -> None:
    above = [record(Method.RECIPE, 0.9, title="A", url="u1"), record(Method.RECIPE, 0.9, title="A", url="u2")]
    below = [
        record(Method.JSONLD, 0.8, title="A", url="u2", sku="2"),
        record(Method.JSONLD, 0.8, title="A", url="u1", sku="1"),
    ]

    assert [found.fields["sku"].value for found in merge([above, below])] == ["1", "2"]


def test_the_better_evidence_wins_each_field() -> None:
    above = [record(Method.RECIPE, 0.5, title="Vague", location="Here")]
    below = [record(Method.JSONLD, 0.9, title="Exact", organisation="Acme")]

    (merged,) = merge([above, below])

    assert {name: found.value for name, found in merged.fields.items()} == {
        "title": "Exact",
        "location": "Here",
        "organisation": "Acme",
    }


def test_a_record_of_no_kind_takes_the_kind_of_its_partner() -> None:
    (merged,) = merge(
        [[record(Method.RECIPE, 0.9, RecordKind.OTHER, title="A")], [record(Method.JSONLD, 0.9, title="A")]]
    )

    assert merged.kind is RecordKind.JOB


def test_different_kinds_do_not_mix() -> None:
    (merged,) = merge(
        [[record(Method.RECIPE, 0.9, title="A")], [record(Method.JSONLD, 0.9, RecordKind.PRODUCT, sku="1")]]
    )

    assert "sku" not in merged.fields


def test_a_title_that_comes_twice_names_nothing() -> None:
    above = [record(Method.LISTING, 0.7, title="A", url="u1"), record(Method.LISTING, 0.7, title="A", url="u2")]

    merged = merge([above, [record(Method.JSONLD, 0.9, title="A", url="u2", sku="2")]])

    assert ["sku" in found.fields for found in merged] == [False, True]


def test_what_is_named_beside_a_listing_is_further_only_with_a_title_and_an_address_of_its_own() -> None:
    listed = [record(Method.LISTING, 0.7, title="A", url="u1")]
    named = [
        record(Method.JSONLD, 0.9, title="A", url="u9"),
        record(Method.JSONLD, 0.9, title="Other", url="u1"),
        record(Method.JSONLD, 0.9, title="Without address"),
        record(Method.JSONLD, 0.9, RecordKind.PRODUCT, title="Of another kind", url="u3"),
        record(Method.JSONLD, 0.9, title="B", url="u2"),
        record(Method.MICRODATA, 0.9, title="b", url="u2"),
    ]

    assert [found.fields["title"].value for found in further(listed, named)] == ["B"]


def test_shared_records_are_counted_by_address_or_title() -> None:
    named = [record(Method.JSONLD, 0.9, url="u1"), record(Method.JSONLD, 0.9, title="b"), record(Method.JSONLD, 0.9)]
    listed = [record(Method.LISTING, 0.7, title="A", url="u1"), record(Method.LISTING, 0.7, title="B", url="u2")]

    assert shared(named, listed) == 2


def test_no_records_are_no_records() -> None:
    assert merge([[], []]) == []
