"""The witness reads a robots.txt as Google's parser does."""

import pytest
from gpyrobotstxt.robots_cc import RobotsMatcher  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st

from tests.witness.robots import rules_for

TOKEN = "LamplighterBot"
PATHS = st.text(alphabet="ab/*$", min_size=0, max_size=6).map(lambda path: "/" + path)
RULES = st.lists(st.tuples(st.sampled_from(["Allow", "Disallow"]), PATHS), max_size=5)
GROUPS = st.lists(st.tuples(st.sampled_from(["*", TOKEN, "lamplighterbot/2.0", "OtherBot"]), RULES), max_size=3)


@given(groups=GROUPS, path=st.text(alphabet="ab/", max_size=6).map(lambda path: "/" + path))
def test_it_agrees_with_another_parser(groups: list[tuple[str, list[tuple[str, str]]]], path: str) -> None:
    text = "".join(f"User-agent: {name}\n" + "".join(f"{a}: {b}\n" for a, b in rules) for name, rules in groups)

    theirs = RobotsMatcher().one_agent_allowed_by_robots(text.encode(), TOKEN, f"http://a.example{path}")

    assert rules_for(TOKEN, text).forbids(path) is not theirs, text


@pytest.mark.parametrize(
    ("pattern", "path", "is_forbidden"),
    [
        pytest.param("/caf%C3%A9", "/café", True, id="escaped in the rule"),
        pytest.param("/café", "/caf%c3%a9", True, id="escaped in the path, in small letters"),
        pytest.param("/%61b", "/ab", True, id="escaped without need"),
        pytest.param("/a%2Fb", "/a/b", False, id="an escaped slash is no slash"),
        pytest.param("/x?id=", "/x?id=7", True, id="in the query"),
    ],
)
def test_escapes_are_compared_in_one_form(pattern: str, path: str, is_forbidden: bool) -> None:
    assert rules_for(TOKEN, f"User-agent: *\nDisallow: {pattern}").forbids(path) is is_forbidden
