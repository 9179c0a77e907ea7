"""Alerts as stored: opened once, fired once, cleared once."""

from datetime import datetime, timedelta

from lamplighter.model.alert import Alert, AlertFinding, AlertState, Severity
from lamplighter.store.alerts import alerts
from lamplighter.store.alerts.alerts import AlertFilter
from lamplighter.store.engine.database import Database
from tests.moments import NOON
from tests.store.given_rows import write
from tests.store.query_plans import plan_of

MINUTE = timedelta(minutes=1)
FOUND = AlertFinding(subject="host:a.example", value=3.0, detail="a.example: none of its 3 proxies work")


async def begin(
    db: Database, finding: AlertFinding = FOUND, *, fires: bool = False, now: datetime = NOON
) -> Alert | None:
    return await write(
        db, alerts.begin, rule="BreakerOpen", severity=Severity.WARNING, finding=finding, now=now, fires=fires
    )


async def begun(db: Database, subject: str = "host:a", *, fires: bool = False, now: datetime = NOON) -> Alert:
    alert = await begin(db, AlertFinding(subject=subject, value=1.0, detail="-"), fires=fires, now=now)
    assert alert is not None
    return alert


async def test_what_is_found_is_opened_once(db: Database) -> None:
    first, second = await begin(db), await begin(db)

    assert first is not None
    assert (first.rule, first.subject, first.value, first.detail) == ("BreakerOpen", *_said(FOUND))
    assert (first.since, first.fired_at, first.state) == (NOON, None, AlertState.PENDING)
    assert second is None
    assert await db.look(alerts.open_ones) == [first]


def _said(finding: AlertFinding) -> tuple[str, float, str]:
    return finding.subject, finding.value, finding.detail


async def test_two_processes_fire_and_clear_it_once(db: Database) -> None:
    alert = await begun(db)

    fired = [await write(db, alerts.fire, alert, now=NOON + MINUTE) for _ in range(2)]
    cleared = [await write(db, alerts.clear, alert, now=NOON + 2 * MINUTE) for _ in range(2)]

    assert [each and each.fired_at for each in fired] == [NOON + MINUTE, None]
    assert [each and each.cleared_at for each in cleared] == [NOON + 2 * MINUTE, None]
    assert await db.look(alerts.open_ones) == []


async def test_what_is_over_may_begin_again(db: Database) -> None:
    await write(db, alerts.clear, await begun(db, fires=True), now=NOON)

    assert (await begun(db)).state is AlertState.PENDING


async def test_only_what_has_not_fired_is_forgotten(db: Database) -> None:
    for alert in (await begun(db, "host:a"), await begun(db, "host:b", fires=True)):
        await write(db, alerts.forget, alert)

    assert [each.subject for each in await db.look(alerts.open_ones)] == ["host:b"]


async def test_an_alert_is_told_anew_and_grows_quiet(db: Database) -> None:
    alert = await begun(db, fires=True)

    await write(db, alerts.update_finding, alert, AlertFinding(subject="host:a", value=9.0, detail="worse"))
    await write(db, alerts.quiet, alert, since=NOON)

    (found,) = await db.look(alerts.open_ones)
    assert (found.value, found.detail, found.quiet_since) == (9.0, "worse", NOON)


async def test_alerts_are_listed_by_what_is_wanted_the_latest_first(db: Database) -> None:
    over = await begun(db, "host:over", fires=True)
    await write(db, alerts.clear, over, now=NOON)
    await begun(db, "host:pending", now=NOON + MINUTE)
    await begun(db, "host:firing", fires=True, now=NOON + 2 * MINUTE)

    async def subjects(wanted: AlertFilter, *, limit: int = 9, offset: int = 0) -> tuple[list[str], int]:
        found, total = await write(db, alerts.listed, wanted, limit=limit, offset=offset)
        return [each.subject.removeprefix("host:") for each in found], total

    assert await subjects(AlertFilter()) == (["firing", "pending", "over"], 3)
    assert await subjects(AlertFilter(), limit=1, offset=1) == (["pending"], 3)
    assert await subjects(AlertFilter(state=AlertState.FIRING)) == (["firing"], 1)
    assert await subjects(AlertFilter(state=AlertState.PENDING)) == (["pending"], 1)
    assert await subjects(AlertFilter(state=AlertState.CLEARED)) == (["over"], 1)
    assert await subjects(AlertFilter(subject="host:over", severity=Severity.WARNING, rule="BreakerOpen")) == (
        ["over"],
        1,
    )
    assert await subjects(AlertFilter(severity=Severity.INFO)) == ([], 0)


async def test_open_ones_come_the_longest_first(db: Database) -> None:
    for subject, at in (("host:a", NOON + MINUTE), ("host:b", NOON)):
        await begun(db, subject, now=at)

    assert [each.subject for each in await db.look(alerts.open_ones)] == ["host:b", "host:a"]


async def test_when_one_of_a_rule_was_last_over_is_known(db: Database) -> None:
    before = await write(db, alerts.last_cleared, "BreakerOpen")
    await write(db, alerts.clear, await begun(db, "host:over", fires=True), now=NOON)
    await begun(db, "host:open", fires=True)

    assert (before, await write(db, alerts.last_cleared, "BreakerOpen")) == (None, NOON)


async def test_open_alerts_and_the_last_of_a_rule_are_found_by_an_index(db: Database) -> None:
    assert "ix_alerts_open" in await plan_of(db, alerts.open_ones)
    assert "ix_alerts_rule" in await plan_of(db, lambda c: alerts.last_cleared(c, "CrawlingPaused"))


async def test_the_gravest_that_fire_come_first_and_all_are_counted(db: Database) -> None:
    for subject, severity, fires in (
        ("host:info", Severity.INFO, True),
        ("host:pending", Severity.CRITICAL, False),
        ("host:warning", Severity.WARNING, True),
        ("host:critical", Severity.CRITICAL, True),
    ):
        finding = AlertFinding(subject=subject, value=1.0, detail="-")
        await write(db, alerts.begin, rule="Rule", severity=severity, finding=finding, now=NOON, fires=fires)

    found, total = await db.look(lambda db: alerts.gravest(db, limit=2))

    assert ([each.subject for each in found], total) == (["host:critical", "host:warning"], 3)
    assert "ix_alerts_open" in await plan_of(db, lambda db: alerts.gravest(db, limit=2))
