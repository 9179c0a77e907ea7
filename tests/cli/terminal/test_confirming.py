"""Whoever sits at a terminal is asked before something is removed for good."""

import os
import sys
from collections.abc import Iterator

import pytest
import typer

from lamplighter.cli.terminal.options import confirm


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The other side of the terminal that standard input is: what is written there was typed."""
    typing, reading = os.openpty()
    with open(reading) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        yield typing
    os.close(typing)


def test_a_yes_goes_on(terminal: int, capsys: pytest.CaptureFixture[str]) -> None:
    os.write(terminal, b"y\n")

    confirm("3 pages of example.org")

    assert "3 pages of example.org will be removed for good. Continue? [y/N]" in capsys.readouterr().err


@pytest.mark.parametrize("typed", [b"n\n", b"\n"])
def test_anything_else_removes_nothing(terminal: int, typed: bytes) -> None:
    os.write(terminal, typed)

    with pytest.raises(typer.Exit):
        confirm("3 pages of example.org")
