"""When two texts are the same page, and which texts are no URL for us."""

import re

import ada_url
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from lamplighter.errors import BadUrl
from lamplighter.rules.urls.urls import (
    MAX_LENGTH,
    LinkResolver,
    join,
    normalise,
    parse,
    registrable,
    same_site,
    url_key,
)


def test_url_is_cut_into_what_fetching_needs() -> None:
    url = parse("HTTPS://Example.COM:8443/Jobs/?b=2&a=1#top")

    assert url.href == "https://example.com:8443/Jobs/?a=1&b=2"
    assert url.scheme == "https"
    assert url.hostname == "example.com"
    assert url.port == 8443
    assert url.host_key == "example.com:8443"
    assert url.origin == "https://example.com:8443"
    assert url.path_query == "/Jobs/?a=1&b=2"


@pytest.mark.parametrize(
    ("text", "hostname", "port", "host_key"),
    [
        pytest.param("http://example.com", "example.com", 80, "example.com", id="port of http"),
        pytest.param("https://example.com:443/", "example.com", 443, "example.com", id="default port written out"),
        pytest.param("http://example.com:443/", "example.com", 443, "example.com:443", id="port of another scheme"),
        pytest.param("http://[::1]/", "::1", 80, "[::1]", id="v6 has no brackets in its name"),
        pytest.param("http://[::1]:8080/", "::1", 8080, "[::1]:8080", id="v6 with a port"),
    ],
)
def test_host_and_port_are_what_to_connect_to(text: str, hostname: str, port: int, host_key: str) -> None:
    url = parse(text)

    assert (url.hostname, url.port, url.host_key) == (hostname, port, host_key)
    assert url.origin == f"{url.scheme}://{host_key}"


@pytest.mark.parametrize(
    ("text", "hostname"),
    [
        pytest.param("http://127.1/", "127.0.0.1", id="short form"),
        pytest.param("http://0x7f.1/", "127.0.0.1", id="hexadecimal"),
        pytest.param("http://0177.0.0.1/", "127.0.0.1", id="octal"),
        pytest.param("http://2130706433/", "127.0.0.1", id="one number"),
        pytest.param("http://①②⑦.0.0.1/", "127.0.0.1", id="circled digits"),
        pytest.param("http://127。0。0。1/", "127.0.0.1", id="ideographic full stops"),
        pytest.param("http://127.0.0.1./", "127.0.0.1", id="address with a final dot"),
        pytest.param("http://0x7f.1../", "127.0.0.1", id="address behind two final dots"),
        pytest.param("http://[::ffff:7f00:1]/", "::ffff:7f00:1", id="v4-mapped"),
        pytest.param("http://localhost./", "localhost", id="localhost with a final dot"),
        pytest.param("http://LOCALHOST.:8080/", "localhost", id="final dot before a port"),
        pytest.param("http://example.com../x", "example.com", id="two final dots"),
        pytest.param("http://ex%61mple.com/", "example.com", id="escape in the name"),
        pytest.param("ht\ttp://exa\nmple.com/", "example.com", id="tab and newline"),
        pytest.param("http:\\\\example.com\\x", "example.com", id="backslashes"),
        pytest.param("http://faß.de/", "xn--fa-hia.de", id="international name"),
        pytest.param("http://@example.com/", "example.com", id="empty credentials"),
    ],
)
def test_f2_disguised_host_is_seen_as_what_it_is(text: str, hostname: str) -> None:
    assert parse(text).hostname == hostname


def test_f3_backslash_ends_the_host_for_check_and_connection_alike() -> None:
    url = parse("http://a.com\\@169.254.169.254/")

    assert url.hostname == "a.com"
    assert url.href == "http://a.com/@169.254.169.254/"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param("ftp://example.com/", "neither http nor https", id="ftp"),
        pytest.param("file:///etc/passwd", "neither http nor https", id="file"),
        pytest.param("javascript:alert(1)", "neither http nor https", id="javascript"),
        pytest.param("data:text/html,x", "neither http nor https", id="data"),
        pytest.param("example.com/jobs", "cannot be parsed", id="no scheme"),
        pytest.param("", "cannot be parsed", id="empty"),
        pytest.param("http://", "no host", id="no host"),
        pytest.param("http://example.com:99999/", "cannot be parsed", id="impossible port"),
        pytest.param("http://1.2.3.4.5/", "cannot be parsed", id="no address and no name"),
        pytest.param("http://exa mple.com/", "cannot be parsed", id="space in the host"),
        pytest.param("http://example.com/\ud800", "cannot be parsed", id="lone surrogate"),
        pytest.param("https://user@example.com/", "credentials", id="user"),
        pytest.param("https://user:word@example.com/", "credentials", id="user and password"),
        pytest.param("https://example.com/" + "x" * 4096, "longer than 4096", id="too long"),
        pytest.param("https://example.com/" + "é" * 1000, "longer than 4096", id="too long when escaped"),
    ],
)
def test_f2_what_we_may_not_ask_for_is_refused_with_reason_and_remedy(text: str, reason: str) -> None:
    with pytest.raises(BadUrl) as refusal:
        parse(text)

    assert re.fullmatch(rf"Cannot use .* as a URL: .*{reason}.*; .+\.", str(refusal.value))


