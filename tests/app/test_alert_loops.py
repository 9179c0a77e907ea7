"""Who looks whether something is wrong: one who leads for all, and each who answers the web for its own metrics."""

from pathlib import Path

import pytest

from lamplighter import app
from lamplighter.app.background import loops_of
from lamplighter.store.fleet import instances
from tests.service.in_process import quick_settings


@pytest.mark.parametrize(("kind", "work"), [("serve", {"alerts", "findings"}), ("worker", {"alerts"})])
async def test_a_process_that_shows_metrics_looks_for_itself(tmp_path: Path, kind: str, work: set[str]) -> None:
    async with app.open_service(quick_settings(tmp_path), kind=kind) as service:
        assert {loop.name for loop in loops_of(service)} & {"alerts", "findings"} == work


async def test_a_process_without_room_says_so_with_its_heartbeat(tmp_path: Path) -> None:
    async with app.open_service(quick_settings(tmp_path), free_bytes=lambda _: 7 << 20) as service:
        await service.fleet.membership.beat()
        await service.notifying.watch.show()

        (me,) = await service.db.look(instances.everyone)
        assert (me.figures["disk_low"], me.figures["disk_free_mb"]) == (1, 7)
        watched = service.notifying.watch.latest
        assert watched is not None
        assert [each.detail for each in watched.seen["DiskLow"].findings] == [f"{me.machine} has 7 MB of its disk left"]
