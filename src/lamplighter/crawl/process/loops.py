"""Runs background loops: a failed step is logged and does not end its loop."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.exc import DBAPIError

from lamplighter import telemetry
from lamplighter.crawl.process.bells import Bell
from lamplighter.model.fleet import Duty, Lead
from lamplighter.store.engine.database import is_away

log = telemetry.logger("loops")
#: pause after a failed step, so that a broken dependency is not hammered
_AFTER_FAILURE_SECONDS = 1.0

Step = Callable[[], Awaitable[object]]
_LONGEST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """A background loop: its step, how often and where it runs."""

    name: str
    step: Step
    #: between the end of a step and the next
    seconds: float
    #: rung when the next step should not wait that long
    bell: Bell = field(default_factory=Bell)
    #: runs in processes with this duty; None means in all
    duty: Duty | None = None
    #: runs in the process that holds this lead; None means in each process
    lead: Lead | None = None


async def keep_going(loop: Loop, *, leads: Callable[[Lead], bool], stopping: asyncio.Event) -> None:
    """Repeats a loop's step until stopped; a loop with a lead only while this process holds it."""
    while not stopping.is_set():
        if loop.lead is None or leads(loop.lead):
            try:
                await loop.step()
            except Exception as error:
                report_failure(log, "loop.step_failed", error, loop=loop.name)
                await asyncio.sleep(min(loop.seconds, _AFTER_FAILURE_SECONDS))
        if not stopping.is_set():
            await loop.bell.wait(loop.seconds)


async def repeat(step: Step, *, seconds: float, log: Any, failed: str) -> None:
    """Takes a step at this interval until cancelled; a failure is logged under the name `failed`."""
    while True:
        await asyncio.sleep(seconds)
        try:
            await step()
        except Exception as error:
            report_failure(log, failed, error)


def report_failure(log: Any, event: str, error: Exception, **fields: Any) -> None:
    """Logs a failure of work that is retried: with its traceback, or in one line when the database is away.

    Then every loop of every process fails every second: tracebacks would fill a disk and hide other messages.
    """
    if is_away(error):
        log.error(event, error=_in_short(error), **fields)
    else:
        log.error(event, exc_info=error, **fields)


def _in_short(error: Exception) -> str:
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    lines = str(cause).splitlines() or [""]
    return f"{type(cause).__name__}: {lines[0]}"[:_LONGEST]