@pytest.mark.parametrize(
    "text", ["http://./", "http://../", "http://.:8080/x", "http://foo.09../", "http://./site.example/x?y=1"]
)
def test_a_name_that_only_its_dots_make_one_is_left_as_it_is(text: str) -> None:
    assert normalise(text) == text


def test_refusal_names_the_url_but_not_the_password() -> None:
    with pytest.raises(BadUrl) as refusal:
        parse("https://user:hunter2@example.com/x")

    assert "example.com/x" in str(refusal.value)
    assert "hunter2" not in str(refusal.value)
    assert "user" not in str(refusal.value)


def test_refusal_of_a_huge_url_is_short() -> None:
    with pytest.raises(BadUrl) as refusal:
        parse("https://example.com/" + "x" * 100_000)

    assert len(str(refusal.value)) < 400


@pytest.mark.parametrize(
    ("text", "identity"),
    [
        pytest.param("/x#frag", "/x", id="fragment dropped"),
        pytest.param("/x?", "/x", id="empty query dropped"),
        pytest.param("/x?&&", "/x", id="query of nothing dropped"),
        pytest.param("/x?b=1&a=2", "/x?a=2&b=1", id="parameters sorted"),
        pytest.param("/x?a=2&b=0&a=1", "/x?a=2&a=1&b=0", id="same names keep their order"),
        pytest.param("/x?q=&q=", "/x?q=&q=", id="duplicates kept"),
        pytest.param("/x?q", "/x?q", id="name without a value"),
        pytest.param("/x?=", "/x?=", id="nameless parameter"),
        pytest.param("/x?a=1=2", "/x?a=1=2", id="equals sign in the value"),
        pytest.param("/x?utm_source=a&utm_medium=b&id=1", "/x?id=1", id="utm parameters dropped"),
        pytest.param("/x?UTM_Source=a&FBCLID=b", "/x", id="in any case"),
        pytest.param("/x?utm%5Fsource=a", "/x", id="in any spelling"),
        pytest.param("/x?gclid=1&gclsrc=1&dclid=1&msclkid=1&yclid=1&igshid=1", "/x", id="ad networks"),
        pytest.param("/x?mc_cid=1&mc_eid=1&_hsenc=1&_hsmi=1", "/x", id="mailings"),
        pytest.param("/x?utmost=1", "/x?utmost=1", id="only looks like utm"),
        pytest.param("/x;jsessionid=AB12?a=1", "/x?a=1", id="session in the path"),
        pytest.param("/x;JSESSIONID=AB12.node1/y", "/x/y", id="session inside the path"),
        pytest.param("/;jsessionid=AB12", "/", id="session at the root"),
        pytest.param("/a/..;jsessionid=1/b", "/a/..;jsessionid=1/b", id="no dot segment is made"),
        pytest.param("/x;v=1;jsessionid=2", "/x;v=1", id="other path parameters stay"),
        pytest.param("/x?PHPSESSID=abc&jsessionid=1", "/x", id="session in the query"),
        pytest.param("/x?sid=0123456789abcdef0123", "/x", id="sid with a token"),
        pytest.param("/x?sid=42", "/x?sid=42", id="sid with a number"),
        pytest.param("/x?sid=sports", "/x?sid=sports", id="sid with a word"),
        pytest.param("/%7euser/%41", "/~user/A", id="needless escapes decoded"),
        pytest.param("/a%2fb%c3%a9", "/a%2Fb%C3%A9", id="escapes in upper case"),
        pytest.param("/caf\u00e9", "/caf%C3%A9", id="escapes where needed"),
        pytest.param("/a%%32E", "/a%%32E", id="no escape is born of two"),
        pytest.param("/100%", "/100%", id="a stray percent sign stays"),
        pytest.param("/a/./b/../c", "/a/c", id="dot segments resolved"),
        pytest.param("/a/%2e%2E/c", "/c", id="escaped dot segments resolved"),
        pytest.param("/dir/", "/dir/", id="trailing slash stays"),
        pytest.param("/dir", "/dir", id="none is added"),
        pytest.param("/Path/ABC", "/Path/ABC", id="case of the path stays"),
        pytest.param("/a//b///", "/a//b///", id="double slashes stay"),
        pytest.param("//x", "//x", id="double slash at the root stays"),
        pytest.param("", "/", id="no path is the root"),
        pytest.param("/x?a=b c", "/x?a=b%20c", id="space in the query"),
        pytest.param("/x?a=b+c", "/x?a=b+c", id="plus in the query stays"),
    ],
)
def test_f4_identity_form(text: str, identity: str) -> None:
    assert normalise(f"http://example.com{text}") == f"http://example.com{identity}"


