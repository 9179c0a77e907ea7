"""The last check before a request is sent: is the host still ours, and does the caller still want the request?

Between a host's turn and the request there may be a connection to open, and a process may be suspended meanwhile for
longer than its lease. When it wakes up, another worker may already have sent the same request.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar

_Check = Callable[[], None]
#: checks that the host is still ours
_lease_check: ContextVar[_Check | None] = ContextVar("lease_check", default=None)
#: checks that the caller still wants the request
_caller_check: ContextVar[_Check | None] = ContextVar("caller_check", default=None)


def checking_lease(check: _Check) -> AbstractContextManager[None]:
    """In this context, every request of this task is preceded by this check, which raises when it must not be sent."""
    return _set(_lease_check, check)


def checking_caller(check: _Check) -> AbstractContextManager[None]:
    """In this context, every turn and request of this task is preceded by this check, which raises to refuse it."""
    return _set(_caller_check, check)


def current() -> _Check:
    """The checks of this task, which may raise."""
    checks = [each.get() for each in (_caller_check, _lease_check)]

    def check() -> None:
        for raise_if_not in checks:
            if raise_if_not is not None:
                raise_if_not()

    return check


def check_caller() -> None:
    """Runs the check of the caller, which may raise."""
    if (raise_if_not := _caller_check.get()) is not None:
        raise_if_not()


@contextmanager
def _set(variable: ContextVar[_Check | None], check: _Check) -> Iterator[None]:
    before = variable.set(check)
    try:
        yield
    finally:
        variable.reset(before)
