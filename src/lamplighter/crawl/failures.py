"""How is it told that something failed which is tried again?

A database that is away fails every loop of every process, every second: a line says it, for tracebacks would fill a
disk and hide what else is told. Of everything else the whole way is told.
"""

from typing import Any

from sqlalchemy.exc import DBAPIError

from lamplighter.store.database import is_away

_LONGEST = 200


def tell(log: Any, event: str, error: Exception, **said: Any) -> None:
    """Logs a failure."""
    if is_away(error):
        log.error(event, error=_in_short(error), **said)
    else:
        log.error(event, exc_info=error, **said)


def _in_short(error: Exception) -> str:
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    lines = str(cause).splitlines() or [""]
    return f"{type(cause).__name__}: {lines[0]}"[:_LONGEST]
