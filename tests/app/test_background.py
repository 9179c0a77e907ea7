"""Every piece of background work: who does it, and that the service really does it."""

import asyncio
from dataclasses import replace
from pathlib import Path

from lamplighter import app
from lamplighter.app.background import loops_of
from lamplighter.model.fleet import Duty, Lead
from tests.service.in_process import quick_settings
from tests.service.waiting import until

_LEADER = (Duty.SCHEDULE, Lead.SCHEDULE)
_SWEEPER = (None, Lead.SWEEP)
_EACH = (None, None)
#: loop -> the duty of those who do it, and the lead that one of them needs
WORK = {
    "scheduler": _LEADER,
    "tasks": _LEADER,
    "reconciler": _LEADER,
    "cohorts": _LEADER,
    "pricer": _LEADER,
    "comparison": _LEADER,
    "activity": _LEADER,
    "janitor": _SWEEPER,
    "alerts": _SWEEPER,
    "hand out": _SWEEPER,
    "notify": _SWEEPER,
    "pruning": _SWEEPER,
    "retention": _SWEEPER,
    "tallies": _SWEEPER,
    "heartbeat": _EACH,
    "leads": _EACH,
    "deliver": _EACH,
    "disk": _EACH,
    "crawl pause": _EACH,
    "settings": _EACH,
    "secrets": _EACH,
    "backups": _EACH,
    "proxy trials": _EACH,
    "servers": _EACH,
    "mirror": _EACH,
    "gauge": (Duty.SCHEDULE, None),
}
ON_POSTGRES = {"clock": _EACH, "frozen sessions": _EACH, "fold": _SWEEPER}


async def test_each_loop_belongs_to_whom_it_should(database_kind: str, database_url: str, tmp_path: Path) -> None:
    async with app.open_service(quick_settings(tmp_path, database_url=database_url)) as service:
        work = {loop.name: (loop.duty, loop.lead) for loop in loops_of(service)}

    assert work == (WORK if database_kind == "sqlite" else WORK | ON_POSTGRES)


async def test_engines_bring_their_own_work(tmp_path: Path) -> None:
    engines = {"index_url": "meilisearch+http://127.0.0.1:9", "events_url": "redis://127.0.0.1:9/0"}

    async with app.open_service(quick_settings(tmp_path, **engines)) as service:
        work = {loop.name: (loop.duty, loop.lead) for loop in loops_of(service)}

    assert work == WORK | {"index": _SWEEPER, "publish": _EACH, "take over": _EACH}


async def test_a_service_takes_up_all_of_its_background_work(tmp_path: Path) -> None:
    async with app.open_service(quick_settings(tmp_path)) as service:
        begun: set[str] = set()
        for place, loop in enumerate(service.loops):

            async def step(name: str = loop.name, real: object = loop.step) -> None:
                begun.add(name)
                await real()  # type: ignore[operator]

            service.loops[place] = replace(loop, step=step)
        rounds = asyncio.create_task(service.run())

        async def all_begun() -> bool:
            return begun >= set(WORK)

        try:
            await until(all_begun)
        finally:
            service.stopping.set()
            await rounds
