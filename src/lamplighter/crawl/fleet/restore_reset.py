"""Restore reset: prepares a database that was restored from a backup for crawling.

It releases leases, ends login sessions and open runs, and cancels old notifications. Overdue jobs are not its
matter: the scheduler notices that no job was opened for long, and spreads them (see `catch_up`).
"""

from collections.abc import Mapping
from datetime import datetime, timedelta

from lamplighter.crawl.runs.run_finish import cancel_run
from lamplighter.store.access import users
from lamplighter.store.backup import restore_reset
from lamplighter.store.engine.database import Connection
from lamplighter.store.fleet import upkeep
from lamplighter.store.fleet.upkeep import Upkeep

#: notifications due earlier were sent, or are of no use any more
_NEWS = timedelta(days=1)
_WHY = "the database was restored from a backup"


async def settle(db: Connection, *, backup: str, now: datetime) -> Mapping[str, int]:
    """Ends what was running at the backup's time; returns the counts by kind."""
    await restore_reset.release_leases(db)
    # Sessions that were ended since the backup would be valid again, because their numbers were restored too.
    await users.end_all_sessions(db)
    open_runs = await restore_reset.open_runs(db)
    for run_id in open_runs:
        await cancel_run(db, run_id, why=_WHY, now=now)
    jobs = await restore_reset.let_wait(db, now=now, why=f"{_WHY} while its run went on")
    cancelled = await restore_reset.cancel_notifications(
        db, before=now - _NEWS, detail=f"{_WHY}: it was due before that"
    )
    figures = {"runs_cancelled": len(open_runs), "jobs_waiting_again": jobs, "notifications_cancelled": cancelled}
    await upkeep.note(db, Upkeep.RESTORE, now=now, figures=figures | {"backup": backup})
    return figures
