"""Which cookies are kept, and to whom they go: RFC 6265, hardened."""

from dataclasses import replace
from datetime import timedelta

import pytest

from lamplighter.model.visit import Cookie
from lamplighter.rules.hosts import cookies
from lamplighter.rules.hosts.cookies import header, parsed, received
from lamplighter.rules.urls import urls
from tests.moments import NOON

JOBS = "https://www.example.co.uk/jobs/list?page=1"


def cookie(line: str, url: str = JOBS) -> Cookie:
    got = parsed(line, urls.parse(url), now=NOON)
    assert isinstance(got, Cookie), got
    return got


def sent(line: str, to: str, *, by: str = JOBS, after: timedelta = timedelta(0)) -> str | None:
    return header([cookie(line, by)], urls.parse(to), now=NOON + after)


@pytest.mark.parametrize(
    ("line", "to"),
    [
        pytest.param("a=1", "https://www.example.co.uk/jobs/7", id="the same host, below the same path"),
        pytest.param("a=1", "https://www.example.co.uk/jobs", id="the path itself"),
        pytest.param("a=1; Path=/", "https://www.example.co.uk/", id="the whole host"),
        pytest.param("a=1; Path=jobs", "https://www.example.co.uk/jobs/7", id="a path that is none: the default"),
        pytest.param("a=1; Path=/jobs/", "https://www.example.co.uk/jobs/7", id="a path with a final slash"),
        pytest.param("a=1; Domain=example.co.uk; Path=/", "https://jobs.example.co.uk/", id="a sister host, by Domain"),
        pytest.param("a=1; domain=.EXAMPLE.co.uk; path=/", "https://example.co.uk/", id="a leading dot, capitals"),
        pytest.param("a=1; Secure; HttpOnly; SameSite=Lax", "https://www.example.co.uk/jobs/7", id="other attributes"),
        pytest.param("__Host-a=1; Secure; Path=/", "https://www.example.co.uk/", id="a promise that is kept"),
    ],
)
def test_a_cookie_goes_back_to_whom_it_is_meant_for(line: str, to: str) -> None:
    assert (sent(line, to) or "").endswith("a=1")


@pytest.mark.parametrize(
    ("line", "to"),
    [
        pytest.param("a=1; Path=/", "https://jobs.example.co.uk/", id="a sister host"),
        pytest.param("a=1; Path=/", "https://x.www.example.co.uk/", id="a host below, without Domain"),
        pytest.param("a=1; Domain=example.co.uk; Path=/", "https://notexample.co.uk/", id="a host that ends alike"),
        pytest.param("a=1; Domain=example.co.uk; Path=/", "https://other.co.uk/", id="another registered domain"),
        pytest.param("a=1; Path=/", "http://www.example.co.uk/", id="over http what came over https"),
        pytest.param("a=1; Path=/", "https://www.example.co.uk:8443/", id="another port"),
        pytest.param("a=1", "https://www.example.co.uk/", id="above its path"),
        pytest.param("a=1", "https://www.example.co.uk/jobsearch", id="a path that begins alike"),
        pytest.param("a=1; Path=/; Max-Age=0", "https://www.example.co.uk/", id="one that has run out"),
    ],
)
def test_a_cookie_goes_to_nobody_else(line: str, to: str) -> None:
    assert sent(line, to) is None


def test_a_cookie_set_over_http_may_go_over_https() -> None:
    assert sent("a=1", "https://a.org/", by="http://a.org/") == "a=1"


@pytest.mark.parametrize(
    ("line", "url", "why"),
    [
        pytest.param("a=1; Domain=co.uk", JOBS, cookies.FOREIGN, id="b10: a public suffix"),
        pytest.param("a=1; Domain=uk", JOBS, cookies.FOREIGN, id="b10: a top-level domain"),
        pytest.param("a=1; Domain=other.org", JOBS, cookies.FOREIGN, id="b10: another domain"),
        pytest.param("a=1; Domain=x.www.example.co.uk", JOBS, cookies.FOREIGN, id="b10: a host below"),
        pytest.param("a=1; Domain=b.github.io", "https://a.github.io/", cookies.FOREIGN, id="b10: a neighbour"),
        pytest.param("a=1; Domain=github.io", "https://a.github.io/", cookies.FOREIGN, id="b10: all neighbours"),
        pytest.param("a=1; Domain=0.0.1", "http://127.0.0.1/", cookies.FOREIGN, id="a part of an address"),
        pytest.param("a=1; Secure", "http://a.org/", cookies.INSECURE, id="secure, and set over http"),
        pytest.param("__Secure-a=1", JOBS, cookies.INSECURE, id="a name that promises more"),
        pytest.param("__Host-a=1; Secure; Path=/; Domain=www.example.co.uk", JOBS, cookies.INSECURE, id="with Domain"),
        pytest.param("a", JOBS, cookies.MALFORMED, id="no value"),
        pytest.param("=1", JOBS, cookies.MALFORMED, id="no name"),
        pytest.param("", JOBS, cookies.MALFORMED, id="nothing"),
        pytest.param("a=1\x00", JOBS, cookies.MALFORMED, id="a control character"),
        pytest.param("a=\udcff", JOBS, cookies.MALFORMED, id="bytes that are no text"),
        pytest.param("a=" + "x" * 4095, JOBS, cookies.TOO_LONG, id="b10: too long"),
    ],
)
def test_a_cookie_that_we_do_not_keep_says_why(line: str, url: str, why: str) -> None:
    assert parsed(line, urls.parse(url), now=NOON) == why


