"""Each value names the way it was found, and what was concluded is trusted less."""

import pytest

from lamplighter.model.record import Finding, Method, Record, RecordKind
from lamplighter.normalise.records import provenance

FOUND = {
    "title": Finding("Nurse (P-3)", Method.JSONLD, 0.9),
    "location": Finding("Bonn", Method.LISTING, 0.7),
    "level": Finding("P-3", Method.LABELS, 0.65),
}


def test_values_are_named_as_the_record_names_them() -> None:
    kept = {"title": "Nurse", "location_raw": "Bonn", "level": None}

    assert provenance(FOUND, kept, {}) == {"title": ("jsonld", 0.9), "location_raw": ("listing", 0.7)}


def test_what_is_concluded_is_trusted_less() -> None:
    concluded = {"country_iso": "location", "mission_tags": "title", "level_norm": "level"}

    told = provenance(FOUND, {}, concluded)

    assert told == {"country_iso": ("listing", 0.56), "mission_tags": ("jsonld", 0.72), "level_norm": ("labels", 0.65)}


def test_the_pages_language_is_only_presumed() -> None:
    assert provenance({}, {"language": "en"}, {}) == {"language": ("html", 0.5)}


@pytest.mark.parametrize(
    ("provenance", "confidence"),
    [
        pytest.param({"title": ("listing", 0.4), "url": ("listing", 0.4), "price": ("listing", 0.7)}, 0.4, id="rows"),
        pytest.param({"title": ("feed", 0.4), "url": ("feed", 0.85)}, 0.85, id="a title made of the description"),
        pytest.param({"title": ("feed", 0.4), "guid": ("feed", 0.85)}, 0.85, id="an id"),
        pytest.param({}, 0.0, id="nothing names it"),
    ],
)
def test_a_record_is_as_sure_as_what_names_it(provenance: dict[str, tuple[str, float]], confidence: float) -> None:
    record = Record(
        kind=RecordKind.OTHER, url="u", canonical_hash="c", content_hash="h", title="T", provenance=provenance
    )

    assert record.confidence == confidence
