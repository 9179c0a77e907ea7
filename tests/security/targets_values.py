"""Fuzz targets: single values as sites write them, selectors, and pages that are shown again."""

import math
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson

from lamplighter.errors import BadRecipe
from lamplighter.extract.ladder import read
from lamplighter.extract.recipes.recipe import parse_recipe
from lamplighter.extract.teaching.harmless import harmless
from lamplighter.extract.teaching.places import numbered
from lamplighter.normalise.dates.dates import FIRST_YEAR, YEARS_AHEAD, read_when
from lamplighter.normalise.fields import PageContext
from lamplighter.normalise.jobs.salary import read_salary
from lamplighter.normalise.places.places import read_place
from lamplighter.normalise.products.money import read_price
from tests.security.target import Target, text_of

_NOW = datetime(2026, 3, 1, 8, tzinfo=UTC)
_LANGUAGES = (None, "en", "en-US", "de", "uk", "ja", "ar")
_PAGE = b"""<!doctype html><title>Jobs</title><ul class="jobs list"><li data-id=1><a href=1>Nurse</a><p>Kyiv</p>
<li><a href=2>Cook</a><p>Oslo</p></ul><div><div><p lang=de>tief <b>innen</b></p></div></div>"""
_LOADING = b"""<!doctype html><title>a</title><base href=//b.example><meta http-equiv=refresh content='0;url=/c'>
<style>@import url(//b.example/a.css); p { background: url("//b.example/p") }</style><script>alert(1)</script>
<img src=//b.example/i onerror=a()><a href=javascript:alert(1)>a</a><svg><script>b</script></svg><iframe srcdoc=x>"""


def play_date(data: bytes) -> None:
    """A date is a moment with a zone in years that can be meant, or nothing."""
    text = text_of(data)
    for language in _LANGUAGES:
        when = read_when(text, language=language, seen_at=_NOW)
        if when is not None:
            assert when.moment.utcoffset() is not None
            assert FIRST_YEAR <= when.moment.year <= _NOW.year + YEARS_AHEAD
            assert abs(when.moment - _NOW) < timedelta(days=366 * 4000)


def play_place(data: bytes) -> None:
    """A country is a code of two letters, or is not known."""
    text = text_of(data)
    for language in _LANGUAGES:
        country = read_place(text, language=language).country_iso
        assert country is None or (len(country) == 2 and country.isascii() and country.isupper()), country


def play_money(data: bytes) -> None:
    """Prices and salaries are numbers that can be written down."""
    text = text_of(data)
    given: list[Any] = [text, {"min": text, "max": text, "currency": text, "period": text}]
    for language in _LANGUAGES:
        seen = PageContext("https://a.example/", language, _NOW)
        price = read_price(text, seen)
        assert price is None or (math.isfinite(price.lowest) and price.lowest >= 0)
        for value in given:
            orjson.dumps(read_salary(value, seen))


def play_selector(data: bytes) -> None:
    """A selector is refused by name, or finds what it finds on any page."""
    text = text_of(data)
    for given in ({"items": text, "fields": {"title": "a"}}, {"fields": {"title": text}}):
        try:
            recipe = parse_recipe(given)
        except BadRecipe:
            continue
        read(_PAGE, url="https://a.example/jobs/", content_type="text/html", recipe=recipe)


def play_shown(data: bytes) -> None:
    """A page that is shown again has no script, and neither loads nor asks for anything."""
    shown = harmless(numbered(text_of(data)))
    again = numbered(shown).tree
    for name in ("script", "iframe", "object", "embed", "base", "link"):
        assert again.find(name) is None, name


TARGETS = (
    Target(
        "date",
        play_date,
        (
            b"2026-03-12T08:00:00+02:00",
            b"Mon, 02 Mar 2026 08:00:00 GMT",
            b"3 days ago",
            b"12.03.26, 9 Uhr",
            "12 березня 2026".encode(),
            "2026年3月12日".encode(),
            b"1773302400000",
            b"31/12/9999 24:60 +99:99",
        ),
    ),
    Target("place", play_place, (b"Kyiv, Ukraine", b"Remote (EU)", b"Paris / Lyon, FR", "東京都".encode(), b"a, b; c")),
    Target(
        "money",
        play_money,
        (b"$45,000 - $60,000 a year", "1.234,50 €/Monat".encode(), b"up to 1e400", b"-5 GBP", b"99999999999999999999"),
    ),
    Target(
        "selector",
        play_selector,
        (b".jobs > li:nth-child(2n+1) a", b"li:has(> a[href^='1'])@data-id", b"p:not(:lang(de)) ~ *", b":is(a,:is(b"),
    ),
    Target("shown", play_shown, (_PAGE, _LOADING, b"<svg><style><script>", b"<math><mi><script>a</script>")),
)