#: what URLs are made of, and what breaks parsers
_PIECES = st.sampled_from(
    [
        *"/.aB~_%?&=;# \t\n\\éツ'\"<{|^`*$+,:@!\x00",
        *("//", "..", "%2e", "%2E%2e", "%41", "%7e", "%2f", "%4", "%zz", "%%32E", ";jsessionid=1", ";v=2"),
        *("q=1", "b=2&a=1", "utm_source=x", "sid=0123456789abcdef", "x-1"),
    ]
)
_TAILS = st.lists(_PIECES, max_size=8).map("".join)
_HOSTS = st.sampled_from(
    [
        *("example.com", "EXAMPLE.com", "example.com.", "a..", "127.1", "0x7f.1..", "[::1]", "[::FFFF:7f00:1]"),
        *("faß.de", "example.com:80", "example.com:8080", "example.com.:8080", "u@example.com", "", ".", "1.2.3.4.5"),
    ]
)
_URLS = st.builds("{}://{}{}".format, st.sampled_from(["http", "HTTPS", "ftp"]), _HOSTS, _TAILS)
_HREFS = st.one_of(
    _TAILS,
    _URLS,
    st.sampled_from(["", "#", " #x", "mailto:a@b.c", "tel:1", "data:,x", "?p=2", "./x", "x/./y", "x/../y", "//h/x"]),
    st.from_regex(r"/?[a-z0-9][a-z0-9._~-]{0,5}(/[a-z0-9.][a-z0-9._~-]{0,5}){0,2}/?", fullmatch=True),
)


@given(_URLS)
@example("http://h/..;jsessionid=1/%%32E?sid=0123456789abcdef&%75tm_x=1")
@settings(deadline=None, max_examples=300)
def test_f4_identity_of_the_identity_form_is_itself(text: str) -> None:
    try:
        once = normalise(text)
    except BadUrl:
        assume(False)

    assert normalise(once) == once
    assert parse(text).href == once
    assert once.isascii()


@given(_URLS)
@settings(deadline=None, max_examples=150)
def test_parts_of_a_url_add_up_to_it(text: str) -> None:
    try:
        url = parse(text)
    except BadUrl:
        assume(False)

    assert url.href == url.origin + url.path_query
    assert url.origin == f"{url.scheme}://{url.host_key}"
    is_name_by_dots = not ada_url.check_url(f"http://{url.hostname.rstrip('.')}/")
    assert not url.hostname.endswith(".") or is_name_by_dots


@given(
    host=st.text(st.sampled_from("aZx019.:-n"), min_size=1, max_size=12),
    path=st.text(st.sampled_from("aZ0/._~-;%? "), max_size=12),
)
@example(host="127.1", path="/a")
@example(host="a.:80", path="/a")
@example(host="xn--a", path="")
@example(host="a", path="/" + "x" * 2000)
def test_identity_of_a_plain_url_is_that_of_its_parts(host: str, path: str) -> None:
    text = f"http://{host}{path}"
    try:
        expected = parse(text).href
    except BadUrl as error:
        with pytest.raises(BadUrl, match=re.escape(str(error))):
            normalise(text)
    else:
        assert normalise(text) == expected


