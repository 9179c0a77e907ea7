"""What the keys of JSON objects mean."""

from typing import Any

import pytest

from lamplighter.extract.answers.json_fields import fields_of_item, meaning, title_of

PAID_BY_YEAR = {"salary": "EUR 5 - 6 per year"}


def fields(item: dict[str, Any], language: str | None = None) -> dict[str, Any]:
    return fields_of_item(item, language=language, resolve=lambda href: f"https://a.example{href}")


@pytest.mark.parametrize("key", ["published_at", "publishedAt", "PublishedAt", "published-at", "PUBLISHED AT"])
def test_a_key_means_the_same_in_every_spelling(key: str) -> None:
    assert meaning(key) == ("published_at", 0)


def test_the_best_key_with_a_value_wins() -> None:
    assert fields({"name": "id-7", "title": "Nurse", "date": "2026-01-02", "publishedAt": None}) == {
        "title": "Nurse",
        "published_at": "2026-01-02",
    }


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"title": {"rendered": "R&amp;D <b>lead</b>"}}, {"title": "R&D lead"}),
        ({"title": {"en": "Nurse", "de": "Pflege"}}, {"title": "Pflege"}),
        ({"title": 7, "name": "Seven"}, {"title": "Seven"}),
        ({"published": True, "created": "2026-01-01"}, {"published_at": "2026-01-01"}),
        ({"date": 1760000000}, {"published_at": "2025-10-09T08:53:20+00:00"}),
        ({"date": 1760000000123}, {"published_at": "2025-10-09T08:53:20+00:00"}),
        ({"date": 90}, {}),
        ({"date": {"iso": "2026-01-01"}}, {"published_at": "2026-01-01"}),
        ({"location": {"city": "Bonn", "country": {"name": "Germany"}}}, {"location": "Bonn, Germany"}),
        ({"locations": [{"name": "Bonn"}, "Köln", "Bonn"]}, {"location": "Bonn; Köln"}),
        ({"authors": [{"name": "Ann"}, {"name": "Bo"}]}, {"author": "Ann, Bo"}),
        ({"tags": ["a", {"name": "b"}, 3]}, {"tags": ["a", "b", "3"]}),
        ({"price": {"amount": 5, "currency": "EUR"}}, {"price": "5", "currency": "EUR"}),
        (
            {"variants": [{"price": "5", "available": False}, {"price": "9"}]},
            {"price": "5", "availability": "OutOfStock"},
        ),
        ({"price": "7", "variants": [{"price": "5", "sku": "A5"}]}, {"price": "7", "sku": "A5"}),
        ({"categories": {"location": "Bonn", "team": "North"}}, {"location": "Bonn"}),
        ({"salaryRange": {"min": 5, "max": 6, "currency": "EUR", "interval": "per-year-salary"}}, PAID_BY_YEAR),
        ({"salary": {"min": 5}}, {"salary": "5"}),
        ({"image": [{"url": "/x.png"}]}, {"image": "https://a.example/x.png"}),
        ({"description": {"blocks": []}, "unknown": "x"}, {}),
    ],
)
def test_a_value_is_read_in_every_shape(item: dict[str, Any], expected: dict[str, Any]) -> None:
    assert fields(item, language="de") == expected


def test_a_whole_text_is_no_title() -> None:
    assert title_of({"text": "word " * 200}) is None
    assert title_of({"text": "Nurse"}) == "Nurse"
