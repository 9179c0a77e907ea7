"""The schedule in a browser: the day, a rebalance, policies, and nobody kept out."""

from datetime import timedelta
from typing import Literal

import pytest
from playwright.async_api import expect

from lamplighter.model.access import Stamp
from lamplighter.operations.sources import sources
from lamplighter.operations.sources.sources import NewSource
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema import tables
from tests.browser.window import Window
from tests.changing import add_job, set_job
from tests.crawl.runs.due_jobs import Queues
from tests.service.installation import Installation

HOUR = timedelta(hours=1)


async def _crowd(installation: Installation, count: int = 20) -> None:
    """Daily jobs that all start at the same time, one of them within a window."""
    service = installation.service
    now = service.clock.now()

    async def work(db: Connection) -> None:
        for number in range(count):
            windows = "mon-fri 09:00-17:00 Europe/Berlin" if number == 0 else None
            new = NewSource(url=f"https://s{number}.example/", name=f"Board {number}", windows_text=windows)
            source_id = await sources.add(db, new, stamp=Stamp("test", now))
            job_id = await add_job(
                db, source_id=source_id, priority=50, interval=24 * HOUR, next_run_at=now + 8 * HOUR, now=now
            )
            await set_job(db, job_id, now=now, pace_seconds=86_400)

    await service.db.write(work)


async def test_a_rebalance_is_previewed_confirmed_and_carried_out(window: Window, installation: Installation) -> None:
    await _crowd(installation)
    page = await window.open("/schedule")

    await page.get_by_role("link", name="Preview a rebalance").click()
    await expect(page.get_by_role("heading", name="would move; the balance changes from 0.")).to_be_visible()
    await expect(page.get_by_role("region", name="Runs that would move")).to_contain_text("Board 7")
    moved = [job.moved_at for job in await Queues(installation.service.db).rows(tables.crawl_jobs)]
    await page.get_by_role("button", name="Apply").click()
    await page.get_by_role("dialog").get_by_role("button", name="Move them").click()

    await expect(page.get_by_text("moved; the balance is now")).to_be_visible()
    assert not any(moved)
    assert any(job.moved_at for job in await Queues(installation.service.db).rows(tables.crawl_jobs))


async def test_the_comparison_answers_in_its_place(window: Window) -> None:
    page = await window.open("/schedule")

    await page.get_by_role("button", name="Compare").click()

    await expect(page.locator("#comparison")).to_contain_text("Our visits have seen no change yet")
    await expect(page.locator("#day")).to_be_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_nobody_is_kept_out_of_the_schedule(
    window: Window, installation: Installation, theme: Literal["light", "dark"]
) -> None:
    await _crowd(installation)
    await window.page.emulate_media(color_scheme=theme)
    page = await window.open("/schedule")
    await page.get_by_role("link", name="Preview a rebalance").click()
    await expect(page.get_by_role("button", name="Apply")).to_be_visible()

    assert await window.grave_barriers() == []
