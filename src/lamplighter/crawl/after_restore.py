"""Settles a database that was brought back from a backup, so that the rounds can go on with it.

Nobody holds anything, nobody is logged in, no run goes on, and nobody is told what happened long ago. That all jobs
are overdue is no matter here: the scheduler finds out that nobody has looked for long, and spreads them (see
`catch_up`).
"""

from collections.abc import Mapping
from datetime import datetime, timedelta

from lamplighter.crawl.finish import cancel_run
from lamplighter.store import restored, upkeep, users
from lamplighter.store.database import Connection
from lamplighter.store.upkeep import Upkeep

#: what should have been told before then was told, or is of no use any more
_NEWS = timedelta(days=1)
_WHY = "the database was restored from a backup"


async def settle(db: Connection, *, backup: str, now: datetime) -> Mapping[str, int]:
    """Ends what was under way when the backup was made; returns how much of what."""
    await restored.release_leases(db)
    # Sessions that were ended since the backup would hold again: the numbers went back with everything else.
    await users.end_all_sessions(db)
    open_runs = await restored.open_runs(db)
    for run_id in open_runs:
        await cancel_run(db, run_id, why=_WHY, now=now)
    jobs = await restored.let_wait(db, now=now, why=f"{_WHY} while its run went on")
    told = await restored.cancel_notifications(db, before=now - _NEWS, detail=f"{_WHY}: it was due before that")
    figures = {"runs_cancelled": len(open_runs), "jobs_waiting_again": jobs, "notifications_cancelled": told}
    await upkeep.note(db, Upkeep.RESTORE, now=now, figures=figures | {"backup": backup})
    return figures
