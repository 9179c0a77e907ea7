"""Which links of a page are followed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.model.reading import Link, PageRole
from lamplighter.rules.urls.scope import LinkScope, depth_of, in_scope
from tests.moments import NOON

SITE = "https://example.org"


def followed(*urls: str, depth: int = 0, role: PageRole = PageRole.LINK, scope: LinkScope | None = None) -> list[str]:
    scope = scope or LinkScope(hostnames=("example.org",), max_depth=2)
    links = [Link(url=url, role=role) for url in urls]
    return [link.url for link in in_scope(links, depth=depth, scope=scope, now=NOON)]


@pytest.mark.parametrize(
    "url",
    [
        pytest.param(f"{SITE}/jobs/1", id="the same host"),
        pytest.param("https://jobs.example.org/1", id="a subdomain"),
        pytest.param("http://example.org/1", id="the other scheme"),
        pytest.param("https://example.org:8443/1", id="another port"),
    ],
)
def test_links_on_the_source_s_site_are_followed(url: str) -> None:
    assert followed(url) == [url]


@pytest.mark.parametrize(
    "url",
    [
        pytest.param("https://example.com/jobs/1", id="another site"),
        pytest.param("https://example.org.evil.test/", id="its name as the beginning of another"),
        pytest.param("https://notexample.org/", id="its name as the end of another"),
        pytest.param("https://127.0.0.1/", id="an address"),
    ],
)
def test_links_to_other_sites_are_not_followed(url: str) -> None:
    assert followed(url) == []


def test_neighbours_under_a_public_suffix_are_other_sites() -> None:
    scope = LinkScope(hostnames=("one.github.io",), max_depth=2)

    assert followed("https://two.github.io/", scope=scope) == []


def test_a_source_on_an_address_keeps_to_that_address() -> None:
    scope = LinkScope(hostnames=("127.0.0.1",), max_depth=2)

    assert followed("http://127.0.0.1:8000/a", "http://127.0.0.2:8000/a", scope=scope) == ["http://127.0.0.1:8000/a"]


def test_f5_traps_are_not_followed() -> None:
    assert followed(f"{SITE}/a/b/a/b/a/b", f"{SITE}/calendar/7749/3", f"{SITE}/" + "x" * 3000) == []


@pytest.mark.parametrize(
    ("depth", "role", "goes_on"),
    [
        pytest.param(1, PageRole.LINK, True, id="a link from depth 1 is at depth 2"),
        pytest.param(2, PageRole.LINK, False, id="a link from depth 2 is too deep"),
        pytest.param(2, PageRole.LISTING, True, id="the next page of a listing is no deeper than the listing"),
        pytest.param(3, PageRole.LISTING, False, id="a listing that is itself too deep"),
    ],
)
def test_the_depth_limit_counts_links_from_the_start(depth: int, role: PageRole, goes_on: bool) -> None:
    assert bool(followed(f"{SITE}/x", depth=depth, role=role)) is goes_on


@given(st.integers(0, 50))
@settings(deadline=None, max_examples=20)
def test_next_pages_stay_at_the_depth_of_their_listing(found_at: int) -> None:
    assert depth_of(PageRole.LISTING, found_at=found_at) == found_at
    assert depth_of(PageRole.LINK, found_at=found_at) == found_at + 1
