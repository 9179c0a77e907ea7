"""Measuring this machine from the command line: the benchmarks of the source tree, by their own names."""

from pathlib import Path

import pytest

from lamplighter.cli.fleet import bench
from tests.cli.conftest import Lamplighter


def test_a_part_that_is_none_is_wrong_use(lamplighter: Lamplighter) -> None:
    assert lamplighter("bench", "--only", "weather").code == 2


def test_where_the_source_tree_is_missing_it_is_told_where_the_benchmarks_are(
    lamplighter: Lamplighter, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bench, "TREE", tmp_path)

    answer = lamplighter("bench")

    assert answer.code == 2
    assert "need the source tree" in answer.err
