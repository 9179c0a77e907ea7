"""Whose word holds for a schedule: the person's, the source's, its tags'."""

from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.crawl.planning import effective_source
from lamplighter.model import window_json
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import Override
from lamplighter.model.source import Source, TagOptions
from lamplighter.operations.sources import sources
from lamplighter.operations.sources.sources import NewSource
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.jobs import job_rows
from lamplighter.store.schema import tables
from lamplighter.store.sources import sources as stored
from tests.changing import set_job
from tests.crawl.runs.due_jobs import HOUR, Queues, on_sqlite
from tests.moments import NOON

NIGHT = [{"kind": "allow", "days": ["mon"], "start": "22:00", "end": "05:00", "zone": "UTC"}]
WINDOWS = window_json.from_json(NIGHT)
MINUTE = timedelta(minutes=1)


def _tag(name: str, **said: Any) -> TagOptions:
    return TagOptions(tag=name, **said)


#: what it says of windows cannot be read; it is said all the same
BROKEN = _tag("a", window_faults=("?",))


async def _source(db: Database, **about: Any) -> Source:
    async def work(connection: Connection) -> Source:
        new = NewSource(url="https://a.example/", **about)
        found = await stored.get(connection, await sources.add(connection, new, stamp=Stamp("test", NOON)))
        assert found is not None
        return found

    return await db.write(work)


@pytest.mark.parametrize(
    ("own", "tags", "held"),
    [
        pytest.param({"policy": "fixed"}, [_tag("a", policy="priority")], {"policy": "fixed"}, id="its own word"),
        pytest.param({}, [_tag("a", policy="priority")], {"policy": "priority"}, id="else its tag's"),
        pytest.param({}, [_tag("a"), _tag("b", policy="fixed")], {"policy": "fixed"}, id="a tag may say nothing"),
        pytest.param({}, [_tag("a", policy="fixed"), _tag("b", policy="learned")], {"policy": "fixed"}, id="the first"),
        pytest.param(
            {"max_pages": 7},
            [_tag("a", interval=MINUTE), _tag("b", max_pages=9, min_interval=MINUTE / 12, interval=2 * MINUTE)],
            {"interval": MINUTE, "max_pages": 7, "min_interval": MINUTE / 12},
            id="each word by itself",
        ),
        pytest.param({}, [_tag("a", windows=()), _tag("b", windows=WINDOWS)], {"windows": WINDOWS}, id="windows"),
        pytest.param({}, [BROKEN, _tag("b", windows=WINDOWS)], {"windows": (), "window_faults": ("?",)}, id="broken"),
        pytest.param({}, [], {"policy": None, "windows": (), "max_pages": None}, id="nobody says anything"),
    ],
)
@on_sqlite
async def test_what_a_source_leaves_open_its_tags_may_say(
    db: Database, own: dict[str, Any], tags: list[TagOptions], held: dict[str, Any]
) -> None:
    source = await _source(db, **own)

    found = effective_source.effective(source, tags, None)

    assert {name: getattr(found, name) for name in held} == held


@on_sqlite
async def test_what_a_person_set_holds_over_both(db: Database) -> None:
    source = await _source(db, policy="learned", priority=20, interval=HOUR)
    override = Override(interval=2 * HOUR, priority=90, adaptive=False, windows=NIGHT, recurring=False)

    found = effective_source.effective(source, [_tag("a", windows=(), policy="priority")], override)

    assert (found.interval, found.priority, found.policy, found.windows, found.recurring) == (
        2 * HOUR,
        90,
        "fixed",
        WINDOWS,
        False,
    )


async def test_a_job_is_planned_by_its_tags_and_by_what_was_set_for_it(db: Database) -> None:
    queues = Queues(db)
    await queues.job("a", tags=("sea", "north"))
    job = await queues.job_of("a")
    tags = [{"tag": "sea", "policy": "fixed", "interval_seconds": 7200}, {"tag": "north", "max_pages": 3}]

    async def say(connection: Connection) -> None:
        for row in tags:
            await connection.execute(sa.insert(tables.tags).values(updated_at=NOON, **row))
        override = job_rows.override_values(Override(interval=timedelta(hours=5)))
        await set_job(connection, job.id, now=NOON, override=override)

    await db.write(say)
    await queues.set_job("a", interval_seconds=5 * 3600)
    ended = await queues.round("a", pages_unchanged=1)

    (run,) = await queues.rows(tables.crawl_runs)
    assert run.page_budget == 3
    assert ended.next_run_reason["steps"][0] == {
        "step": "policy",
        "policy": "fixed",
        "seconds": 18000.0,
        "baseline_seconds": 18000.0,
        "set_seconds": 18000.0,
    }
