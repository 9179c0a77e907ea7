"""Our robots.txt matcher against a port of Google's: different code, same answers.

Left out of the generated files is only what one of the two deliberately does otherwise:
- /robots.txt itself, which RFC 9309 always allows and Google's matcher judges like any path;
- escapes that were not needed and characters that some escape and some do not (`%7E`, a space, `$` in a URL): RFC 9309
  asks to decode them, Google compares them as they stand. There we take the stricter reading, see the last test;
- dot segments in a URL, which Google expects to be resolved before;
- octets that are no UTF-8, which the port replaces by U+FFFD, and NUL octets, which we drop;
- a line of one word (the port crashes) and two blanks instead of a colon (the port alone refuses them);
- an agent without a name.
"""

from gpyrobotstxt.robots_cc import RobotsMatcher  # type: ignore[import-untyped]
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lamplighter.rules.robots.robots import compile_robots

AGENTS = st.sampled_from(["FooBot", "foobot", "Bar-Bot", "baz_bot", "QuxBot"])
KINDS = st.sampled_from(["Allow", "Disallow"])
NAMES = st.sampled_from(
    [
        *("FooBot", "FOOBOT", "FooBot/2.1", "FooBot News", "Foo", "FooBotX", "Bar-Bot", "baz_bot"),
        *("*", "* all", "*x", "", "ツ", "FooBot # comment"),
    ]
)
PATH_PIECES = st.sampled_from(
    ["/", "a", "b", "ab", "A", ".", "?", "=", "&", ";", "x.html", "/index.html", "%E3%83%84", "%2F"]
)
PATHS = (
    st.lists(PATH_PIECES, max_size=6).map(lambda pieces: "/" + "".join(pieces)).filter(lambda path: "/." not in path)
)
PATTERNS = st.lists(
    st.one_of(PATH_PIECES, st.sampled_from(["*", "$", "**", "*$", "ツ", "%e3%83%84", "/index.htm", "#c"])), max_size=6
).map("".join)
RULES = st.builds(
    "{}{}{}".format,
    st.sampled_from(["Allow", "Disallow", "ALLOW", "disallow", "Dissallow", "disalow", "allowed", "Disallows"]),
    st.sampled_from([": /", ":/", " : /", ":\t/", ": ", ":"]),
    PATTERNS,
)
AGENT_LINES = st.builds(
    "{}{}{}".format, st.sampled_from(["User-agent", "USER-AGENT", "useragent", "User agent"]), st.just(": "), NAMES
)
OTHER_LINES = st.sampled_from(
    [
        *("", "  ", "# comment", "Sitemap: https://example.com/s.xml", "Crawl-delay: 5", "Noindex: /a", "foo: bar"),
        *("three words here", "disallow /a", "user-agent FooBot", "allow\t/ab", ": /a", "Allow:", "Disallow:"),
    ]
)
BODIES = st.builds(
    lambda opening, lines, ends: opening + "".join(line + end for line, end in zip(lines, ends, strict=True)),
    st.sampled_from(["", "\ufeff", "User-agent: *\n", "\ufeffUser-agent: FooBot\r", "User-agent: Bar-Bot\r\n"]),
    st.lists(st.one_of(AGENT_LINES, RULES, RULES, OTHER_LINES), min_size=12, max_size=12),
    st.lists(st.sampled_from(["\n", "\r\n", "\r", "\n\n"]), min_size=12, max_size=12),
)


def google_allows(body: str, agent: str, url: str) -> bool:
    return bool(RobotsMatcher().allowed_by_robots(body.encode(), [agent], url))


def we_allow(body: str, agent: str, url: str) -> bool:
    return compile_robots(body.encode()).verdict(agent, url).allowed


@given(body=BODIES, agent=AGENTS, path=PATHS)
@example(body="User-agent: a\nUser-agent: FooBot\nDisallow: /*b*$\nAllow: /b$", agent="FooBot", path="/b")
@settings(deadline=None, max_examples=300)
def test_c8_verdicts_equal_googles(body: str, agent: str, path: str) -> None:
    url = f"https://example.com{path}"

    assert we_allow(body, agent, url) == google_allows(body, agent, url)


@given(rules=st.lists(st.tuples(KINDS, PATTERNS), min_size=1, max_size=6), path=PATHS)
@settings(deadline=None, max_examples=300)
def test_c8_patterns_match_as_googles_do(rules: list[tuple[str, str]], path: str) -> None:
    lines = [f"{kind}: /{pattern}" for kind, pattern in rules]
    body = "\n".join(["User-agent: *", *lines])
    url = f"https://example.com{path}"

    assert we_allow(body, "FooBot", url) == google_allows(body, "FooBot", url)


AWKWARD = st.sampled_from(
    ["/", "a", "~", "%7E", "%7e", "%61", "%2A", "%24", " ", "%20", "{", "%7B", "'", "|", "é", "%C3%A9"]
)
AWKWARD_PATHS = st.lists(AWKWARD, max_size=4).map(lambda pieces: "/" + "".join(pieces))


@given(
    rules=st.lists(st.tuples(KINDS, AWKWARD_PATHS, st.sampled_from(["", "*", "$"])), min_size=1, max_size=5),
    path=AWKWARD_PATHS,
)
@settings(deadline=None, max_examples=200)
def test_c8_we_never_ask_for_what_google_would_not(rules: list[tuple[str, str, str]], path: str) -> None:
    lines = [f"{kind}: {pattern}{end}" for kind, pattern, end in rules]
    body = "\n".join(["User-agent: *", *lines])
    url = f"https://example.com{path}"

    assert google_allows(body, "FooBot", url) or not we_allow(body, "FooBot", url)
