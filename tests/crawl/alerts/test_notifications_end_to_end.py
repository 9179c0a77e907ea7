"""From a site to whoever wants to know: real crawls, real webhooks, and a death in between."""

import asyncio
import json
import signal
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from lamplighter.app import Service, open_messaging
from lamplighter.model.access import Stamp
from lamplighter.operations.alerts import notification_channels, notification_rules
from lamplighter.operations.alerts.notification_channels import ChannelSettings
from lamplighter.operations.alerts.notification_rules import RuleSettings
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.schema import tables
from tests.crawl.alerts.notification_loops import Receiver, is_signed
from tests.origin import Answer, Origin
from tests.service.in_process import crawl_again, first_run, going, quick_settings, watch
from tests.service.processes import Fleet
from tests.service.sites import job_board
from tests.service.submitted_tasks import Desk
from tests.service.waiting import until

PRODUCT = {"@context": "https://schema.org", "@type": "Product", "name": "Lamp", "offers": {"price": "9.50"}}
PRODUCT_PAGE = f'<title>Lamp</title><script type="application/ld+json">{json.dumps(PRODUCT)}</script><h1>Lamp</h1>'


async def _tell(
    db: Database, messenger: Any, hook: Receiver, *kinds: str, now: Any, threshold: int = 1, **channel: Any
) -> None:
    async def work(tx: Connection) -> None:
        settings = ChannelSettings(name="ops", kind="webhook", target=hook.url, **channel)
        added = await notification_channels.add(tx, settings, messenger=messenger, stamp=Stamp("test", now))
        for kind in kinds:
            rule = RuleSettings(
                channel=added.public_id, kind=kind, threshold=threshold, digest_minutes=0, with_baseline=True
            )
            await notification_rules.add(tx, rule, stamp=Stamp("test", now))

    await db.write(work)


async def _told_by(service: Service, hook: Receiver, *kinds: str, **more: Any) -> None:
    await _tell(service.db, service.notifying.messenger, hook, *kinds, now=service.clock.now(), **more)


async def _has(hook: Receiver, count: int) -> bool:
    return len(hook.requests) >= count


async def test_a_source_that_fails_three_times_is_told_once_signed_and_once_when_it_works_again(
    origin: Origin, tmp_path: Path
) -> None:
    hook = Receiver(origin)
    origin.route("/jobs", *[Answer(status=404)] * 4, Answer(headers={"Content-Type": "text/html"}, body=b"<p>back</p>"))

    async with going(quick_settings(tmp_path, origin)) as service:
        await _told_by(service, hook, "run.failed", "run.recovered", threshold=3, secret="s3cret")
        source_id = await watch(service, origin.url + "/jobs", name="The board")
        await first_run(service, source_id)
        for number in (2, 3, 4):
            await crawl_again(service, source_id, number=number)
        await until(lambda: _has(hook, 1))
        await crawl_again(service, source_id, number=5)
        await until(lambda: _has(hook, 2))

    assert [(each["event"], each["data"]["failures"], each["data"]["run"]) for each in hook.told] == [
        ("run.failed", 3, 3),
        ("run.recovered", 4, 5),
    ]
    assert hook.told[0]["data"]["reason"].startswith("not_found: HTTP 404")
    assert all(is_signed(request, "s3cret") for request in hook.requests)
    assert len(set(hook.keys)) == 2


async def test_what_is_new_is_told_with_the_first_titles(origin: Origin, tmp_path: Path) -> None:
    hook = Receiver(origin)
    job_board(origin, postings=7, per_page=10)

    async with going(quick_settings(tmp_path, origin)) as service:
        await _told_by(service, hook, "records.new")
        source_id = await watch(service, origin.url + "/jobs")
        await first_run(service, source_id)
        await crawl_again(service, source_id, number=2)
        await until(lambda: _has(hook, 1))

    (told,) = hook.told
    assert told["data"]["count"] == 7
    assert len(told["data"]["records"]) == 5
    assert {record["url"] for record in told["data"]["records"]} <= {f"{origin.url}/job/{n}" for n in range(7)}


async def test_a_source_that_suddenly_shows_nothing_is_told_once(origin: Origin, tmp_path: Path) -> None:
    hook, html = Receiver(origin), {"Content-Type": "text/html"}
    empty = [Answer(headers=html, body=f"<p>soon {number}</p>".encode()) for number in range(2)]
    origin.route("/lamp", Answer(headers=html, body=PRODUCT_PAGE.encode()), *empty)

    async with going(quick_settings(tmp_path, origin)) as service:
        await _told_by(service, hook, "source.drifted", "run.failed")
        source_id = await watch(service, origin.url + "/lamp")
        await first_run(service, source_id)
        for number in (2, 3):
            await crawl_again(service, source_id, number=number)
        await until(lambda: _has(hook, 1))

    (told,) = hook.told
    assert (told["event"], told["data"]["run"]) == ("source.drifted", 2)
    assert told["data"]["reason"] == "no records shown where 1 is usual"


