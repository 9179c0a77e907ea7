"""`lamplighter alerts`."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

from lamplighter.model.alert import AlertFinding, Severity
from lamplighter.store.alerts import alerts
from lamplighter.store.engine.database import Database
from tests.cli.conftest import Lamplighter


def test_without_an_alert_it_says_so(lamplighter: Lamplighter) -> None:
    answer = lamplighter("alerts")

    assert (answer.code, answer.out) == (0, "")
    assert "No alert fires." in answer.err
    assert "the alerts may be outdated" in answer.err
    assert lamplighter("alerts", "--json").json == []


def test_what_fires_is_told_with_what_to_do_and_makes_it_fail(lamplighter: Lamplighter, tmp_path: Path) -> None:
    lamplighter("alerts")
    asyncio.run(_two_alerts(tmp_path / "data"))

    answer, for_programs = lamplighter("alerts"), lamplighter("alerts", "--json")

    assert answer.code == for_programs.code == 1
    assert "critical  DiskLow  since 2026-03-14 12:00 UTC  lighthouse is full\n    Free space" in answer.out
    assert "pending  BreakerOpen" in answer.out
    assert [each["state"] for each in for_programs.json] == ["firing", "pending"]


async def _two_alerts(data: Path) -> None:
    noon = datetime(2026, 3, 14, 12, tzinfo=UTC)
    async with Database(f"sqlite:///{data / 'lamplighter.db'}") as db:
        full = AlertFinding(subject="machine:lighthouse", value=1, detail="lighthouse is full")
        await db.write(
            lambda c: alerts.begin(c, rule="DiskLow", severity=Severity.CRITICAL, finding=full, now=noon, fires=True)
        )
        broken = AlertFinding(subject="host:a.example", value=5, detail="a.example is left alone")
        await db.write(
            lambda c: alerts.begin(
                c, rule="BreakerOpen", severity=Severity.WARNING, finding=broken, now=noon, fires=False
            )
        )
