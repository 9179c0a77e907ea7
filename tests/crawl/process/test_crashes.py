"""P5: kill -9 anywhere, and the next start goes on as if nothing had happened.

This is the short campaign: somebody dies at every point once. `python -m benchmarks.crashes` is the long one.
"""

import asyncio
import random
import time
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import sqlalchemy as sa

from benchmarks import crashes
from lamplighter import crash_points
from lamplighter.adapters.archive.file_archive import FileArchive
from lamplighter.model.access import Stamp
from lamplighter.operations.sources import sources
from lamplighter.operations.sources.sources import NewSource
from lamplighter.settings import Settings
from lamplighter.store.schema import tables
from tests.crashes import campaign
from tests.crashes.archive_sweep import ArchiveSweep
from tests.crashes.by_hand import ByHand
from tests.crashes.campaign import SITUATIONS, Campaign, Plan, Repetition, Round
from tests.crashes.installation import Installation, Places
from tests.crashes.old_schema import OldSchema
from tests.crashes.pruned import Pruned
from tests.crashes.situations import FirstCrawl, OverdueRun, Situation
from tests.crashes.snapshot import differences
from tests.origin import Origin, ThreadedOrigin, busy
from tests.service.processes import Fleet, wait_until
from tests.service.sites import job_board

#: somebody dies at each of these in turn, in one installation, before anybody lives
CHAINS: list[tuple[type[Situation], tuple[str, ...]]] = [
    (
        FirstCrawl,
        (
            *("create.midway", "deliver.before_effect", "deliver.after_effect", "open.before_commit"),
            *("open.after_commit", "host.after_claim", "robots.after_fetch", "notify.after_send"),
        ),
    ),
    (
        FirstCrawl,
        (
            *("fetch.before_request:3", "fetch.after_response", "fetch.after_archive", "fetch.after_commit"),
            *("parse.after_claim", "index.after_send"),
        ),
    ),
    (
        FirstCrawl,
        (
            *("parse.after_extract", "store.before_commit:2", "store.after_commit"),
            *("finish.before_commit", "finish.after_commit"),
        ),
    ),
    (OverdueRun, ("janitor.midway",)),
    (ArchiveSweep, ("archive.after_forgetting", "archive.after_copy:2", "archive.after_move", "archive.after_removal")),
    (Pruned, ("prune.after_step", "prune.after_step:2")),
    (OldSchema, ("migrate.midway", "migrate.midway:20")),
    (
        ByHand,
        (
            *("import.after_chunk", "backup.midway", "backup.before_name", "backup.after_name"),
            *("restore.before_commit", "restore.after_commit"),
        ),
    ),
]
#: the same with rivals, which are killed wherever they are
ON_POSTGRESQL = [
    Plan(rounds=(Round(dies_at="fetch.after_commit", others=("",)), Round(dies_at="parse.after_claim")), survivors=2),
    Plan(
        rounds=(
            Round(dies_at="open.after_commit"),
            Round(dies_at="store.before_commit", others=("store.before_commit:2",)),
        )
    ),
]


def _chained(*points: str) -> Plan:
    return Plan(rounds=tuple(Round(dies_at=point) for point in points))


def _left_alive(made: Repetition) -> set[str]:
    return {campaign.name_of(each.dies_at) for each in made.plan.rounds} - made.died_at


@pytest.mark.timeout(600)
async def test_h1_deaths_at_every_point_lose_and_double_nothing_and_bother_nobody(tmp_path: Path) -> None:
    running = Campaign(tmp_path, places=Places(tmp_path))

    made = await asyncio.gather(
        *(running.repeat(situation, "sqlite", _chained(*points)) for situation, points in CHAINS)
    )

    assert [fault for each in made for fault in each.faults] == []
    assert [_left_alive(each) for each in made] == [set()] * len(CHAINS)


@pytest.mark.timeout(600)
async def test_h1_neither_do_deaths_among_several_workers_on_postgresql(tmp_path: Path, postgres_url: str) -> None:
    running = Campaign(tmp_path, places=Places(tmp_path, postgres_url=postgres_url))

    made = await asyncio.gather(*(running.repeat(FirstCrawl, "postgresql", plan) for plan in ON_POSTGRESQL))

    assert [fault for each in made for fault in each.faults] == []
    assert sum(each.deaths for each in made) >= 4


@pytest.mark.minutes
@pytest.mark.timeout(1800)
def test_h1_neither_does_a_drawn_death_at_each_point_on_each_database() -> None:
    results = crashes.carry_out(crashes.Extent(repetitions=1, at_once=4, lease_seconds=10), lambda *_: None)

    assert results.faults == []
    assert len(results.tallies) == 2 * len(crash_points.POINTS)


@pytest.mark.timeout(600)
async def test_h1_nor_do_deaths_of_operators_and_sweeps_on_postgresql(tmp_path: Path, postgres_url: str) -> None:
    running = Campaign(tmp_path, places=Places(tmp_path, postgres_url=postgres_url))
    chains = [(situation, points) for situation, points in CHAINS if situation is not FirstCrawl]

    made = await asyncio.gather(
        *(running.repeat(situation, "postgresql", _chained(*points)) for situation, points in chains)
    )

    assert [fault for each in made for fault in each.faults] == []
    assert [_left_alive(each) for each in made] == [set()] * len(chains)


