"""Slow sites do not hold back others: as many are asked at once as are due."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from lamplighter.settings import Settings
from tests.origin import Answer, Origin
from tests.origin.wire import Wire
from tests.service.in_process import going, quick_settings, watch
from tests.service.waiting import asked_for, until

Origins = Callable[..., Awaitable[Origin]]
SITES = 80


async def test_eighty_sites_that_take_their_time_are_asked_at_once(origin_factory: Origins, tmp_path: Path) -> None:
    sites = [await origin_factory(f"127.0.1.{number}") for number in range(1, SITES + 1)]
    out, all_out = set[str](), asyncio.Event()

    def answer_when_all_were_asked(site: Origin) -> Answer:
        async def perform(wire: Wire) -> None:
            out.add(site.address)
            if len(out) == SITES:
                all_out.set()
            await all_out.wait()
            await wire.send(Answer(headers={"Content-Type": "text/html"}).head(length=0))

        return Answer(perform=perform)

    for site in sites:
        site.route("/jobs", answer_when_all_were_asked(site))

    slots = Settings.model_fields["fetch_slots"].default
    async with going(quick_settings(tmp_path, *sites, fetch_slots=slots)) as service:
        for site in sites:
            await watch(service, site.url + "/jobs")
        await until(lambda: asked_for(*sites, pages=1))
        async with asyncio.timeout(5):
            await all_out.wait()

    assert len(out) == SITES
