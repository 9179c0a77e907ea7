"""What runs write down: every action is declared, and a log has an end."""

from typing import Any

import pytest

from lamplighter.model.run_log import Keeping, LogAction, LogLevel
from lamplighter.store.runs import run_log
from tests.moments import NOON


def _lines(*levels: LogLevel) -> list[dict[str, Any]]:
    return [{"level": level, "number": number} for number, level in enumerate(levels)]


def _numbers(keeping: Keeping, lines: list[dict[str, Any]], *, written: int = 0, left_out: int = 0) -> list[int]:
    return [line["number"] for line in keeping.kept(lines, written=written, left_out=left_out).lines]


@pytest.mark.parametrize("action", LogAction)
def test_every_action_is_told_in_a_sentence_and_fits_its_column(action: LogAction) -> None:
    assert action.meaning.endswith(".")
    assert len(action) <= 40
    assert len(action.category) <= 20


def test_what_is_below_the_level_is_neither_kept_nor_counted() -> None:
    kept = Keeping(level=LogLevel.WARNING).kept(_lines(*LogLevel), written=0, left_out=0)

    assert ([line["level"] for line in kept.lines], kept.written, kept.left_out) == (["warning", "error"], 2, 0)


def test_a_full_log_takes_only_warnings_and_errors() -> None:
    lines = _lines(LogLevel.INFO, LogLevel.INFO, LogLevel.INFO, LogLevel.WARNING, LogLevel.INFO, LogLevel.ERROR)

    assert _numbers(Keeping(lines=2), lines) == [0, 1, 3, 5]


def test_after_as_many_warnings_again_nothing_more_is_kept() -> None:
    keeping, warnings = Keeping(lines=2), _lines(*[LogLevel.WARNING] * 9)

    at_once = keeping.kept(warnings, written=0, left_out=0)
    later = keeping.kept(warnings, written=9, left_out=at_once.left_out)

    assert (len(at_once.lines), at_once.left_out) == (4, 5)
    assert (later.lines, later.left_out) == ([], 9)


def test_what_was_left_out_before_makes_no_room() -> None:
    warnings = _lines(LogLevel.WARNING, LogLevel.WARNING, LogLevel.WARNING)

    # 100 lines were written, two of them kept
    assert _numbers(Keeping(lines=2), warnings, written=100, left_out=98) == [0, 1]


def test_a_secret_is_masked_in_a_line_before_it_is_cut_and_in_its_address() -> None:
    secret = "http://me:canary-canary@p.example/"

    line = run_log.line(
        1, LogAction.PAGE_FAILED, "x" * 975 + f" {secret}", at=NOON, url=secret, why="x" * 280 + f" {secret}"
    )

    assert "canar" not in f"{line['message']} {line['url']} {line['fields']}"
    assert line["url"] == "http://***@p.example/"
    assert len(line["message"]) <= 1000
