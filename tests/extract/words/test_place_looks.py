"""Which short texts look like places."""

import pytest

from lamplighter.extract.listing.places import looks_like_place


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Lisbon, Portugal", None),
        ("Ferncliff, WA", "en"),
        ("Ferncliff, North Dakota", "en"),
        ("New York, New York, United States", "en"),
        ("Kenya", "en"),
        ("Genf, Schweiz", "de"),
        ("عمّان، الأردن", "ar"),
        ("Remote (Europe)", "en"),
        ("Rome (Italy)", "en"),
        ("서울 강남구", "ko"),
        ("神奈川県横浜市", "ja"),
    ],
)
def test_a_place_is_known_by_its_shape_or_its_country(text: str, language: str | None) -> None:
    assert looks_like_place(text, language)


@pytest.mark.parametrize(
    "text",
    [
        "Acme, Inc",
        "Virginia",
        "Engineering",
        "Finance, Administration",
        "driver in Kenya",
        "36 hours",
        "Full time",
        "x",
        "",
        ",",
    ],
)
def test_other_short_texts_are_no_places(text: str) -> None:
    assert not looks_like_place(text, "en")


def test_a_language_that_does_not_exist_knows_no_countries() -> None:
    assert not looks_like_place("Genf, Schweiz", "xx-nonsense")