async def test_submitted_pages_are_told_of_in_the_promised_form(origin: Origin, tmp_path: Path) -> None:
    hook = Receiver(origin)
    origin.page("/lamp", PRODUCT_PAGE)

    async with going(quick_settings(tmp_path, origin)) as service:
        await _told_by(service, hook, "task.completed", "task.failed")
        desk = await Desk.of(service, origin)
        had, missing = await desk.submit("/lamp"), await desk.submit("/missing")
        await until(lambda: _has(hook, 2))
        (product,) = (await desk.ask.get("/api/products")).json["data"]

    told = sorted(hook.told, key=lambda each: str(each["event"]))
    assert [set(each) for each in told] == [{"event", "timestamp", "data"}] * 2
    assert [(each["event"], each["data"]) for each in told] == [
        (
            "task.completed",
            {"task_id": had, "url": f"{origin.url}/lamp", "status": "completed", "product_id": product["id"]},
        ),
        (
            "task.failed",
            {"task_id": missing, "url": f"{origin.url}/missing", "status": "failed", "product_id": None},
        ),
    ]


async def test_h1_a_death_between_telling_and_noting_it_tells_twice_under_one_id(
    origin: Origin, tmp_path: Path
) -> None:
    hook = Receiver(origin)
    job_board(origin, postings=2, per_page=10)
    with Fleet(tmp_path, origin) as fleet:
        async with open_messaging(fleet.settings) as messaging:
            db = messaging.store.db
            await _tell(db, messaging.messenger, hook, "records.new", now=messaging.store.clock.now())
        await asyncio.to_thread(fleet.watch, origin.url + "/jobs")

        died = fleet.start(crash_at="notify.after_send")
        assert await asyncio.to_thread(died.wait, 60) == -signal.SIGKILL, fleet.log()[-2000:]
        async with Database(fleet.settings.resolved_database_url) as db:
            left = await _rows(db)
            await db.write(_let_leases_run_out)
            survivor = fleet.start()
            await until(lambda: _is_sent(db))
        assert await asyncio.to_thread(fleet.stop, survivor) == 0

    assert [(row.state, row.try_count) for row in left] == [("pending", 1)]
    assert len(hook.requests) == 2
    assert len(set(hook.keys)) == 1


async def _let_leases_run_out(db: Connection) -> None:
    table = tables.notifications
    await db.execute(sa.update(table).values(lease_until=table.c.created_at))


async def _is_sent(db: Database) -> bool:
    return [row.state for row in await _rows(db)] == ["sent"]


async def _rows(db: Database) -> list[Any]:
    async with db.read() as reading:
        return list((await reading.execute(sa.select(tables.notifications))).all())


async def test_a_task_tells_its_own_webhook_signed_and_nobody_else(origin: Origin, tmp_path: Path) -> None:
    hook, secret = Receiver(origin), "0123456789abcdef"
    origin.page("/lamp", PRODUCT_PAGE)
    webhook = {"webhook_url": hook.url, "webhook_secret": secret}

    async with going(quick_settings(tmp_path, origin)) as service:
        desk = await Desk.of(service, origin)
        told = [await desk.submit("/lamp", **webhook), await desk.submit("/missing", **webhook)]
        await desk.once(await desk.submit("/gone"), "failed")
        await until(lambda: _has(hook, 2))

    ended = {each["data"]["task_id"]: (each["event"], each["data"]["status"]) for each in hook.told}
    assert ended == {told[0]: ("task.completed", "completed"), told[1]: ("task.failed", "failed")}
    assert all(is_signed(request, secret) for request in hook.requests)


async def test_a_task_that_redirects_tells_once_what_became_of_it_in_the_end(origin: Origin, tmp_path: Path) -> None:
    hook = Receiver(origin)
    origin.page("/lamp", PRODUCT_PAGE)
    for path, target in {"/moved": "/lamp", "/loop": "/round", "/round": "/loop"}.items():
        origin.route(path, Answer(status=302, headers={"Location": target}))
    webhook = {"webhook_url": hook.url, "webhook_secret": "0123456789abcdef"}

    async with going(quick_settings(tmp_path, origin)) as service:
        desk = await Desk.of(service, origin)
        moved, loop = await desk.submit("/moved", **webhook), await desk.submit("/loop", **webhook)
        await until(lambda: _has(hook, 2))
        failed = await desk.once(loop, "failed")
        posts = await _rows(service.db)

    ended = {each["data"]["task_id"]: each["event"] for each in hook.told}
    assert ended == {moved: "task.completed", loop: "task.failed"}
    assert len(posts) == 2
    assert failed["error_message"].startswith("too_many_redirects: redirect loop")
