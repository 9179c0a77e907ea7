"""The last look before a request is sent: is the host still ours?

Between a host's turn and the request there may be a connection to open, and a process may be stopped meanwhile for
longer than its lease. What it would send when it goes on, somebody else has asked already.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_look: ContextVar[Callable[[], None] | None] = ContextVar("last_look", default=None)


@contextmanager
def looking(look: Callable[[], None]) -> Iterator[None]:
    """Within this, every request of this task is preceded by a look, which raises when it must not be sent."""
    before = _look.set(look)
    try:
        yield
    finally:
        _look.reset(before)


def look() -> None:
    """Looks; raises what the look raises."""
    if (check := _look.get()) is not None:
        check()
