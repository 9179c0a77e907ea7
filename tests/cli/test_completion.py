"""Shells complete commands, and a mistyped command is answered with the nearest."""

import os
import subprocess
import sys

import pytest

from tests.cli.conftest import Lamplighter


@pytest.mark.parametrize(
    ("typed", "meant"), [(("sorces",), "'sources'"), (("sources", "ad"), "'add'"), (("recipe",), "'recipes'")]
)
def test_a_mistyped_command_is_answered_with_the_nearest(
    lamplighter: Lamplighter, typed: tuple[str, ...], meant: str
) -> None:
    answer = lamplighter(*typed)

    assert answer.code == 2
    assert f"Did you mean {meant}" in " ".join(answer.err.split())


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_is_told_how_to_ask(lamplighter: Lamplighter, shell: str) -> None:
    answer = lamplighter("completion", shell)

    assert answer.code == 0
    assert f"_LAMPLIGHTER_COMPLETE=complete_{shell}" in answer.out


@pytest.mark.parametrize(
    ("words", "number", "offered"),
    [("lamplighter sour", "1", "sources"), ("lamplighter recipes learn --ti", "3", "--title")],
)
def test_a_shell_that_asks_is_offered_what_may_come_next(words: str, number: str, offered: str) -> None:
    asked = {"_LAMPLIGHTER_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": number}

    told = subprocess.run(
        [sys.executable, "-m", "lamplighter"], env=os.environ | asked, capture_output=True, text=True, check=False
    )

    assert told.stdout.split() == [offered]
