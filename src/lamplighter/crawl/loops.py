"""Keeps pieces of background work going: one bad step is logged, never the end of the loop."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from lamplighter import telemetry
from lamplighter.crawl import failures
from lamplighter.crawl.bells import Bell
from lamplighter.model.fleet import Duty, Lead

log = telemetry.logger("loops")
#: pause after a failed step, so that a broken dependency is not hammered
_AFTER_FAILURE_SECONDS = 1.0

Step = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """A piece of background work: what is done, how often, and by whom."""

    name: str
    step: Step
    #: between the end of a step and the next
    seconds: float
    #: rung when the next step should not wait that long
    bell: Bell = field(default_factory=Bell)
    #: done by processes with this duty; None means by all
    duty: Duty | None = None
    #: done by the one process that leads in this; None means by each for itself
    lead: Lead | None = None


async def keep_going(loop: Loop, *, leads: Callable[[Lead], bool], stopping: asyncio.Event) -> None:
    """Does a loop's step again and again, while its lead is ours where it has one, until asked to stop."""
    while not stopping.is_set():
        if loop.lead is None or leads(loop.lead):
            try:
                await loop.step()
            except Exception as error:
                failures.tell(log, "loop.step_failed", error, loop=loop.name)
                await asyncio.sleep(min(loop.seconds, _AFTER_FAILURE_SECONDS))
        if not stopping.is_set():
            await loop.bell.wait(loop.seconds)
