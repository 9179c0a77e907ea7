"""Runs a service by its duties, and stops it: finishes open requests, and releases its leases."""

import asyncio
from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING

from lamplighter import telemetry
from lamplighter.crawl.fetching.fetch_phase import FetchPhase
from lamplighter.crawl.process.loops import keep_going
from lamplighter.crawl.reading.parse_phase import ParsePhase
from lamplighter.model.fleet import Duty

if TYPE_CHECKING:
    from lamplighter.app.service import Service

log = telemetry.logger("app")
#: how long a message to the other processes may take when we stop
_WORD_SECONDS = 3.0


async def run(service: "Service") -> None:
    """Runs phases and loops until `stopping` is set; then finishes open work in the grace period."""
    leads, stopping = service.fleet.leadership.holds, service.stopping
    try:
        async with asyncio.TaskGroup() as group:
            sinks = [
                group.create_task(service.fetching.responses.run()),
                group.create_task(service.parsing.readings.run()),
            ]
            loops = [group.create_task(keep_going(loop, leads=leads, stopping=stopping)) for loop in service.loops]
            loops.append(group.create_task(_carry_messages(service)))
            phases = [group.create_task(phase.run()) for phase in _phases(service)]
            await stopping.wait()
            try:
                async with asyncio.timeout(service.settings.grace_seconds):
                    await _wind_up(service, phases)
            except TimeoutError:
                log.warning("stop.grace_over", seconds=service.settings.grace_seconds)
            for task in (*loops, *phases, *sinks):
                task.cancel()
    finally:
        # So that others take the leads at once, and do not count us as lost.
        await _try(service.fleet.leadership.give_back())
        await _try(service.fleet.membership.leave())


def _phases(service: "Service") -> list[FetchPhase | ParsePhase]:
    fetching = [service.fetching.phase] if Duty.FETCH in service.duties else []
    reading = [service.parsing.phase] if Duty.PARSE in service.duties else []
    return [*fetching, *reading]


async def _carry_messages(service: "Service") -> None:
    await service.queue.run(
        hosts=service.fetching.phase.hear if Duty.FETCH in service.duties else None,
        pages=service.parsing.phase.hear if Duty.PARSE in service.duties else None,
        stopping=service.stopping,
    )


async def _wind_up(service: "Service", phases: Sequence[asyncio.Task[None]]) -> None:
    for bell in (service.bells.hosts, service.bells.downloads):
        bell.ring()
    await _try(service.fleet.membership.say_stopping())
    await asyncio.gather(*phases)
    await service.fetching.responses.settled()
    await service.parsing.readings.settled()
    await service.parsing.phase.close()


async def _try(word: Awaitable[None]) -> None:
    """Sends a notice that others would notice anyway."""
    try:
        async with asyncio.timeout(_WORD_SECONDS):
            await word
    except Exception:
        log.exception("stop.word_failed")
