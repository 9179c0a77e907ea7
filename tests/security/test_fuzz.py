"""Whatever strangers write, it is read, or refused in a declared way, and what was promised holds.

A few examples of each target are tried here; `make explore` tries new ones, `make fuzz` looks for hours.
"""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

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

    target.play(data.draw(mutations(target)))
