"""Quality is the weighted share of what a complete record has."""

import pytest

from lamplighter.model.record import RecordKind
from lamplighter.normalise.records import WEIGHTS, quality


@pytest.mark.parametrize("kind", RecordKind)
def test_a_complete_record_has_quality_1(kind: RecordKind) -> None:
    assert sum(WEIGHTS[kind].values()) == pytest.approx(1)
    assert quality(kind, dict.fromkeys(WEIGHTS[kind], "x")) == 1


def test_a_job_lives_by_its_title_address_place_and_deadline() -> None:
    assert quality(RecordKind.JOB, {"title": "A", "url": "u", "location_raw": "B", "deadline": "d"}) == 0.7


@pytest.mark.parametrize("nothing", [None, "", ()])
def test_an_empty_field_counts_for_nothing(nothing: object) -> None:
    assert quality(RecordKind.JOB, {"title": "A", "organisation": nothing}) == 0.2
