"""What a takedown covers: a host with all below it, or a URL with all below it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.errors import BadUrl
from lamplighter.rules.hosts.takedown import entry, matching
from lamplighter.rules.urls import urls


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        pytest.param("example.org", "example.org", id="a domain"),
        pytest.param(" Example.ORG. ", "example.org", id="a domain, carelessly typed"),
        pytest.param("example.org:8080", "example.org", id="a port: the host on every port"),
        pytest.param("münchen.example", "xn--mnchen-3ya.example", id="a name in its own script"),
        pytest.param("[::1]", "::1", id="an address in brackets"),
        pytest.param("https://Example.org", "https://example.org/", id="a whole site of one scheme"),
        pytest.param("https://example.org/a/../b/#x", "https://example.org/b/", id="a URL, normalised"),
    ],
)
def test_an_entry_is_kept_in_the_form_it_is_compared_in(text: str, kept: str) -> None:
    assert entry(text) == kept


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param(".", id="a dot"),
        pytest.param("example.09..", id="a name that only its dots make one"),
        pytest.param("not a domain", id="a sentence"),
        pytest.param("ftp://example.org/", id="another scheme"),
        pytest.param("https://user:secret@example.org/", id="credentials"),
        pytest.param("example.org/private", id="a path without a scheme: not silently the whole host"),
        pytest.param("example.org?id=1", id="a query without a scheme"),
        pytest.param("*.example.org", id="a wildcard, which would never match"),
    ],
)
def test_what_is_neither_a_domain_nor_a_url_is_refused(text: str) -> None:
    with pytest.raises(BadUrl):
        entry(text)


@pytest.mark.parametrize(
    ("url", "entries", "found"),
    [
        pytest.param("https://example.org/", ["example.org"], "example.org", id="the host itself"),
        pytest.param("https://a.b.example.org/x", ["example.org"], "example.org", id="a subdomain"),
        pytest.param("http://example.org:8080/x", ["example.org"], "example.org", id="any scheme and port"),
        pytest.param("https://example.org./x", ["example.org"], "example.org", id="a final dot"),
        pytest.param("https://EXAMPLE.org/x", ["example.org"], "example.org", id="capitals"),
        pytest.param("https://notexample.org/", ["example.org"], None, id="a name that only ends alike"),
        pytest.param("https://example.org.test/", ["example.org"], None, id="a name that only begins alike"),
        pytest.param("https://example.com/", ["www.example.com"], None, id="a subdomain does not cover its parent"),
        pytest.param("https://e.org/a/b", ["https://e.org/a/"], "https://e.org/a/", id="below a URL"),
        pytest.param("https://e.org/a/", ["https://e.org/a/"], "https://e.org/a/", id="the URL itself"),
        pytest.param("https://e.org/b/", ["https://e.org/a/"], None, id="beside a URL"),
        pytest.param("https://e.org/x?next=https://e.org/a/", ["https://e.org/a/"], None, id="only in the query"),
        pytest.param("https://e.org/", ["x.org", "y.org", "e.org"], "e.org", id="one of several"),
        pytest.param("https://e.org/", [], None, id="an empty list"),
        pytest.param("http://127.0.0.1:8000/x", ["127.0.0.1"], "127.0.0.1", id="an address"),
    ],
)
def test_what_an_entry_covers(url: str, entries: list[str], found: str | None) -> None:
    assert matching(urls.normalise(url), entries) == found


@given(
    host=st.from_regex(r"[a-z]{1,8}\.(org|com|test)", fullmatch=True),
    path=st.from_regex(r"(/[A-Za-z0-9 ._~%|-]{0,8}){0,3}", fullmatch=True),
)
@settings(deadline=None, max_examples=200)
def test_a_url_that_was_taken_down_is_always_covered(host: str, path: str) -> None:
    url = f"https://{host}{path}"

    assert matching(urls.normalise(url), [entry(url)]) is not None
    assert matching(urls.normalise(url), [entry(host)]) is not None
