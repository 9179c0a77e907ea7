"""Runs a command's asynchronous part, and lets signals ask it to stop."""

import asyncio
import os
import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def run(work: Coroutine[Any, Any, T]) -> T:
    """Runs to the end, on uvloop where there is one."""
    try:
        import uvloop
    except ImportError:
        return asyncio.run(work)
    return uvloop.run(work)


@contextmanager
def stopping_on_signals(stop: Callable[[], None]) -> Iterator[None]:
    """Within this, the first SIGINT or SIGTERM calls `stop` and the second ends the process at once."""
    loop = asyncio.get_running_loop()
    is_asked = False

    def heard(number: int) -> None:
        nonlocal is_asked
        if is_asked:
            # Nothing is lost: what was not committed is asked for again, and readers die with their parent.
            os._exit(128 + number)
        is_asked = True
        stop()

    for number in _SIGNALS:
        loop.add_signal_handler(number, heard, number)
    try:
        yield
    finally:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)
