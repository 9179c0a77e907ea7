"""Whatever strangers write, it is read, or refused in a declared way, and what was promised holds.

A few examples of each target are tried here; `make explore` tries new ones, `make fuzz` looks for hours.
"""

import time
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.security.limits import MOST_MEGABYTES, MOST_SECONDS, peak_megabytes, within_limits
from tests.security.target import Target
from tests.security.targets import TARGETS

#: what parsers stumble over
_ODD = [b"", b"\0", b"\xff\xfe", b"\r\n", b"<!--", b"]]>", b"&#0;", b"%00", b"\\", b"{{", b'"', b"'", b"\xed\xa0\x80"]


@st.composite
def mutations(draw: st.DrawFn, target: Target) -> bytes:
    """A sample with a piece of it replaced, repeated or left out; or any bytes."""
    data = draw(st.sampled_from(target.samples))
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(data)))
        end = draw(st.integers(start, min(len(data), start + 20)))
        piece = draw(st.one_of(st.sampled_from(_ODD), st.binary(max_size=8), st.just(data[start:end] * 3)))
        data = data[:start] + piece + data[end:]
    return data


@pytest.mark.parametrize("name", TARGETS)
def test_samples_are_played(name: str) -> None:
    for sample in TARGETS[name].samples:
        TARGETS[name].play(sample)


@pytest.mark.filterwarnings("ignore::FutureWarning")  # of regular expressions that may mean something else one day
@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_nothing_that_is_written_breaks_what_reads_it(name: str, data: st.DataObject) -> None:
    target = TARGETS[name]

    within_limits(target.play, data.draw(mutations(target)))


def _calculate_for_long(_: bytes) -> None:
    ends_at = time.process_time() + MOST_SECONDS + 0.1
    while time.process_time() < ends_at:
        pass


def _take_much(_: bytes) -> None:
    # More than this process has ever had, whatever ran in it before.
    bytearray(int((peak_megabytes() + 2 * MOST_MEGABYTES) * 1024**2)).strip(b"a")


@pytest.mark.parametrize("costly", [_calculate_for_long, _take_much])
def test_a_reader_that_costs_too_much_is_found(costly: Callable[[bytes], None]) -> None:
    with pytest.raises(AssertionError, match="bytes took"):
        within_limits(costly, b"any")
