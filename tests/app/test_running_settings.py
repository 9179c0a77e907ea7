"""Settings that are changed while running: does a change reach every part, every process, and the next start?"""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from lamplighter.app import Service, open_service
from lamplighter.live_settings import LIVE_SETTINGS
from lamplighter.model.access import Stamp
from lamplighter.model.schedule import PolicyName
from lamplighter.operations.fleet import running_settings
from lamplighter.settings import Settings, load
from tests.origin import Origin
from tests.service.in_process import going, quick_settings
from tests.service.waiting import until

DAY = timedelta(days=1)
#: each setting with another value, and what a part of the service then holds
CASES: dict[str, tuple[Any, Any, Callable[[Service], Any]]] = {
    "contact_url": ("https://lamp.example/bot", True, lambda service: service.door.barrier.has_contact),
    "contact_email": ("us@lamp.example", True, lambda service: service.door.barrier.has_contact),
    "min_delay_ms": (7000, timedelta(seconds=7), lambda service: service.source_defaults.host.min_delay),
    "max_concurrency": (3, 3, lambda service: service.leading.scheduler.source_defaults.host.max_concurrency),
    "max_page_kb": (64, 65536, lambda service: service.source_defaults.host.max_page_bytes),
    "max_pages": (77, 77, lambda service: service.leading.scheduler.source_defaults.host.max_pages),
    "policy": ("fixed", PolicyName.FIXED, lambda service: service.leading.pricer.source_defaults.policy),
    "interval_minutes": (90, timedelta(minutes=90), lambda service: service.runs.planner.source_defaults.interval),
    "min_interval_minutes": (5, timedelta(minutes=5), lambda service: service.source_defaults.bounds.least),
    "max_interval_days": (2, 2 * DAY, lambda service: service.leading.reconciler.source_defaults.bounds.most),
    "budget_per_hour": (50, 50, lambda service: service.leading.pricer.source_defaults.budget_per_hour),
    "host_budget_per_hour": (9, 9, lambda service: service.events.effects.source_defaults.host_budget_per_hour),
    "max_open_runs": (11, 11, lambda service: service.leading.scheduler.capacity.runs),
    "runs_per_host": (2, 2, lambda service: service.leading.scheduler.capacity.runs_per_host),
    "fetch_slots": (100, 400, lambda service: service.fetching.phase.limits.most_hosts),
    "archive_keep_days": (3, 3 * DAY, lambda service: service.storing.retention.bounds.age),
    "archive_keep_versions": (4, 4, lambda service: service.storing.retention.bounds.versions),
    "archive_max_gb": (1, 1024**3, lambda service: service.storing.retention.bounds.stored_bytes),
    "keep_runs": (5, 5, lambda service: service.storing.pruning.kept.runs),
    "keep_run_days": (6, 6 * DAY, lambda service: service.storing.pruning.kept.run_age),
    "run_log_days": (8, 8 * DAY, lambda service: service.storing.pruning.kept.log_age),
    "keep_change_days": (9, 9 * DAY, lambda service: service.storing.pruning.kept.change_age),
    "status_page": (True, True, lambda service: service.settings.status_page),
}


def plain(folder: Path) -> Settings:
    return load({}, data_dir=folder)


async def change(service: Service, **values: Any) -> None:
    """As another process does it: nobody here is told."""
    fresh, stamp = load({}), Stamp("user:mara", service.clock.now())
    await service.db.write(lambda db: running_settings.change(db, fresh, values, stamp=stamp))


def test_every_setting_that_can_be_changed_has_a_case() -> None:
    assert CASES.keys() == LIVE_SETTINGS.keys()


async def test_every_change_reaches_its_part_at_once_and_after_a_restart(tmp_path: Path) -> None:
    expected = {name: held for name, (_, held, _) in CASES.items()}

    async with open_service(plain(tmp_path)) as service:
        before = {name: part(service) for name, (_, _, part) in CASES.items()}
        await change(service, **{name: value for name, (value, _, _) in CASES.items()})
        await service.changed_settings.look()
        after = {name: part(service) for name, (_, _, part) in CASES.items()}
    async with open_service(plain(tmp_path)) as service:
        restarted = {name: part(service) for name, (_, _, part) in CASES.items()}
        await change(service, **dict.fromkeys(CASES))
        await service.changed_settings.look()
        reset = {name: part(service) for name, (_, _, part) in CASES.items()}

    assert after == restarted == expected
    assert reset == before
    assert not [name for name in CASES if before[name] == expected[name]]


async def test_a_running_process_hears_of_a_change_by_itself_and_names_its_new_contact(
    origin: Origin, tmp_path: Path, migrated_url: str
) -> None:
    origin.page("/jobs", "<p>Jobs</p>")

    async with going(quick_settings(tmp_path, origin, database_url=migrated_url)) as service:
        await service.door.fetcher.fetch_once(origin.url + "/jobs")
        await change(service, contact_email="us@lamp.example")

        async def heard() -> bool:
            return service.settings.contact_email == "us@lamp.example"

        await until(heard)
        await service.door.fetcher.fetch_once(origin.url + "/jobs")
    asked = [{name.lower(): value for name, value in each.headers.items()} for each in origin.log]
    first, last = asked[0], asked[-1]

    assert "from" not in first
    assert last["from"] == "us@lamp.example"
    assert last["user-agent"].endswith("(+us@lamp.example)")


async def test_what_a_process_was_given_at_its_start_stays(tmp_path: Path) -> None:
    given = load({"LAMPLIGHTER_KEEP_RUNS": "7"}, data_dir=tmp_path)

    async with open_service(given) as service:
        await change(service, keep_runs=50, keep_run_days=3)
        await service.changed_settings.look()
        kept = service.storing.pruning.kept

    assert (kept.runs, kept.run_age) == (7, 3 * DAY)


@pytest.mark.parametrize(
    ("name", "value"), [("keep_runs", "many"), ("keep_run_days", "nan"), ("keep_run_days", "1e300"), ("policy", "lazy")]
)
def test_a_stored_value_that_cannot_be_used_leaves_the_default(name: str, value: str) -> None:
    settings = load({})

    is_different = settings.take({name: value})

    assert not is_different
    assert getattr(settings, name) == getattr(load({}), name)
