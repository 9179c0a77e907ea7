"""Keeps a service going, by its duties, and ends it: what is in flight is finished, what is held is given back."""

import asyncio
from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING

from lamplighter import telemetry
from lamplighter.crawl.fetch_phase import FetchPhase
from lamplighter.crawl.loops import keep_going
from lamplighter.crawl.parse_phase import ParsePhase
from lamplighter.model.fleet import Duty

if TYPE_CHECKING:
    from lamplighter.app.service import Service

log = telemetry.logger("app")
#: how long a word to the other processes may take when we stop
_WORD_SECONDS = 3.0


async def run(service: "Service") -> None:
    """Makes the rounds until `stopping` is set; then ends what is in flight within the grace period."""
    leads, stopping = service.leadership.holds, service.stopping
    try:
        async with asyncio.TaskGroup() as group:
            sinks = [group.create_task(service.fetch_sink.run()), group.create_task(service.parse_sink.run())]
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
        # Others lead at once, and look for us no more.
        await _try(service.leadership.give_back())
        await _try(service.membership.leave())


def _phases(service: "Service") -> list[FetchPhase | ParsePhase]:
    fetching = [service.fetch_phase] if Duty.FETCH in service.duties else []
    reading = [service.parse_phase] if Duty.PARSE in service.duties else []
    return [*fetching, *reading]


async def _carry_messages(service: "Service") -> None:
    await service.queue.run(
        hosts=service.fetch_phase.hear if Duty.FETCH in service.duties else None,
        pages=service.parse_phase.hear if Duty.PARSE in service.duties else None,
        stopping=service.stopping,
    )


async def _wind_up(service: "Service", phases: Sequence[asyncio.Task[None]]) -> None:
    for bell in (service.bells.hosts, service.bells.downloads):
        bell.ring()
    await _try(service.membership.say_stopping())
    await asyncio.gather(*phases)
    await service.fetch_sink.settled()
    await service.parse_sink.settled()
    await service.parse_phase.close()


async def _try(word: Awaitable[None]) -> None:
    """Says something that the others will find out anyway."""
    try:
        async with asyncio.timeout(_WORD_SECONDS):
            await word
    except Exception:
        log.exception("stop.word_failed")
