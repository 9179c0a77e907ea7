"""Figures are read in the order that the page shows, in that of its language, or not at all."""

from datetime import date

import pytest

from lamplighter.normalise.dates.date_order import Prefers, month_first_shown, order_of

TODAY = date(2025, 12, 1)


def resolve(text: str, language: str | None) -> tuple[int, int, int] | None:
    mark = next(char for char in text if not char.isdigit())
    a, b, c = text.split(mark)
    return order_of(language).resolve((a, b, c), mark=mark, today=TODAY, prefers=None)


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("03/04/2025", "en-US", (2025, 3, 4)),
        ("03/04/2025", "en_us", (2025, 3, 4)),
        ("03/04/2025", "en-AU", (2025, 4, 3)),
        ("03/04/2025", "de", (2025, 4, 3)),
        ("03/04/2025", "en", None),
        ("03/04/2025", "en-CA", None),
        ("03/04/2025", None, None),
        ("03.04.2025", "en-US", (2025, 4, 3)),
        ("13/04/2025", "en-US", (2025, 4, 13)),
        ("04/13/2025", "de", (2025, 4, 13)),
        ("03/04/25", "fr", (2025, 4, 3)),
        ("25.12.11", "ko", (2025, 12, 11)),
        ("25-12-11", "en", (2025, 12, 11)),
        ("25-12-26", "en", (2026, 12, 25)),
    ],
)
def test_the_order_of_figures(text: str, language: str | None, expected: tuple[int, int, int] | None) -> None:
    assert resolve(text, language) == expected


@pytest.mark.parametrize(
    ("texts", "month_first"),
    [
        pytest.param(["03/04/2025", "25/04/2025"], False, id="the 25th of April"),
        pytest.param(["03/04/2025", "04/25/2025"], True, id="April the 25th"),
        pytest.param(["Closing: 25/04/25 (noon)"], False, id="within other words, with a short year"),
        pytest.param(["25-04-2025", "26/04/2025"], False, id="whatever stands between"),
        pytest.param(["25/04/2025", "04/25/2025"], None, id="both"),
        pytest.param(["03/04/2025", "04/04/2025"], None, id="neither"),
        pytest.param(["25.04.2025", "2025-04-25", "25 April 2025"], None, id="other forms show nothing"),
        pytest.param(["25/31/2025", "1/25/4/2025", "99/99/9999"], None, id="no dates"),
        pytest.param(["25-04-12"], None, id="perhaps the year comes first"),
        pytest.param(["04/28/09"], True, id="long ago, but no month has the number 28"),
        pytest.param(["02.04.19", "03.18.19"], True, id="dots: the month is first only where a date proves it"),
        pytest.param(["03.18.19", "25.04.2019"], None, id="dots, both"),
        pytest.param(["1.2.13.20"], None, id="a version number"),
        pytest.param([], None, id="nothing"),
    ],
)
def test_a_figure_above_twelve_shows_the_order_of_the_whole_page(texts: list[str], month_first: bool | None) -> None:
    assert month_first_shown([(text, None) for text in texts], today=TODAY) is month_first


@pytest.mark.parametrize(
    ("dates", "month_first"),
    [
        pytest.param([("11/12/2025", "past")], True, id="there is no news of the 11th of December yet"),
        pytest.param([("12/11/2025", "past")], False, id="nor of December the 11th"),
        pytest.param([("12/11/2025", "future")], True, id="a deadline is not long past"),
        pytest.param([("11/12/2025", "past"), ("12/11/2025", "past")], None, id="both"),
        pytest.param([("11/12/2025", "past"), ("25/11/2025", "past")], False, id="proof is more than that"),
    ],
)
def test_what_cannot_be_shows_the_order_where_there_is_no_proof(
    dates: list[tuple[str, Prefers]], month_first: bool | None
) -> None:
    assert month_first_shown(dates, today=TODAY) is month_first


@pytest.mark.parametrize(
    ("texts", "month_first"),
    [
        pytest.param(["10/02/2025", "10/03/2025", "10/07/2025", "11/04/2025"], True, id="days of October and November"),
        pytest.param(["02/10/2025", "03/10/2025", "07/10/2025", "04/11/2025"], False, id="the same, the day first"),
        pytest.param(["11/03/2025", "11/05/2025"], True, id="two days of a week ago, not of January and March"),
        pytest.param(["01/09/2025", "01/10/2025", "01/11/2025"], None, id="the first of each month"),
        pytest.param(["03/04/2025", "04/03/2025"], None, id="two months either way"),
        pytest.param(["11/03/2025"], None, id="one alone lies close to nothing"),
        pytest.param(["02/10/2025", "02/11/2025"], None, id="close together in February, but this is December"),
        pytest.param(["10.02.2025", "10.03.2025", "10.07.2025"], None, id="with dots the day is first"),
    ],
)
def test_dates_of_a_list_lie_close_together(texts: list[str], month_first: bool | None) -> None:
    assert month_first_shown([(text, None) for text in texts], today=TODAY) is month_first


def test_a_language_that_settles_the_order_counts_more_than_closeness() -> None:
    dates: list[tuple[str, Prefers]] = [("11/03/2025", None), ("11/05/2025", None)]

    assert month_first_shown(dates, today=TODAY, is_settled=True) is None
