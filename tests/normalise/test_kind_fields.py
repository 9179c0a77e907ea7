"""Each field in its normal form, and the site's own text beside it where that says more."""

from datetime import UTC, datetime
from typing import Any

import pytest

from lamplighter.normalise.fields import PageContext
from lamplighter.normalise.kind_fields import followed_from, kind_fields

SEEN = PageContext("https://a.example/", "en", datetime(2026, 3, 2, tzinfo=UTC))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param({"career_type": ["FULL_TIME"]}, {"career_type": "full_time"}, id="a code needs no twin"),
        pytest.param(
            {"career_type": "Vollzeit"}, {"career_type": "full_time", "career_type_raw": "Vollzeit"}, id="words do"
        ),
        pytest.param({"career_type": "whatever"}, {"career_type_raw": "whatever"}, id="unknown terms"),
        pytest.param({"work_modality": "remote"}, {"work_modality": "remote"}, id="a modality"),
        pytest.param(
            {"work_modality": "Homeoffice"},
            {"work_modality": "remote", "work_modality_raw": "Homeoffice"},
            id="a modality in words",
        ),
        pytest.param({"availability": "http://schema.org/InStock"}, {"availability": "in_stock"}, id="in stock"),
        pytest.param(
            {"availability": "Auf Lager"},
            {"availability": "in_stock", "availability_raw": "Auf Lager"},
            id="in stock in words",
        ),
        pytest.param({"availability": "who knows"}, {"availability_raw": "who knows"}, id="unknown availability"),
        pytest.param({"rating": {"value": "8.4", "best": "10"}}, {"rating": 4.2}, id="a rating"),
        pytest.param({"review_count": "127 reviews"}, {"review_count": 127}, id="a number of reviews"),
        pytest.param({"rating": "nice", "review_count": "many"}, {}, id="no rating"),
        pytest.param(
            {"images": ["https://a.example/1", "javascript:x", "https://a.example/2"]},
            {"images": ["https://a.example/1", "https://a.example/2"]},
            id="pictures",
        ),
        pytest.param({"salary": "Competitive"}, {"salary_raw": "Competitive"}, id="no plain salary"),
        pytest.param({"salary": {"min": "1"}}, {"salary": {"min": 1.0}}, id="a salary in parts"),
        pytest.param({"author": ["Ann", "Bob"]}, {"author": "Ann, Bob"}, id="authors"),
        pytest.param({"author": "Ann"}, {"author": "Ann"}, id="an author"),
        pytest.param({"author": "By Ann"}, {"author": "Ann", "author_raw": "By Ann"}, id="a by-line"),
        pytest.param({"text": "two words"}, {"text": "two words", "word_count": 2}, id="a text"),
        pytest.param({"apply_url": "javascript:x", "image": None}, {}, id="no addresses"),
        pytest.param({"level": "P-3 (Fixed term)"}, {"level": "P-3 (Fixed term)"}, id="a level as it is"),
        pytest.param({"anything": {"a": [1]}}, {"anything": {"a": [1]}}, id="what nobody knows"),
    ],
)
def test_fields(given: dict[str, Any], expected: dict[str, Any]) -> None:
    assert kind_fields(given, SEEN) == expected


def test_what_follows_from_a_field_names_it() -> None:
    given = {"price": "€5-€9", "text": "a"}

    followed = followed_from(given, kind_fields(given, SEEN))

    assert followed == {"currency": "price", "price_max": "price", "word_count": "text"}
