"""Which URLs and which sites a crawler should not follow for ever."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.rules.urls.traps import novelty_exhausted, trap_reason

SITE = "https://example.com"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        pytest.param("/a/a/a", "repeats /a", id="one segment thrice"),
        pytest.param("/x/a/a/a/y", "repeats /a", id="thrice in the middle"),
        pytest.param("/a/b/a/b/a/b", "repeats /a/b", id="a cycle of two"),
        pytest.param("/x/a/b/c/a/b/c/a/b/c/y", "repeats /a/b/c", id="a cycle of three"),
        pytest.param("/" + "/".join(f"s{n}" for n in range(21)), "21 path segments", id="too deep"),
        pytest.param("/?" + "&".join(f"p{n}=1" for n in range(21)), "21 query parameters", id="too many parameters"),
        pytest.param("/" + "x" * 2000, "characters", id="too long"),
        pytest.param("/" + "x" * 100_000, "characters", id="absurdly long"),
        pytest.param("/7749/03/12", "year 7749", id="year, month, day"),
        pytest.param("/blog/1885/10/21/post", "year 1885", id="long before the web"),
        pytest.param("/2029/01/31", "year 2029", id="three years ahead"),
        pytest.param("/12026/01/31", "year 12026", id="a year of five digits"),
        pytest.param("/events/7749-03", "year 7749", id="month of an event list"),
        pytest.param("/view/7749-03-12/", "year 7749", id="ISO date in the path"),
        pytest.param("/calendar/7749", "year 7749", id="year of a calendar"),
        pytest.param("/Calendar/7749/3", "year 7749", id="month of a calendar, any case"),
        pytest.param("/calendar/team/7749/3", "year 7749", id="deeper in a calendar"),
        pytest.param("/news/7749/02", "year 7749", id="month of a news archive"),
        pytest.param("/?date=7749-03-12", "year 7749", id="ISO date in the query"),
        pytest.param("/?at=7749-03-12T08:00", "year 7749", id="ISO time in the query"),
        pytest.param("/?month=7749-03", "year 7749", id="month in the query"),
        pytest.param("/?tribe-bar-date=77490312", "year 7749", id="compact date"),
        pytest.param("/?year=7749", "year 7749", id="year in the query"),
        pytest.param("/?month=3&year=1899", "year 1899", id="old year with a month"),
        pytest.param("/calendar?year=1899", "year 1899", id="old year on a calendar page"),
        pytest.param("/?m=3&y=7749", "year 7749", id="y beside m"),
    ],
)
def test_f5_trap_is_recognised_with_its_reason(path: str, reason: str) -> None:
    found = trap_reason(SITE + path, now_year=2026)

    assert found is not None
    assert reason in found


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("/", id="root"),
        pytest.param("", id="no path"),
        pytest.param("/jobs/7749", id="job number"),
        pytest.param("/product/2048", id="product number"),
        pytest.param("/product/2048/reviews", id="product number with a page below"),
        pytest.param("/jobs/7749/2", id="second page of a job"),
        pytest.param("/news/7749/2", id="second page of an article"),
        pytest.param("/events/7749", id="event number"),
        pytest.param("/c/1200/05", id="category codes"),
        pytest.param("/parts/7749-03", id="part number"),
        pytest.param("/chemicals/7732-18-5", id="CAS number"),
        pytest.param("/zip/10115", id="postal code"),
        pytest.param("/?id=7749", id="number in the query"),
        pytest.param("/?sku=7749-03", id="part number in the query"),
        pytest.param("/cars?year=1985", id="model year"),
        pytest.param("/map?x=12&y=7749", id="coordinate"),
        pytest.param("/2026/11/15/post", id="this year"),
        pytest.param("/calendar/2028/01", id="two years ahead"),
        pytest.param("/1990/01/01", id="first year that counts"),
        pytest.param("/a/a/b", id="a segment twice"),
        pytest.param("/a/b/a/b", id="a cycle of two, twice"),
        pytest.param("/a/b/a/c/a/d", id="often, but not in a row"),
        pytest.param("/" + "/".join(f"s{n}" for n in range(20)), id="just not too deep"),
        pytest.param("/?" + "&".join(f"p{n}=1" for n in range(20)), id="just not too many parameters"),
    ],
)
def test_f5_ordinary_url_is_no_trap(path: str) -> None:
    assert trap_reason(SITE + path, now_year=2026) is None


@given(
    before=st.lists(st.sampled_from("abc"), max_size=3),
    cycle=st.lists(st.sampled_from("abc"), min_size=1, max_size=3),
    after=st.lists(st.sampled_from("abc"), max_size=3),
)
@settings(deadline=None, max_examples=200)
def test_f5_whatever_stands_three_times_in_a_row_is_a_trap(
    before: list[str], cycle: list[str], after: list[str]
) -> None:
    url = "/".join([SITE, *before, *cycle * 3, *after])

    assert trap_reason(url, now_year=2026) is not None


@pytest.mark.parametrize(
    ("recent", "exhausted"),
    [
        pytest.param([], False, id="nothing seen"),
        pytest.param([False] * 49, False, id="too little seen to judge"),
        pytest.param([False] * 50, True, id="nothing new in the window"),
        pytest.param([True] * 50 + [False] * 50, True, id="only the latest count"),
        pytest.param([False] * 47 + [True] * 3, False, id="three of fifty are enough"),
        pytest.param([False] * 48 + [True] * 2, True, id="two of fifty are not"),
    ],
)
def test_b13_site_without_news_is_exhausted(recent: list[bool], exhausted: bool) -> None:
    assert novelty_exhausted(recent) is exhausted


def test_b13_exactly_the_least_share_is_enough() -> None:
    assert not novelty_exhausted([True, *[False] * 19], window=20, least_novel=0.05)
