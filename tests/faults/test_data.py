"""Rows K of the fault matrix: nothing happens twice, nothing vanishes unseen, and what is gone stays gone."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import structlog
from redis.asyncio import Redis

from lamplighter.adapters.key_ring import KeyFile
from lamplighter.adapters.messaging.redis_streams import GROUP, STREAM
from lamplighter.app import Service
from lamplighter.fetch import barrier
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import RunOutcome
from lamplighter.operations.backup import backups
from lamplighter.store.engine.database import Database
from lamplighter.store.schema import tables
from tests.origin import Answer, Origin
from tests.service.in_process import (
    age,
    all_records,
    all_rows,
    asked,
    crawl,
    crawl_again,
    first_run,
    going,
    job_of,
    quick_settings,
    watch,
)
from tests.service.sites import job_board, posting_html
from tests.service.waiting import asked_for, until
from tests.web.asgi_client import ask_of

OriginFactory = Callable[..., Awaitable[Origin]]


async def test_k1_what_is_said_twice_late_or_by_two_at_once_has_one_effect(
    origin: Origin, tmp_path: Path, redis_url: str
) -> None:
    job_board(origin, postings=3, per_page=3)
    settings = quick_settings(tmp_path, origin, events_url=redis_url)
    given = {"name": "board", "url": origin.url + "/jobs"}

    async with going(settings) as one, going(settings) as other, Redis.from_url(redis_url, protocol=2) as redis:
        asks = [ask_of(one), ask_of(other)] * 3
        added = await asyncio.gather(*(ask.post("/api/v1/sources", given) for ask in asks))
        (source,) = await all_rows(one, tables.sources)
        await first_run(one, source.id)
        changed = [
            await asks[0].patch(f"/api/v1/sources/{source.public_id}", {"priority": word}) for word in ("low", "high")
        ]
        await until(lambda: _is_settled(redis, entries=1 + len(changed)))
        entries: Any = await redis.xrange(STREAM)
        told = [fields for _, fields in entries]
        for fields in list(reversed(told)) * 3:  # the oldest last
            await redis.xadd(STREAM, fields)
        await until(lambda: _is_settled(redis, entries=4 * len(told)))
        job = await job_of(one, source.id)
        counts = {table.name: len(await all_rows(one, table)) for table in (tables.crawl_jobs, tables.crawl_runs)}
        found = await all_records(one)

    assert sorted(reply.status for reply in added) == [201] + [409] * 5
    assert {reply.status for reply in changed} == {200}
    assert (len(told), counts) == (3, {"crawl_jobs": 1, "crawl_runs": 1})
    assert job.priority > 50, "as it was said last"
    assert len(found) == 3
    assert sorted(Counter(asked(origin)).values()) == [1] * 4


async def _is_settled(redis: Redis, *, entries: int) -> bool:
    """Whether so many are in the stream, and all were read and acknowledged."""
    if await redis.xlen(STREAM) < entries:
        return False
    groups = [each for each in await redis.xinfo_groups(STREAM) if each["name"] == GROUP.encode()]
    return bool(groups) and (groups[0]["pending"], groups[0]["lag"]) == (0, 0)


#: what the lists of a board are read by
LISTED = {
    "items": "li.job",
    "fields": {"title": {"selector": "a"}, "url": {"selector": "a", "attribute": "href"}},
}


async def test_k2_what_a_crawl_did_not_come_to_is_not_gone_and_what_two_whole_ones_missed_is(
    origin: Origin, tmp_path: Path
) -> None:
    gone = []

    async with going(quick_settings(tmp_path, origin)) as service:
        _offer(origin, "1", [1, 2], [3, 4], [5, 6])
        first = await crawl(service, origin.url + "/jobs", recipe=LISTED, kind="job", max_depth=0)
        for number in (2, 3):
            _offer(origin, str(number), [1, 2], [3, 4], None)
            gone.append(await _gone_after(service, first.source_id, number=number))
        for number in (4, 5):
            _offer(origin, str(number), [1, 2], [3, 4], [5])
            gone.append(await _gone_after(service, first.source_id, number=number))
        kept = await all_records(service)

    assert (first.outcome, first.tally.records_inserted, len(kept)) == (RunOutcome.OK, 6, 6)
    assert gone == [("warn", []), ("warn", []), ("ok", []), ("ok", ["Posting 06"])]


def _offer(origin: Origin, text: str, *lists: list[int] | None) -> None:
    """A board of several pages; one of them may be out of order."""
    for number, postings in enumerate(lists, start=1):
        path = "/jobs" if number == 1 else f"/jobs?page={number}"
        if postings is None:
            origin.route(path, Answer(status=500))
            continue
        items = "".join(f'<li class=job><a href="/job/{each}">Posting {each:02}</a></li>' for each in postings)
        following = f'<a rel="next" href="/jobs?page={number + 1}">Next</a>' if number < len(lists) else ""
        origin.page(path, f"<html><body><p>{text}</p><ul>{items}</ul>{following}</body></html>")


async def _gone_after(service: Service, source_id: int, *, number: int) -> tuple[str, list[str]]:
    """How the next run ends, and what counts as gone then."""
    await age(service, days=3)
    run = await crawl_again(service, source_id, number=number)
    return str(run.outcome), [row.title for row in await all_records(service) if row.gone_at is not None]


async def test_k3_a_run_ends_when_its_source_is_deleted_disabled_or_taken_down(
    origin_factory: OriginFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(barrier, "TAKEDOWNS_KEPT_SECONDS", 0.5)
    deleted, disabled, taken = await origin_factory(), await origin_factory(), await origin_factory("127.0.0.2")
    sites = (deleted, disabled, taken)
    for origin in sites:
        job_board(origin, postings=80, per_page=80)

    async with going(quick_settings(tmp_path, *sites, min_delay_ms=100)) as service:
        ask = ask_of(service)
        ids = [await watch(service, origin.url + "/jobs") for origin in sites]
        sources = {row.id: row for row in await all_rows(service, tables.sources)}
        await until(lambda: asked_for(*sites, pages=4))
        done = [
            await ask.delete(f"/api/v1/sources/{sources[ids[0]].public_id}"),
            await ask.post(f"/api/v1/sources/{sources[ids[1]].public_id}/disable", {}),
            await ask.post("/api/v1/takedowns", {"domain_or_url": taken.host}),
        ]
        at_first = [len(origin.log) for origin in sites]
        runs = await until(lambda: _ended(service, 3))
        await asyncio.sleep(1)  # what was on its way has arrived
        by_then = [len(origin.log) for origin in sites]
        again = await ask.post("/admin/crawl/run", {"source_id": sources[ids[2]].public_id})
        purged = await ask.post("/api/v1/takedowns/purge", {"domain_or_url": taken.host})
        left = [row for row in await all_rows(service, tables.pages) if row.source_id == ids[2]]
        listed = (await ask.get("/api/v1/takedowns")).json

    assert {reply.status for reply in done} <= {200, 201, 204}, [reply.text for reply in done]
    assert {run.outcome for run in runs} == {"cancelled"}
    # One in a tenth of a second, and it takes half a second until a takedown is known.
    assert all(then - first < 20 for then, first in zip(by_then, at_first, strict=True))
    assert [len(origin.log) for origin in sites] == by_then
    assert max(by_then) < 80
    assert (again.status, again.json["code"]) == (409, "taken_down"), again.text
    assert purged.status == 200, purged.text
    assert left == []
    assert taken.host in str(listed)


async def _ended(service: Service, count: int) -> list[Any] | None:
    runs = await all_rows(service, tables.crawl_runs)
    return runs if len(runs) >= count and all(run.finished_at for run in runs) else None


async def test_k4_what_is_cleaned_up_while_a_crawl_goes_on_neither_comes_back_nor_breaks_it(
    origin: Origin, tmp_path: Path
) -> None:
    job_board(origin, postings=20, per_page=20)
    settings = quick_settings(
        tmp_path, origin, min_delay_ms=20, run_log_days=1e-5, keep_change_days=1e-5, archive_keep_versions=1
    )

    with structlog.testing.capture_logs() as said:
        async with going(settings) as service:
            source_id = await watch(service, origin.url + "/jobs")
            removed = set[str]()
            cleaning = asyncio.create_task(_clean_up(service, removed))
            runs = [await first_run(service, source_id)]
            for number in (2, 3):
                await age(service, days=30)
                job_board(origin, postings=20, per_page=20)
                for posting in range(20):
                    text = posting_html(posting).replace("Keep lamp", f"In year {number} keep lamp")
                    origin.page(f"/job/{posting}", text)
                runs.append(await crawl_again(service, source_id, number=number))
            await until(lambda: _are(removed, 5))
            cleaning.cancel()
            await asyncio.wait([cleaning])
            found = await all_records(service)

    assert [run.outcome for run in runs] == [RunOutcome.OK] * 3, [run.message for run in runs]
    assert {row.canonical_hash for row in found} & removed == set()
    assert [line for line in said if line["log_level"] in ("error", "critical")] == []


async def _clean_up(service: Service, removed: set[str]) -> None:
    """Removes five records, whose hashes are noted, and forgets what is old, again and again."""
    ask = ask_of(service)
    while True:
        await asyncio.gather(
            service.storing.pruning.sweep(), service.storing.retention.sweep(), service.leading.janitor.sweep()
        )
        for record in (await all_records(service))[:1] if len(removed) < 5 else []:
            reply = await ask(f"/api/v1/records/{record.public_id}", method="DELETE", json={"reason": "a wish"})
            assert reply.status == 200, reply.text
            removed.add(record.canonical_hash)
        await asyncio.sleep(0.2)


async def _are(removed: set[str], count: int) -> bool:
    return len(removed) >= count


async def test_k5_after_a_restore_everything_is_there_and_nobody_is_asked_before_it_is_due(
    origin: Origin, tmp_path: Path
) -> None:
    job_board(origin, postings=8, per_page=4)
    settings = quick_settings(tmp_path / "old", origin)
    async with going(settings) as service:
        run = await crawl(service, origin.url + "/jobs", interval=timedelta(hours=6))
        backup = await backups.make(
            service.db, backups.backup_folder_of(service.db, data_dir=tmp_path / "old", keep=3), now=service.clock.now()
        )
        before = await _counts(service)
    by_then = len(origin.log)

    fresh = Database(f"sqlite:///{tmp_path / 'new' / 'lamplighter.db'}")
    checked = await backups.check(fresh, backup.path)
    await backups.restore(
        fresh, checked, vault=KeyFile(tmp_path / "old" / "keys"), stamp=Stamp("test", service.clock.now())
    )
    async with going(quick_settings(tmp_path / "new", origin, poll_seconds=0.1)) as service:
        after = await _counts(service)
        looked = service.leading.scheduler.open_due
        opened = sum([await looked() for _ in range(3)])
        unasked = len(origin.log) == by_then
        await age(service, days=3)
        again = await crawl_again(service, run.source_id, number=2)

    assert after == before
    assert (opened, unasked) == (0, True)
    assert (again.outcome, again.tally.records_inserted) == (RunOutcome.OK, 0)
    statuses = defaultdict[str, list[int]](list)
    for hit in origin.log[by_then:]:
        statuses[hit.path].append(hit.status)
    # Nothing has changed. The archive was not restored: what is to be read from it is asked for once more, in whole.
    assert {tuple(told) for path, told in statuses.items() if path != "/robots.txt"} == {(304, 200)}


async def _counts(service: Service) -> dict[str, int]:
    kept = (tables.sources, tables.crawl_jobs, tables.crawl_runs, tables.pages, tables.records, tables.page_versions)
    return {table.name: len(await all_rows(service, table)) for table in kept}