@given(st.text(max_size=60))
@settings(deadline=None, max_examples=150)
def test_any_text_is_either_a_url_or_refused(text: str) -> None:
    try:
        url = parse(f"http://example.com/{text}")
    except BadUrl as refusal:
        assert "Cannot use" in str(refusal)  # noqa: PT017
    else:
        assert url.hostname == "example.com"


def test_key_is_a_sha256_of_the_identity_form() -> None:
    key = url_key(normalise("http://example.com/x?utm_source=a"))

    assert re.fullmatch("[0-9a-f]{64}", key)
    assert key == url_key("http://example.com/x")
    assert key != url_key("http://example.com/x/")


BASE = "https://example.com/jobs/list.html?page=2"


@pytest.mark.parametrize(
    ("href", "url"),
    [
        pytest.param("/about", "https://example.com/about", id="from the root"),
        pytest.param("view/7", "https://example.com/jobs/view/7", id="from here"),
        pytest.param("../up", "https://example.com/up", id="one up"),
        pytest.param("?page=3", "https://example.com/jobs/list.html?page=3", id="query only"),
        pytest.param("//cdn.example.org/x", "https://cdn.example.org/x", id="scheme of the page"),
        pytest.param("http://other.example/x#y", "http://other.example/x", id="elsewhere"),
        pytest.param("  /padded\n", "https://example.com/padded", id="white space around"),
        pytest.param("/x?utm_source=a#f", "https://example.com/x", id="in identity form"),
        pytest.param("", None, id="empty"),
        pytest.param("#top", None, id="same page"),
        pytest.param("  #top", None, id="same page, padded"),
        pytest.param("mailto:a@example.com", None, id="mail"),
        pytest.param("javascript:void(0)", None, id="script"),
        pytest.param("data:text/plain,x", None, id="data"),
        pytest.param("tel:+49", None, id="telephone"),
        pytest.param("http://", None, id="no URL"),
        pytest.param("http://u:p@example.com/", None, id="credentials"),
        pytest.param("/" + "x" * MAX_LENGTH, None, id="too long"),
    ],
)
def test_link_is_followed_or_not(href: str, url: str | None) -> None:
    assert join(BASE, href) == url
    assert LinkResolver(BASE).resolve(href) == url


def test_nothing_can_be_followed_from_a_page_that_is_no_url() -> None:
    assert join("nonsense", "/x") is None
    assert LinkResolver("nonsense").resolve("/x") is None


@given(base=_URLS, href=_HREFS)
@example(base="https://example.com/" + "d" * 4070 + "/x", href="abc")
@example(base="https://example.com/" + "d" * 4080 + "/x", href="abc")
@example(base="https://example.com/" + "d" * 4080 + "/x", href="/abc")
@example(base="https://example.com/a//b", href="../c")
@example(base="https://example.com/b", href="../c#d")
@example(base="https://example.com/a;jsessionid=1/b?c", href="d #e")
@example(base="https://example.com/b", href="https://example.com/c #d")
@example(base="http://.", href="0")
@settings(deadline=None, max_examples=400)
def test_resolver_gives_the_same_answers_as_join(base: str, href: str) -> None:
    assert LinkResolver(base).resolve(href) == join(base, href)


@pytest.mark.parametrize(
    ("hostname", "site"),
    [
        pytest.param("www.example.co.uk", "example.co.uk", id="suffix of two labels"),
        pytest.param("example.com", "example.com", id="itself"),
        pytest.param("alice.github.io", "alice.github.io", id="private suffix"),
        pytest.param("github.io", "github.io", id="a suffix stands for itself"),
        pytest.param("localhost", "localhost", id="no suffix"),
        pytest.param("127.0.0.1", "127.0.0.1", id="v4 address"),
        pytest.param("::1", "::1", id="v6 address"),
        pytest.param("www.xn--fa-hia.de", "xn--fa-hia.de", id="international name"),
    ],
)
def test_registrable_domain(hostname: str, site: str) -> None:
    assert registrable(hostname) == site


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("www.example.com", "jobs.example.com", True),
        ("example.com", "example.org", False),
        ("a.github.io", "b.github.io", False),
        ("a.co.uk", "b.co.uk", False),
        ("127.0.0.1", "127.0.0.1", True),
        ("1.0.0.1", "2.0.0.1", False),
    ],
)
def test_same_site_means_one_registered_domain(one: str, other: str, same: bool) -> None:
    assert same_site(one, other) is same
