"""Which policy would have kept our copies fresher?"""

import importlib.util
from pathlib import Path

import pytest

from tests.cli.conftest import Lamplighter

KEYS = ["policy", "staleness", "freshness", "mean_delay_hours", "fetches", "changes", "fetches_per_change"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Eight sources: half of them change twice a day, half never."""
    path = tmp_path / "trace.csv"
    busy = [
        f"https://a.example/{n},2026-03-{day:02}T{hour:02}:00Z"
        for n in range(4)
        for day in range(1, 11)
        for hour in (9, 15)
    ]
    quiet = [f"https://b.example/{n}," for n in range(4)]
    path.write_text("\n".join(["source,changed_at", *busy, *quiet]))
    return path


def test_every_policy_answers_with_the_agreed_keys(lamplighter: Lamplighter, file: Path) -> None:
    answer = lamplighter("simulate", "--trace", file, "--budget", "4", "--json")

    assert answer.code == 0
    assert [each["policy"] for each in answer.json] == [
        *("fixed", "yield_days", "hash_backoff", "nutch", "learned", "oracle")
    ]
    for each in answer.json:
        assert list(each)[: len(KEYS)] == KEYS
        assert each["staleness"] + each["freshness"] == pytest.approx(1)
        assert each["changes"] == 80
        assert each["staleness_low"] <= each["staleness"] <= each["staleness_high"]
    stale = {each["policy"]: each["staleness"] for each in answer.json}
    assert {each["room"] for each in answer.json} == {stale["oracle"] / stale["fixed"]}


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["--policy", "nutch", "--policy", "fixed"], id="repeated"),
        pytest.param(["--policy", "nutch,fixed"], id="joined by a comma"),
        pytest.param(["--policy", "nutch", "fixed"], id="one after the other"),
    ],
)
def test_the_policies_come_in_the_order_asked(lamplighter: Lamplighter, file: Path, words: list[str]) -> None:
    answer = lamplighter("simulate", "--trace", file, *words, "--json")

    assert [each["policy"] for each in answer.json] == ["nutch", "fixed"]


def test_people_read_a_table_and_which_budget_was_used(lamplighter: Lamplighter, file: Path) -> None:
    answer = lamplighter("simulate", "--trace", file, "--policy", "fixed", "--policy", "hash_backoff")

    assert answer.code == 0
    assert "8 sources, 80 changes" in answer.out
    assert "hash_backoff as written" in answer.out
    assert "fixed" in answer.out


def test_a_mix_can_be_tried_without_any_file(lamplighter: Lamplighter) -> None:
    words = ("--mix", "bursty", "--sources", "30", "--days", "10", "--seed", "4", "--policy", "fixed", "--json")

    once, again = lamplighter("simulate", *words), lamplighter("simulate", *words)

    assert once.code == 0
    assert once.out == again.out


def test_bad_rows_are_named_and_nothing_is_simulated(lamplighter: Lamplighter, file: Path) -> None:
    file.write_text("source,changed_at\na,2026-03-02T12:00Z\na,soon\n")

    answer = lamplighter("simulate", "--trace", file)

    assert answer.code == 2
    assert "line 3: changed_at 'soon'" in answer.err
    assert answer.out == ""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        pytest.param(["--policy", "priority", "--mix", "mixed"], "no policy 'priority'", id="unknown policy"),
        pytest.param(["--trace", "nowhere.csv"], "'nowhere.csv'", id="no such file"),
        pytest.param(["nowhere.csv"], "--trace nowhere.csv", id="the option forgotten"),
        pytest.param(["--mix", "mixed", "--own"], "give one of them", id="two kinds of histories"),
        pytest.param(["--mix", "mixed", "--budget", "0"], "more than 0", id="no budget"),
        pytest.param(["--mix", "mixed", "--budget", "nan"], "budget of nan", id="a budget that is no number"),
        pytest.param(["--mix", "mixed", "--budget", "0.001"], "first copy", id="hardly a budget"),
        pytest.param(["--mix", "mixed", "--plot", "x.gif"], ".png or .svg", id="another format"),
        pytest.param(["--mix", "mixed", "--plot", "nowhere/x.png"], "create it first", id="no such folder"),
        pytest.param(["--mix", "weekly"], "weekly", id="unknown mix"),
    ],
)
def test_wrong_use_is_told_with_its_remedy(lamplighter: Lamplighter, words: list[str], told: str) -> None:
    answer = lamplighter("simulate", *words)

    assert answer.code == 2
    assert told in answer.err


def test_a_file_that_is_no_text_is_named(lamplighter: Lamplighter, file: Path) -> None:
    file.write_bytes(b"source,changed_at\n\xff\xfe")

    answer = lamplighter("simulate", "--trace", file)

    assert answer.code == 2
    assert "UTF-8" in answer.err


@pytest.mark.skipif(importlib.util.find_spec("matplotlib") is None, reason="matplotlib is not installed")
@pytest.mark.parametrize(("name", "magic"), [("x.png", b"\x89PNG"), ("x.svg", b"<?xml")])
def test_the_outcome_is_drawn(lamplighter: Lamplighter, file: Path, tmp_path: Path, name: str, magic: bytes) -> None:
    answer = lamplighter("simulate", "--trace", file, "--policy", "fixed,oracle", "--plot", tmp_path / name)

    assert answer.code == 0
    assert (tmp_path / name).read_bytes().startswith(magic)
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".part"] == []
