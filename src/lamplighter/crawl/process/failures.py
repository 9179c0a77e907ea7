"""Logs failures of work that is retried.

A database that is away fails every loop of every process, every second: it is logged in one line, as tracebacks
would fill a disk and hide other messages. Every other failure is logged with its traceback.
"""

from typing import Any

from sqlalchemy.exc import DBAPIError

from lamplighter.store.engine.database import is_away

_LONGEST = 200


def report(log: Any, event: str, error: Exception, **fields: Any) -> None:
    """Logs a failure."""
    if is_away(error):
        log.error(event, error=_in_short(error), **fields)
    else:
        log.error(event, exc_info=error, **fields)


def _in_short(error: Exception) -> str:
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    lines = str(cause).splitlines() or [""]
    return f"{type(cause).__name__}: {lines[0]}"[:_LONGEST]
