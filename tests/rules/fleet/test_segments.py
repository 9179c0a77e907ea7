"""Which segments are moved, and that moving comes to an end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamplighter.rules.fleet.segments import MOST_NEEDLESS_OF_ALL, OPENING_BYTES, worth_moving

KB = 1_000


@pytest.mark.parametrize(
    ("needed", "moved"),
    [
        pytest.param([100, 100, 100], [], id="all is needed"),
        pytest.param([100, 100, 45], ["2"], id="most of one is needless, little of all"),
        pytest.param([100, 100, 55], [], id="less than half of one is needless, little of all"),
        pytest.param([85, 85, 85], [], id="a little of each is needless"),
        pytest.param([90, 60, 70], ["1"], id="too much of all: the emptiest, and then it is little enough"),
        pytest.param([60, 55, 65], ["1", "0"], id="too much of all: the emptiest first, as many as it takes"),
        pytest.param([75, 75, 75], ["0"], id="too much of all, though each is mostly needed"),
    ],
)
def test_the_emptiest_are_moved_until_little_of_all_is_needless(needed: list[int], moved: list[str]) -> None:
    sizes = {str(number): 100 * KB for number in range(len(needed))}

    found = worth_moving(sizes, needed={str(number): part * KB for number, part in enumerate(needed)})

    assert list(found) == moved


def test_small_segments_are_not_moved_for_what_every_segment_begins_with() -> None:
    sizes = {str(number): 700 for number in range(50)}

    assert list(worth_moving(sizes, needed=dict.fromkeys(sizes, 390))) == []


def test_a_file_that_lost_what_it_held_is_left_alone() -> None:
    assert list(worth_moving({"lost": 0}, needed={"lost": 100})) == []


@given(st.lists(st.tuples(st.integers(1, 10**9), st.floats(0, 1)), max_size=30))
def test_after_moving_all_takes_no_more_than_a_quarter_more_than_what_is_needed(
    segments: list[tuple[int, float]],
) -> None:
    sizes = {str(number): size for number, (size, _) in enumerate(segments)}
    needed = {str(number): int(size * part) for number, (size, part) in enumerate(segments)}

    moved = set(worth_moving(sizes, needed=needed))

    after = sum(needed[name] if name in moved else size for name, size in sizes.items())
    assert after * (1 - MOST_NEEDLESS_OF_ALL) <= sum(needed.values()) + (OPENING_BYTES + 1) * len(sizes)
