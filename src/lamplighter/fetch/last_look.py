"""The last look before a request is sent: is the host still ours, and may anybody be asked at all?

Between a host's turn and the request there may be a connection to open, and a process may be stopped meanwhile for
longer than its lease. What it would send when it goes on, somebody else has asked already.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_Check = Callable[[], None]
#: whether the host is still ours
_look: ContextVar[_Check | None] = ContextVar("last_look", default=None)
#: whether whoever has us ask still wants it
_leave: ContextVar[_Check | None] = ContextVar("leave", default=None)


@contextmanager
def looking(look: _Check) -> Iterator[None]:
    """Within this, every request of this task is preceded by a look, which raises when it must not be sent."""
    with _set(_look, look):
        yield


@contextmanager
def asking_leave(leave: _Check) -> Iterator[None]:
    """Within this, every turn and request of this task is preceded by this question, which raises when it is no."""
    with _set(_leave, leave):
        yield


def look() -> None:
    """Looks; raises what the look raises."""
    ask_leave()
    if (check := _look.get()) is not None:
        check()


def ask_leave() -> None:
    """Asks whether to ask; raises when the answer is no."""
    if (check := _leave.get()) is not None:
        check()


@contextmanager
def _set(variable: ContextVar[_Check | None], check: _Check) -> Iterator[None]:
    before = variable.set(check)
    try:
        yield
    finally:
        variable.reset(before)
