"""What `/metrics` asks of the database stays cheap, however much there is."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from lamplighter.model.page import Phase
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.fleet import metric_figures, scheduler_figures
from lamplighter.store.jobs import tallies
from tests.moments import NOON
from tests.store.given_rows import a_run, some_pages, write
from tests.store.query_plans import plan_of

MINUTE = timedelta(minutes=1)
Ask = Callable[[Connection], Awaitable[Any]]


@pytest.mark.parametrize(
    ("ask", "index"),
    [
        pytest.param(tallies.jobs, "job_tallies", id="jobs by state"),
        pytest.param(metric_figures.jobs_by_priority, "ix_crawl_jobs_figures", id="jobs by priority, and freshness"),
        pytest.param(
            lambda db: scheduler_figures.count_due(db, now=NOON, most=10), "ix_crawl_jobs_planned", id="due jobs"
        ),
        pytest.param(
            lambda db: metric_figures.count_in_backoff(db, now=NOON), "ix_crawl_jobs_unwell", id="jobs in backoff"
        ),
        pytest.param(
            lambda db: metric_figures.pages_waiting(db, Phase.PENDING), "ix_pages_in_turn", id="pages to ask for"
        ),
        pytest.param(
            lambda db: metric_figures.pages_waiting(db, Phase.DOWNLOADED), "ix_pages_downloaded", id="pages to read"
        ),
        pytest.param(metric_figures.oldest_waiting, "ix_events_outbox", id="the oldest event"),
    ],
)
async def test_a_figure_comes_from_an_index(db: Database, ask: Ask, index: str) -> None:
    assert index in await plan_of(db, ask)


async def test_the_oldest_notification_comes_from_an_index(db: Database) -> None:
    statement = "SELECT notifications.created_at"

    assert "ix_notifications_state" in await plan_of(db, metric_figures.oldest_waiting, start=statement)


async def test_pages_are_counted_only_so_far(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metric_figures, "MOST_PAGES", 2)
    source_id, run_id = await write(db, a_run)
    await write(db, some_pages, source_id, run_id, "/1", "/2", "/3")

    assert await write(db, metric_figures.pages_waiting, Phase.PENDING) == 2
