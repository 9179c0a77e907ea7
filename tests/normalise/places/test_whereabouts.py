"""The country by what is said about it, else by the location."""

from datetime import UTC, datetime
from typing import Any

import pytest

from lamplighter.normalise.fields import PageContext
from lamplighter.normalise.places.places import read_whereabouts

SEEN = PageContext("https://a.example/", "en", datetime(2026, 3, 2, tzinfo=UTC))


@pytest.mark.parametrize(
    ("given", "country", "fields", "concluded"),
    [
        pytest.param({"country": "de"}, "DE", {}, (), id="a code"),
        pytest.param({"country": "Germany"}, "DE", {"country_raw": "Germany"}, (), id="a name"),
        pytest.param({"country": "Frühling"}, None, {"country_raw": "Frühling"}, (), id="not understood"),
        pytest.param({"location": "Bonn, Germany"}, "DE", {"city": "Bonn"}, ("country_iso", "city"), id="by location"),
        pytest.param(
            {"location": "Nairobi", "country": "KE"}, "KE", {"city": "Nairobi"}, ("city",), id="said, not concluded"
        ),
        pytest.param({}, None, {}, (), id="nothing"),
    ],
)
def test_places(given: dict[str, Any], country: str | None, fields: dict[str, Any], concluded: tuple[str, ...]) -> None:
    place = read_whereabouts(given, SEEN)

    assert (place.country_iso, place.fields, place.concluded) == (country, fields, concluded)
    assert place.location_raw == given.get("location")


def test_several_places_and_none_in_particular() -> None:
    assert read_whereabouts({"location": "Multiple locations"}, SEEN).fields == {"multiple_locations": True}
    assert read_whereabouts({"location": "Remote"}, SEEN).is_remote
