"""Sources with problems, for pages and commands to show."""

from datetime import datetime, timedelta
from typing import Any

from lamplighter.model.access import Stamp
from lamplighter.model.crawl import RunOutcome, Trigger
from lamplighter.operations.sources import sources
from lamplighter.store.engine.database import Connection
from lamplighter.store.hosts import hosts
from lamplighter.store.runs import crawl_runs
from lamplighter.store.sources import sources as stored_sources
from tests.changing import add_job, set_job

HOUR = timedelta(hours=1)
FAILING: dict[str, Any] = {"failure_count": 3, "last_outcome": RunOutcome.FAIL}
GOOD = "1 page (0 unchanged, 0 refused, 0 failed), 40 records: 0 new, 0 changed, 40 as before, 0 skipped"
BAD = "server_error: HTTP 500 (https://quay.example/jobs)"


async def a_troubled_source(
    db: Connection,
    name: str,
    message: str,
    *,
    host: str = "quay.example",
    outcome: RunOutcome = RunOutcome.FAIL,
    drifted: bool = False,
    now: datetime,
    **job: Any,
) -> str:
    """A source whose run of two hours ago was good, and that of an hour ago was not; returns its public id."""
    url = f"https://{host}/{name.replace(' ', '-')}"
    source_id = await sources.add(db, sources.NewSource(url=url, name=name), stamp=Stamp("test", now))
    host_id = (await hosts.ensure(db, [host], now=now))[host]
    due = {"next_run_at": now + timedelta(days=1), "interval": timedelta(days=1), "priority": 50}
    job_id = await add_job(db, source_id=source_id, now=now, **due)
    ran = {"visited_at": now - 2 * HOUR, "last_run_at": now - HOUR, "run_count": 2}
    ended_so = {"host_id": host_id, "last_outcome": outcome, "last_drifted": drifted}
    await set_job(db, job_id, now=now, **(ran | ended_so | job))
    for number, (hours, ended, said) in enumerate(((2, RunOutcome.OK, GOOD), (1, outcome, message)), 1):
        began = now - hours * HOUR
        run_id = await crawl_runs.add(
            db,
            job_id=job_id,
            source_id=source_id,
            number=number,
            trigger=Trigger.SCHEDULE,
            now=began,
            deadline_at=began + HOUR,
            page_budget=20,
        )
        is_bad = drifted and number == 2
        at = began + timedelta(minutes=1)
        await crawl_runs.close(
            db, run_id, now=at, outcome=ended, message=said, records_shown=0 if is_bad else 40, has_drifted=is_bad
        )
    source = await stored_sources.get(db, source_id)
    assert source is not None
    return source.public_id
