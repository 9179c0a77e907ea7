"""What the end of a run has to tell, by a clock that is set: failures in a row, recoveries, breakers, blocks, news."""

from datetime import timedelta

from lamplighter.crawl.fleet.pruning import Pruning, RetentionLimits
from lamplighter.crawl.runs.janitor import Janitor
from lamplighter.model.schedule import PolicyName
from lamplighter.store.alerts import notification_rules
from lamplighter.store.engine.database import Database
from lamplighter.store.schema import tables
from lamplighter.store.sources import tags
from tests.crawl.alerts.notification_loops import Receiver, Switchboard, switchboard
from tests.crawl.runs.due_jobs import HOUR, Queues, on_sqlite
from tests.origin import Origin
from tests.store.given_rows import write


async def _watched(db: Database, *names: str) -> Queues:
    queues = Queues(db, policy=PolicyName.HASH_BACKOFF)
    for name in names or ("a",):
        await queues.job(name, interval=HOUR)
    return queues


async def _rounds(queues: Queues, board: Switchboard, *reasons: str | None, name: str = "a") -> None:
    """Runs that end one after the other, None well, with a step of the loops after each; what rests is woken."""
    janitor = Janitor(
        queues.db, clock=queues.clock, planner=queues.planner, notice_writer=queues.notice_writer, stale_after=HOUR
    )
    for reason in reasons:
        queues.clock.at = max(queues.clock.at, (await queues.job_of(name)).next_run_at)
        await janitor.sweep()
        await queues.round(name, failed=reason)
        await board.turn()


async def test_failures_are_told_once_when_they_have_become_so_many_and_the_recovery_once(
    db: Database, origin: Origin
) -> None:
    queues, hook = await _watched(db), Receiver(origin)
    async with switchboard(db, queues.clock, origin) as board:
        channel = await board.channel(hook.url)
        await board.rule(channel, "run.failed", threshold=3)
        await board.rule(channel, "run.recovered", threshold=3)

        await _rounds(queues, board, "timeout", "timeout", None)  # two failures: nobody is told of either end
        await _rounds(queues, board, "timeout", "timeout", "timeout", "timeout", "timeout", None, None)

    assert [(each["event"], each["data"]["failures"]) for each in hook.told] == [
        ("run.failed", 3),
        ("run.recovered", 5),
    ]
    assert hook.told[0]["title"] == "a: run failed 3 times in a row"
    assert "timeout: because" in hook.told[0]["data"]["reason"]
    assert hook.told[0]["data"]["source"]["name"] == "a"


@on_sqlite
async def test_failures_are_told_once_although_the_runs_before_are_forgotten(db: Database, origin: Origin) -> None:
    queues, hook = await _watched(db), Receiver(origin)
    pruning = Pruning(db, clock=queues.clock, kept=RetentionLimits(run_age=timedelta(days=1)))
    async with switchboard(db, queues.clock, origin) as board:
        channel = await board.channel(hook.url)
        await board.rule(channel, "run.failed", threshold=6)
        await board.rule(channel, "run.recovered", threshold=6)
        await board.rule(channel, "source.blocked")

        for reason in (*["host_busy"] * 8, None):
            await _rounds(queues, board, reason)
            queues.clock.at += timedelta(days=8)
            await pruning.sweep()

        assert len(await queues.rows(tables.crawl_runs)) == 2
    assert [(each["event"], each["data"].get("failures")) for each in hook.told] == [
        ("source.blocked", None),
        ("run.failed", 6),
        ("run.recovered", 8),
    ]


@on_sqlite
async def test_an_opened_breaker_is_told_once_although_it_stays_open(db: Database, origin: Origin) -> None:
    queues, hook = await _watched(db), Receiver(origin)
    async with switchboard(db, queues.clock, origin) as board:
        await board.rule(await board.channel(hook.url), "breaker.opened")

        await _rounds(queues, board, *["timeout"] * 10)

    assert [each["event"] for each in hook.told] == ["breaker.opened"]
    assert hook.told[0]["data"]["until"] is not None


@on_sqlite
async def test_robots_that_forbid_the_source_are_told_once_and_count_as_no_failure(
    db: Database, origin: Origin
) -> None:
    queues, hook = await _watched(db), Receiver(origin)
    async with switchboard(db, queues.clock, origin) as board:
        channel = await board.channel(hook.url)
        for kind in ("source.blocked", "run.failed", "run.recovered"):
            await board.rule(channel, kind)

        await _rounds(queues, board, "robots_disallow", "robots_disallow", None)

    assert [each["event"] for each in hook.told] == ["source.blocked"]


@on_sqlite
async def test_a_site_that_turns_us_away_three_times_in_a_row_is_told_as_blocking(db: Database, origin: Origin) -> None:
    queues, hook = await _watched(db), Receiver(origin)
    async with switchboard(db, queues.clock, origin) as board:
        await board.rule(await board.channel(hook.url), "source.blocked")

        await _rounds(queues, board, "timeout", "host_busy", "host_busy")
        before = len(hook.told)
        await _rounds(queues, board, "host_busy", "host_busy")

    assert before == 0
    assert [each["event"] for each in hook.told] == ["source.blocked"]


@on_sqlite
async def test_a_rule_is_about_one_source_or_a_tag_or_all(db: Database, origin: Origin) -> None:
    queues = await _watched(db, "a", "b")
    one, tagged, everything = (Receiver(origin, path) for path in ("/one", "/tagged", "/all"))
    ids = {row.name: row.public_id for row in await queues.rows(tables.sources)}
    await write(db, tags.label, [(await queues.job_of("b")).source_id], "news")
    async with switchboard(db, queues.clock, origin) as board:
        await board.rule(await board.channel(one.url, name="one"), "run.failed", source=ids["a"])
        await board.rule(await board.channel(tagged.url, name="tagged"), "run.failed", tag="news")
        await board.rule(await board.channel(everything.url, name="all"), "run.failed")

        await queues.poll()
        for name in ("a", "b"):
            await queues.end(name, failed="timeout")
        await board.turn()

        async with db.read() as reading:
            of_b = [(await queues.job_of("b")).source_id]
            asked = await notification_rules.in_force(reading, kinds={"run.failed"}, source_ids=of_b)
            unasked = await notification_rules.in_force(reading, kinds={"records.new"}, source_ids=of_b)
    told = [[each["data"]["source"]["name"] for each in hook.told] for hook in (one, tagged, everything)]
    assert told == [["a"], ["b"], ["a", "b"]]
    assert ([(rule.source_id, rule.tag) for rule in asked], unasked) == ([(None, "news"), (None, None)], [])


@on_sqlite
async def test_what_nobody_wants_to_be_told_of_is_not_even_written_down(db: Database, origin: Origin) -> None:
    queues, hook = await _watched(db), Receiver(origin)
    async with switchboard(db, queues.clock, origin) as board:
        channel = await board.channel(hook.url)
        await board.rule(channel, "run.failed", enabled=False)
        await board.rule(channel, "records.new")

        await queues.round("a", failed="timeout")

        assert await queues.rows(tables.notices) == []


@on_sqlite
async def test_a_new_rule_is_heard_of_within_seconds(db: Database, origin: Origin) -> None:
    queues, hook = await _watched(db), Receiver(origin)
    async with switchboard(db, queues.clock, origin) as board:
        await _rounds(queues, board, None)
        await board.rule(await board.channel(hook.url), "run.failed")
        queues.clock.at += timedelta(seconds=3)

        await _rounds(queues, board, "timeout")

    assert len(hook.told) == 1
