"""Runs background loops: a failed step is logged and does not end its loop."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from lamplighter import telemetry
from lamplighter.crawl.process import failures
from lamplighter.crawl.process.bells import Bell
from lamplighter.model.fleet import Duty, Lead

log = telemetry.logger("loops")
#: pause after a failed step, so that a broken dependency is not hammered
_AFTER_FAILURE_SECONDS = 1.0

Step = Callable[[], Awaitable[object]]


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
                failures.report(log, "loop.step_failed", error, loop=loop.name)
                await asyncio.sleep(min(loop.seconds, _AFTER_FAILURE_SECONDS))
        if not stopping.is_set():
            await loop.bell.wait(loop.seconds)
