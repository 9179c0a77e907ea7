"""The event loop of commands, with signal handling."""

import asyncio
import atexit
import ctypes
import gc
import os
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
#: objects made before the youngest are looked through for garbage; hardly anything here is in a circle
_YOUNG = 20_000
#: how long one thread computes while others wait to. They take turns with every row of a database anyway; at Python's
#: own 5 ms a crawl spends a few percent of its CPU on switching between them.
_SWITCH_SECONDS = 0.02
#: glibc's M_ARENA_MAX: how many memory pools there may be
_ARENA_MAX = -8


def run(work: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine to its end, on uvloop if it is installed."""
    try:
        import uvloop
    except ImportError:
        runner: Callable[[Coroutine[Any, Any, T]], T] = asyncio.run
    else:
        runner = uvloop.run
    _share_memory_between_threads()
    sys.setswitchinterval(_SWITCH_SECONDS)
    _end_at_once()
    with _loaded_code_not_collected():
        return runner(work)


def _share_memory_between_threads() -> None:
    """Limits malloc arenas: otherwise every database thread keeps memory that it never returns."""
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # glibc has it, others need not
        if mallopt is not None:
            mallopt(_ARENA_MAX, 1)


@cache
def _end_at_once() -> None:
    """Ends the process without a final garbage collection, which would take half a second."""
    atexit.register(gc.freeze)


@contextmanager
def _loaded_code_not_collected() -> Iterator[None]:
    """Excludes the loaded code from garbage collection within this context.

    It has 200,000 objects, which would cost a sixth of a crawl's CPU and stop the loop for 100 ms each time.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_YOUNG, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


@contextmanager
def stopping_on_signals(stop: Callable[[], None]) -> Iterator[None]:
    """Within this context, the first SIGINT or SIGTERM calls `stop`, and the second ends the process at once."""
    loop = asyncio.get_running_loop()
    is_stopping = False

    def on_signal(number: int) -> None:
        nonlocal is_stopping
        if is_stopping:
            # Nothing is lost: what was not committed is fetched again, and readers die with their parent.
            os._exit(128 + number)
        is_stopping = True
        stop()

    for number in _SIGNALS:
        loop.add_signal_handler(number, on_signal, number)
    try:
        yield
    finally:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)