def test_a_public_suffix_may_set_a_cookie_for_itself_alone() -> None:
    got = cookie("a=1; Domain=github.io; Path=/", "https://github.io/")

    assert (got.domain, got.is_host_only) == ("github.io", True)


@pytest.mark.parametrize(
    ("line", "lasts"),
    [
        pytest.param("a=1", timedelta(days=1), id="no end: a day"),
        pytest.param("a=1; Max-Age=60", timedelta(seconds=60), id="Max-Age"),
        pytest.param("a=1; Max-Age=60; Expires=Sat, 21 Mar 2026 12:00:00 GMT", timedelta(seconds=60), id="it wins"),
        pytest.param("a=1; Max-Age=99999999999999", timedelta(days=400), id="for ever"),
        pytest.param("a=1; Expires=Fri, 01 Jan 2100 00:00:00 GMT", timedelta(days=400), id="nearly for ever"),
        pytest.param("a=1; Max-Age=soon", timedelta(days=1), id="nonsense counts as none"),
        pytest.param("a=1; Expires=soon", timedelta(days=1), id="so does this"),
    ],
)
def test_a_cookie_lasts_as_long_as_its_site_says_within_bounds(line: str, lasts: timedelta) -> None:
    assert cookie(line).expires_at == NOON + lasts


def test_an_end_in_the_old_form_is_understood() -> None:
    got = cookie("a=1; Expires=Sat, 21-Mar-26 12:00:00 GMT")

    assert got.expires_at.isoformat() == "2026-03-21T12:00:00+00:00"


def test_longer_paths_come_first() -> None:
    known = [cookie("a=1; Path=/"), cookie("b=2; Path=/jobs"), cookie("c=3; Path=/")]

    assert header(known, urls.parse(JOBS), now=NOON) == "b=2; a=1; c=3"


def test_a_header_stays_short_enough_for_servers() -> None:
    known = [cookie(f"c{n}={'x' * 3000}; Path=/") for n in range(5)]

    text = header(known, urls.parse(JOBS), now=NOON)

    assert text is not None
    assert [part[:2] for part in text.split("; ")] == ["c0", "c1"]


def test_b10_no_more_than_fifty_are_kept_and_those_that_came_first_stay() -> None:
    got = received([f"c{n}=1" for n in range(10_000)], urls.parse(JOBS), [], now=NOON)

    assert [cookie.name for cookie in got.kept] == [f"c{n}" for n in range(50)]
    assert got.ignored == {cookies.TOO_MANY: 9_950}


def test_a_known_cookie_is_replaced_though_there_is_no_room_for_others() -> None:
    known = received([f"c{n}=1" for n in range(50)], urls.parse(JOBS), [], now=NOON).kept

    got = received(["c7=2", "new=1"], urls.parse(JOBS), known, now=NOON)

    assert [(cookie.name, cookie.value) for cookie in got.kept] == [("c7", "2")]
    assert got.ignored == {cookies.TOO_MANY: 1}


def test_what_has_run_out_makes_room() -> None:
    known = received([f"c{n}=1; Max-Age=60" for n in range(50)], urls.parse(JOBS), [], now=NOON).kept

    got = received(["new=1"], urls.parse(JOBS), known, now=NOON + timedelta(minutes=2))

    assert [cookie.name for cookie in got.kept] == ["new"]


def test_a_site_takes_a_cookie_back() -> None:
    known = [cookie("a=1")]

    got = received(["a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], urls.parse(JOBS), known, now=NOON)

    assert [(cookie.name, cookie.domain) for cookie in got.withdrawn] == [("a", "www.example.co.uk")]
    assert got.kept == ()


def test_what_is_set_again_just_as_it_was_is_no_news() -> None:
    known = [cookie("a=1")]

    got = received(["a=1"], urls.parse(JOBS), known, now=NOON + timedelta(minutes=5))
    much_later = received(["a=1"], urls.parse(JOBS), known, now=NOON + timedelta(hours=5))

    assert (len(got.kept), len(much_later.kept)) == (0, 1)


def test_an_answer_over_http_changes_nothing_that_came_over_https() -> None:
    known = [cookie("a=1; Path=/", "https://a.org/")]

    got = received(["a=2; Path=/", "a=; Path=/; Max-Age=0"], urls.parse("http://a.org/"), known, now=NOON)

    assert (got.kept, got.withdrawn, got.ignored) == ((), (), {cookies.INSECURE: 2})


def test_a_cookie_does_not_show_what_it_says() -> None:
    assert "s3cret" not in repr(replace(cookie("a=1"), name="s3cret", value="s3cret"))


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://www.example.co.uk/jobs", "example.co.uk"),
        ("http://a.b.github.io/", "b.github.io"),
        ("http://127.0.0.1:8061/jobs", "127.0.0.1:8061"),
        ("https://example.org:443/", "example.org"),
    ],
)
def test_cookies_belong_to_a_registered_domain_and_its_port(url: str, site: str) -> None:
    assert cookies.site_of(urls.parse(url)) == site
