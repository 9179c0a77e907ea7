"""J7: a pattern that could hold a worker for long is refused before it is used; the others work as usual."""

import time

import pytest

from lamplighter.extract.recipes.patterns import compiled, matches, search


@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param("(a+)+$", id="a repeat in a repeat"),
        pytest.param("(a|aa)+$", id="a choice in a repeat"),
        pytest.param("(?:a{0,20}){0,20}$", id="bounded, but too often"),
        pytest.param(".*.*.*x", id="three open ends"),
        pytest.param(r"(a*)\1", id="a reference back"),
        pytest.param("(?=(a+)+)b", id="inside a look-ahead"),
        pytest.param("(?:a?){19}x", id="few repeats of little, in half a million ways"),
        pytest.param("a{0,99}a{0,99}a{0,99}x", id="three repeats with an end"),
        pytest.param("(?:(?:(?=a)){9999}){9999}b", id="nothing at all, very often"),
        pytest.param("((((((a|b){1,30}){1,30}){1,30}){1,30}))", id="in more ways than a number holds"),
        pytest.param("(", id="no pattern at all"),
        pytest.param("a" * 201, id="too long"),
        pytest.param("a{99999999999}", id="an impossible count"),
    ],
)
def test_j7_a_dangerous_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"^it "):
        compiled(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param("(?i)" + "[\x01-\U0010ffff]" * 35, id="in a row"),
        pytest.param("(?:" + "|".join(["x[\x01-\uffff]y"] * 20) + ")+", id="in a choice"),
        pytest.param("(?<=" + "[^\x01-\uffff]" * 20 + ")", id="in a look behind"),
    ],
)
def test_j7_a_pattern_that_takes_long_to_compile_is_refused_before_it_is(pattern: str) -> None:
    started = time.process_time()

    with pytest.raises(ValueError, match=r"^its ranges hold more than"):
        compiled(pattern)

    assert time.process_time() - started < 0.1


@pytest.mark.parametrize("pattern", ["[\u4e00-\u9fff]+", "(?i)[a-z\u00e0-\u00ff\u0400-\u04ff]+", "[^\x00-\x7f]"])
def test_whole_alphabets_may_stand_in_a_pattern(pattern: str) -> None:
    assert search(pattern, "Житомир 中")


@pytest.mark.parametrize("pattern", [".*x", "a*x", "(?:.*?)y", ".*.*x", r"(\d+)a*x", "a{0,190}a*x", "(?:a?){9}.*x"])
def test_j7_an_accepted_pattern_is_quick_on_the_worst_text(pattern: str) -> None:
    started = time.process_time()

    assert search(pattern, "a" * 1_000_000) is None
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        pytest.param("Closing: (.*)", "1 May", id="the first group"),
        pytest.param(r"\d+ \w+", "1 May", id="or all of it"),
        pytest.param(r"(June)?(?:Closing|Due): ", None, id="a group that took no part"),
        pytest.param("Opening", None, id="nothing"),
    ],
)
def test_what_a_pattern_finds(pattern: str, expected: str | None) -> None:
    assert search(pattern, "Closing: 1 May") == expected


def test_a_pattern_may_match_anywhere() -> None:
    assert matches(r"/jobs/\d+", "https://a.example/jobs/7")
    assert not matches("^/jobs", "https://a.example/jobs/7")
