"""What a database says of what was under way is over once it was brought back from a backup."""

from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from lamplighter.crawl.fleet import restore_reset
from lamplighter.model.access import Role
from lamplighter.store.access import users
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.fleet import upkeep
from lamplighter.store.fleet.upkeep import Upkeep
from lamplighter.store.schema import tables
from tests.crawl.runs.due_jobs import Queues
from tests.moments import NOON
from tests.store.given_rows import write

DAY = timedelta(days=1)
THEN = NOON + 3 * DAY


async def _settle(db: Database) -> Any:
    return await write(db, restore_reset.settle, backup="monday.db", now=THEN)


async def test_runs_that_went_on_are_cancelled_and_their_jobs_are_owed_one(db: Database) -> None:
    queues = Queues(db)
    await queues.job("a")
    await queues.job("once", recurring=False)
    await queues.poll()

    settled = await _settle(db)

    jobs, pages = await queues.rows(tables.crawl_jobs), await queues.rows(tables.pages)
    assert {run.outcome for run in await queues.rows(tables.crawl_runs)} == {"cancelled"}
    assert [(job.state, job.next_run_at <= THEN) for job in jobs] == [("pending", True)] * 2
    assert {page.phase for page in pages} == {"cancelled"}
    assert settled == {"runs_cancelled": 2, "jobs_waiting_again": 2, "notifications_cancelled": 0}


async def test_nobody_holds_anything_and_fencing_tokens_go_on(db: Database) -> None:
    queues = Queues(db)
    await queues.job("a")
    await queues.poll()
    held = {"lease_owner": "gone", "lease_token": 7, "lease_until": THEN + DAY, "blocked_until": THEN + DAY}
    await queues.set_host("a.example", **held)
    await write(db, _lead)

    await _settle(db)

    (host,) = await queues.rows(tables.hosts)
    assert (host.lease_owner, host.lease_until, host.lease_token) == (None, None, 7)
    assert host.blocked_until == THEN + DAY
    assert await queues.rows(tables.leads) == []


async def _lead(db: Connection) -> None:
    await db.execute(sa.insert(tables.leads).values(name="schedule", owner="gone", until=THEN + DAY))


async def test_sessions_that_were_ended_since_the_backup_do_not_hold_again(db: Database) -> None:
    await write(db, users.add, name="anna", role=Role.ADMIN, password_hash="", now=NOON)
    (before,) = await Queues(db).rows(tables.users)

    await _settle(db)

    (after,) = await Queues(db).rows(tables.users)
    # Nor do those that were opened after some were ended: it is no matter of one more.
    assert abs(after.session_epoch - before.session_epoch) > 10


async def test_what_should_have_been_told_long_ago_is_not_told_again(db: Database) -> None:
    await write(db, _notifications)

    settled = await _settle(db)

    rows = await Queues(db).rows(tables.notifications)
    states = {row.public_id: row.state for row in rows}
    assert states == {"old": "cancelled", "gathering": "cancelled", "sent": "sent", "fresh": "pending"}
    assert all("restored" in row.detail for row in rows if row.state == "cancelled")
    assert [row.kind for row in await Queues(db).rows(tables.notices)] == ["fresh"]
    assert settled["notifications_cancelled"] == 3


async def _notifications(db: Connection) -> None:
    channel = {"id": 1, "public_id": "c", "name": "c", "kind": "ntfy", "encrypted_target": b"x", "target_hint": "x"}
    await db.execute(sa.insert(tables.notification_channels).values(**channel, created_at=NOON, updated_at=NOON))
    waiting = {"channel_id": 1, "kind": "test", "payload": {}, "due_at": NOON}
    rows = (
        ("old", "pending", NOON),
        ("gathering", "gathering", NOON),
        ("sent", "sent", NOON),
        ("fresh", "pending", THEN),
    )
    for name, state, at in rows:
        await db.execute(sa.insert(tables.notifications).values(**waiting, public_id=name, state=state, created_at=at))
    for kind, at in (("old", NOON), ("fresh", THEN)):
        await db.execute(sa.insert(tables.notices).values(kind=kind, at=at, data={}))


async def test_that_it_was_restored_is_noted(db: Database) -> None:
    await _settle(db)

    async with db.read() as reading:
        noted = await upkeep.last(reading, Upkeep.RESTORE)
    assert noted is not None
    assert (noted.at, noted.figures["backup"]) == (THEN, "monday.db")
