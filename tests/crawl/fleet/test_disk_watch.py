"""When is a disk too full, and when no longer?"""

from collections.abc import Sequence
from pathlib import Path

import pytest

from lamplighter.crawl.fleet.disk_watch import DiskWatch, free_bytes


@pytest.mark.parametrize(
    ("readings", "low"),
    [
        pytest.param([101, 100], [False, False], id="just enough"),
        pytest.param([101, 99], [False, True], id="too little"),
        pytest.param([99], [True], id="too little from the start"),
        pytest.param([99, 101, 124, 125], [True, True, True, False], id="a little more is not enough to go on"),
        pytest.param([99, 125, 101, 99], [True, False, False, True], id="and again"),
    ],
)
async def test_fetching_stops_at_the_mark_and_goes_on_well_above_it(readings: list[int], low: list[bool]) -> None:
    left = iter([readings[0], *readings])

    def read(_: Sequence[Path]) -> int:
        return next(left)

    watch = DiskWatch([], least_bytes=100, free_bytes=read)
    seen = []
    for _ in readings:
        await watch.look()
        seen.append(watch.state.is_low)

    assert seen == low


def test_a_folder_that_is_not_there_yet_is_on_the_disk_of_its_parent(tmp_path: Path) -> None:
    assert free_bytes([tmp_path / "not" / "yet"]) > 0
