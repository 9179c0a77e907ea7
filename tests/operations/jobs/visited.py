"""Sources that were visited at known hours."""

import sqlalchemy as sa

from lamplighter.model.crawl import RunOutcome
from lamplighter.store.engine.database import Connection
from lamplighter.store.runs import crawl_runs
from lamplighter.store.schema.tables import crawl_runs as runs
from tests.moments import NOON
from tests.store.given_rows import HOUR, a_run


async def visited(db: Connection, name: str, *visits: tuple[float, bool]) -> None:
    """A source, and runs of it that began so many hours after noon and found something new or not."""
    source_id, run_id = await a_run(db, name)
    first = (await db.execute(sa.select(runs).where(runs.c.id == run_id))).one()
    await db.execute(sa.delete(runs).where(runs.c.id == run_id))
    for number, (hours, is_changed) in enumerate(visits, start=1):
        run_id = await crawl_runs.add(
            db,
            job_id=first.job_id,
            source_id=source_id,
            number=number,
            trigger=first.trigger,
            now=NOON + hours * HOUR,
            deadline_at=NOON,
            page_budget=1,
        )
        counts = {"pages_fetched": 1, "pages_changed": int(is_changed)}
        await crawl_runs.add_up(db, {run_id: counts}, now=NOON)
        await crawl_runs.close(db, run_id, now=NOON, outcome=RunOutcome.OK, message="", records_shown=0)