@pytest.mark.minutes
def test_p5_with_the_leases_of_every_day_a_crawl_goes_on_within_a_minute_of_a_death(tmp_path: Path) -> None:
    with ThreadedOrigin() as origin:
        job_board(origin, postings=30, per_page=30)
        with Fleet(tmp_path, origin, lease_seconds=Settings.model_fields["lease_seconds"].default) as fleet:
            fleet.watch(origin.url + "/jobs")
            worker = fleet.start()
            wait_until(lambda: len(origin.log) >= 5, fleet.log)
            worker.kill()
            worker.wait()
            died_at, before = time.monotonic(), len(origin.log)
            fleet.start()
            wait_until(lambda: len(origin.log) > before, fleet.log)
            went_on_after = origin.log[before].arrived - died_at
            fleet.wait_for_runs(1)
            runs = [tuple(row) for row in fleet.rows("SELECT outcome, pages_fetched, records_inserted FROM crawl_runs")]

    assert went_on_after < 60
    assert runs == [("ok", 31, 30)]


async def test_b5_a_death_right_after_a_429_does_not_forget_that_the_host_is_to_be_left_alone(
    tmp_path: Path, origin: Origin
) -> None:
    origin.route("/jobs", busy(retry_after="600"))
    places = Places(tmp_path)
    url = await places.database("sqlite", tmp_path, is_empty=False)
    async with Installation(tmp_path, url, lease=places.lease, allow_hosts=origin.address) as installation:
        new = NewSource(url=origin.url + "/jobs")
        now = installation.now()
        await installation.db.write(lambda db: sources.add(db, new, stamp=Stamp("test", now)))

        died = await installation.died(installation.start(crash_at="store.after_commit"))
        (blocked,) = await installation.rows(sa.select(tables.hosts))

    assert died
    assert blocked.blocked_until is not None
    assert "600 s" in blocked.block_reason


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_what_the_dead_archived_is_not_asked_for_again(
    tmp_path: Path, origin: Origin, kind: str, request: pytest.FixtureRequest
) -> None:
    job_board(origin, postings=12, per_page=12)
    server = request.getfixturevalue("postgres_url") if kind == "postgresql" else None
    places = Places(tmp_path, postgres_url=server)
    url = await places.database(kind, tmp_path, is_empty=False)
    async with Installation(tmp_path, url, lease=places.lease, allow_hosts=origin.address) as installation:
        now = installation.now()
        new = NewSource(url=origin.url + "/jobs")
        await installation.db.write(lambda db: sources.add(db, new, stamp=Stamp("test", now)))
        archived: Counter[str] = Counter()
        for point in ("fetch.after_archive", "parse.after_extract:2", "store.before_commit:2"):
            assert await installation.died(installation.start(crash_at=point))
            archived = await _archived(tmp_path / "archive")
        survivor = installation.start()
        runs = tables.crawl_runs.c
        ended = sa.select(runs.outcome, runs.pages_fetched, runs.records_inserted).where(runs.finished_at.is_not(None))

        async def is_over() -> bool:
            return bool(await installation.rows(ended))

        await installation.until(is_over, "the run to end")
        outcomes = [tuple(row) for row in await installation.rows(ended)]
        await installation.stop([survivor])
        archived_at_last = await _archived(tmp_path / "archive")

    asked = Counter(hit.path for hit in origin.log)
    assert outcomes == [("ok", 13, 12)]
    assert len(archived) >= 3
    assert {path: asked[path] for path in archived} == dict.fromkeys(archived, 1)
    assert set(archived_at_last.values()) == {1}


async def _archived(folder: Path) -> Counter[str]:
    """How often each path is in the archive, whether the database knows it or not."""
    archive = FileArchive(folder)
    segments = await archive.segments()
    return Counter([urlsplit(stray.url).path for each in segments for stray in await archive.strays(each, ())])


def test_every_point_is_visited_by_the_short_campaign() -> None:
    visited = {campaign.name_of(point) for _, points in CHAINS for point in points}

    assert visited == crash_points.POINTS.keys()
    assert frozenset().union(*(each.points for each in SITUATIONS)) == crash_points.POINTS.keys()


@pytest.mark.parametrize("point", crash_points.POINTS)
def test_a_drawn_plan_has_a_death_at_its_point_and_can_be_drawn_again(point: str) -> None:
    counts = Counter({"fetch.before_request": 12, "store.after_commit": 5})

    plan, again = [campaign.draw(point, counts, random.Random(point)) for _ in range(2)]

    assert point in {campaign.name_of(each.dies_at) for each in plan.rounds}
    assert plan == again


def test_what_is_missing_and_what_is_doubled_is_a_difference() -> None:
    expected = {"records": [("a",), ("b",)], "runs": [("ok",)]}

    assert differences(expected, expected) == []
    assert differences(expected, {"records": [("a",), ("a",)], "runs": [("ok",)]}) == [
        "records: missing ('b',)",
        "records: too much ('a',)",
    ]
