"""What a reader may cost, whatever it is given."""

import resource
import time
from collections.abc import Callable

#: in CPU time, so that a busy machine does not count
MOST_SECONDS = 1.0
MOST_MEGABYTES = 300.0


def within_limits(play: Callable[[bytes], None], data: bytes) -> None:
    """Plays it; AssertionError when that takes too long, or more memory than any input deserves."""
    began, before = time.process_time(), peak_megabytes()
    play(data)
    seconds, megabytes = time.process_time() - began, peak_megabytes() - before
    assert seconds <= MOST_SECONDS, f"{len(data)} bytes took {seconds:.1f} s"
    assert megabytes <= MOST_MEGABYTES, f"{len(data)} bytes took {megabytes:.0f} MB"


def peak_megabytes() -> float:
    """The most memory that this process has had so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
