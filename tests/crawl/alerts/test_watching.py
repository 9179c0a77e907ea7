"""What people watch for: new, changed, gone and returned records, prices, words, pages; and no flood of messages."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

from lamplighter.model.notification import Notice, NoticeKind
from lamplighter.operations.alerts import notification_rules
from lamplighter.store.engine.database import Database
from tests.clocks import At
from tests.crawl.alerts.notification_loops import Receiver, Switchboard, switchboard
from tests.crawl.runs.due_jobs import HOUR, Queues, on_sqlite
from tests.moments import NOON
from tests.origin import Answer, Origin
from tests.service.in_process import crawl_again, first_run, going, quick_settings, watch
from tests.service.sites import job_board
from tests.service.waiting import until

HTML = {"Content-Type": "text/html"}


async def _rules(service: Any, hook: Receiver, *rules: dict[str, Any]) -> Switchboard:
    board = Switchboard(service.db, service.clock, service.notifying.messenger)
    channel = await board.channel(hook.url)
    for rule in rules:
        await board.rule(channel, **rule)
    return board


async def _has(hook: Receiver, count: int) -> bool:
    return len(hook.requests) >= count


def _board(origin: Origin, postings: int) -> None:
    """A list of so many postings, each with its page; the list has no validators, so that it is read each time."""
    job_board(origin, postings=postings, per_page=10)
    links = "".join(
        f'<li><a href="/job/{number}">Posting {number:02}</a> <span>Deadline: {number + 1} March 2027</span></li>'
        for number in range(postings)
    )
    origin.route("/jobs", Answer(headers=HTML, body=f"<html><body><ul>{links}</ul></body></html>".encode()))


def _lamp(price: str, title: str = "Brass lamp") -> Answer:
    item = {"@context": "https://schema.org", "@type": "Product", "name": title, "offers": {"price": price}}
    page = f'<title>{title}</title><script type="application/ld+json">{json.dumps(item)}</script><h1>{title}</h1>'
    return Answer(headers=HTML, body=page.encode())


async def test_a_first_complete_run_is_the_baseline_and_only_what_comes_later_is_told(
    origin: Origin, tmp_path: Path
) -> None:
    hook = Receiver(origin)
    _board(origin, 7)

    async with going(quick_settings(tmp_path, origin)) as service:
        await _rules(service, hook, {"kind": "records.new"})
        source_id = await watch(service, origin.url + "/jobs")
        await first_run(service, source_id)
        _board(origin, 9)
        await crawl_again(service, source_id, number=2)
        await until(lambda: _has(hook, 1))

    assert [each["data"]["count"] for each in hook.told] == [2]


async def test_a_price_that_falls_below_is_told_once_with_what_it_was_and_other_prices_are_not(
    origin: Origin, tmp_path: Path
) -> None:
    hook = Receiver(origin)
    origin.route("/lamp", *(_lamp(price) for price in ("120", "110", "95", "90")))
    rules = (
        {"kind": "price.fell", "price_below": 100},
        {"kind": "records.changed", "field": "price", "words": "lantern, brass la"},
        {"kind": "records.changed", "field": "deadline"},
        {"kind": "records.changed", "words": "assay"},
    )

    async with going(quick_settings(tmp_path, origin)) as service:
        await _rules(service, hook, *rules)
        source_id = await watch(service, origin.url + "/lamp")
        await first_run(service, source_id)
        for number in (2, 3, 4):
            await crawl_again(service, source_id, number=number)
        await until(lambda: _has(hook, 4))

    told = [(each["event"], *each["data"]["records"][0]["changes"]) for each in hook.told]
    assert [each for each in told if each[0] == "price.fell"] == [
        ("price.fell", {"field": "price", "from": "110", "to": "95"})
    ]
    assert [each[1]["to"] for each in told if each[0] == "records.changed"] == ["110", "95", "90"]


async def test_a_record_that_goes_and_one_that_comes_back_are_told_and_so_is_a_changed_page(
    origin: Origin, tmp_path: Path
) -> None:
    hook, everything = Receiver(origin), 7
    _board(origin, everything)

    async with going(quick_settings(tmp_path, origin)) as service:
        kinds = ("records.gone", "records.back", "pages.changed")
        await _rules(service, hook, *({"kind": kind} for kind in kinds))
        source_id = await watch(service, origin.url + "/jobs")
        await first_run(service, source_id)
        _board(origin, everything - 1)
        await crawl_again(service, source_id, number=2)
        await crawl_again(service, source_id, number=3)
        _board(origin, everything)
        await crawl_again(service, source_id, number=4)
        await until(lambda: _has(hook, 4))

    told = [(each["event"], each["data"]["run"], each["data"]["count"]) for each in hook.told]
    assert ("records.gone", 3, 1) in told
    assert ("records.back", 4, 1) in told
    assert [event for event, _, _ in told if event == "pages.changed"]


@on_sqlite
async def test_a_source_without_a_complete_run_has_its_baseline_after_its_first_that_works(
    db: Database, origin: Origin
) -> None:
    queues, hook = Queues(db), Receiver(origin)
    await queues.job("a", interval=HOUR)
    async with switchboard(db, queues.clock, origin) as board:
        await board.rule(await board.channel(hook.url), "records.new")

        first = await queues.round("a", failed="timeout")
        second = await queues.round("a")

    assert (first.baseline_at, second.baseline_at is not None) == (None, True)


async def test_a_channel_sends_no_more_than_its_rate_and_gathers_the_rest(db: Database, origin: Origin) -> None:
    clock, hook = At(), Receiver(origin)
    async with switchboard(db, clock, origin) as board:
        channel = await board.channel(hook.url, max_per_minute=3)
        await board.rule(channel, "alert.fired")
        await board.rule(channel, "run.failed")
        for _ in range(2):
            await board.note(_alert())
            await board.turn()

        await board.note(*(_alert() for _ in range(70)), *(_failure() for _ in range(5)))
        await board.turn()
        in_a_minute = len(hook.requests)
        clock.at += timedelta(minutes=1)
        await board.turn()

        states = {row.state for row in await board.rows()}
    assert in_a_minute == 3
    assert [(each["event"], each["data"].get("count", 1)) for each in hook.told] == [
        ("alert.fired", 1),
        ("alert.fired", 1),
        ("alert.fired", 70),
        ("run.failed", 5),
    ]
    assert states == {"sent"}


@on_sqlite
async def test_rules_gather_unless_they_say_otherwise_but_tasks_are_told_one_by_one(
    db: Database, origin: Origin
) -> None:
    clock, hook = At(), Receiver(origin)
    async with switchboard(db, clock, origin) as board:
        channel = await board.channel(hook.url)
        asked = dict.fromkeys(("records.new", "run.failed", "task.completed"))
        for kind in asked:
            await board.rule(channel, kind, digest_minutes=None)
        async with db.read() as reading:
            usual = {view.rule.kind: view.rule.digest_minutes for view in await notification_rules.listed(reading)}

        await board.note(*(_failure() for _ in range(30)))
        await board.turn()
        at_once = len(hook.requests)
        clock.at += timedelta(minutes=5)
        await board.turn()

    assert usual == {"records.new": 10, "run.failed": 5, "task.completed": None}
    assert (at_once, [each["data"]["count"] for each in hook.told]) == (0, [30])


def _alert() -> Notice:
    data = {"rule": "DiskAlmostFull", "subject": "", "severity": "critical", "detail": "full", "remedy": "tidy"}
    return Notice(kind=NoticeKind.ALERT_FIRED, at=NOON, source_id=None, data=data)


def _failure() -> Notice:
    data = {"run": 1, "failures": 1, "reason": "timeout: timed out"}
    return Notice(kind=NoticeKind.RUN_FAILED, at=NOON, source_id=None, data=data)
