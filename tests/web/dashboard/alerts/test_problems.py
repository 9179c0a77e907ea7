"""The inbox of the page Attention: problems with their evidence, remedies that ask first, and snoozes."""

from typing import Any
from urllib.parse import quote

import pytest
import sqlalchemy as sa

from lamplighter.app import Service
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import JobState, PauseReason, RunAdvice, RunOutcome
from lamplighter.operations.alerts import problems
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema import tables
from tests.changing import set_host
from tests.web.asgi_client import Ask
from tests.web.forms import send_form
from tests.web.given_problems import BAD, FAILING, GOOD, HOUR, a_troubled_source

CUT = f"{GOOD}; cut short at 20 pages: 20 of about 200 records: raise max pages to get all in one run"
DRIFTED = "extractor may be broken: no records shown where 40 are usual; 1 page"


async def given(service: Service, *names: str, message: str = BAD, **more: Any) -> list[str]:
    """Troubled sources; returns their public ids."""
    now = service.clock.now()

    async def step(db: Connection) -> list[str]:
        return [await a_troubled_source(db, name, message, now=now, **more) for name in names]

    return await service.db.write(step)


async def keys(service: Service) -> list[str]:
    """The keys of the problems that are listed."""
    async with service.db.read() as db:
        found = await problems.inbox(db, limit=99, offset=0, now=service.clock.now())
    return [view.problem.key for view in found.problems]


async def jobs(service: Service) -> list[Any]:
    async with service.db.read() as db:
        return list(await db.execute(sa.select(tables.crawl_jobs).order_by(tables.crawl_jobs.c.id)))


async def test_where_nothing_needs_a_person_the_inbox_says_so(ask: Ask) -> None:
    assert "Nothing needs you: no source fails" in (await ask("/alerts")).text


async def test_a_host_that_fails_is_one_problem_with_its_cost_and_its_last_good_and_first_bad_answer(
    ask: Ask, service: Service
) -> None:
    await given(service, "Quay A", "Quay <b>B", **FAILING)
    until = service.clock.now() + HOUR
    await service.db.write(
        lambda db: set_host(db, "quay.example", now=service.clock.now(), blocked_until=until, block_reason="HTTP 500")
    )

    text = " ".join((await ask("/alerts")).text.split())
    (key,) = await keys(service)
    detail = " ".join((await ask(f"/alerts/problems/{quote(key)}")).text.split())

    for shown in (text, detail):
        assert "host quay.example answers 500: 2 sources failing" in shown
        assert "80 records not renewed" in shown
        assert "no requests until" in shown
        assert "1 page, 40 records: 40 as before" in shown  # the last good run
        assert "HTTP 500 (https://quay.example/jobs)" in shown
        assert "Try again now (2)" in shown
    assert "Quay &lt;b&gt;B" in detail
    assert '<th scope="row">Records shown</th><td>40</td><td>40</td>' in detail


@pytest.mark.parametrize(
    ("message", "more", "title", "button"),
    [
        (
            "robots: robots disallow: 'Disallow: /jobs' (line 3 of https://quay.example/robots.txt, group *) (x)",
            {"state": JobState.PAUSED, "pause_reason": PauseReason.ROBOTS},
            "robots.txt of quay.example disallows /jobs: 1 source blocked",
            "Try again now",
        ),
        (
            DRIFTED,
            {"outcome": RunOutcome.WARN, "drifted": True},
            "Quay: extractor may be broken: no records shown where 40 are usual",
            "Point and teach",
        ),
        (
            CUT,
            {"outcome": RunOutcome.OK, "last_advice": RunAdvice.MAX_PAGES},
            "Quay is cut short at 20 pages: 20 of about 200 records",
            "Raise",
        ),
        ("not_found: HTTP 404 (x)", FAILING, "Quay fails: not found", "Try again now"),
    ],
)
async def test_each_cause_has_its_sentence_and_its_remedy(
    ask: Ask, service: Service, message: str, more: dict[str, Any], title: str, button: str
) -> None:
    await given(service, "Quay", message=message, **more)

    text = (await ask("/alerts")).text

    assert title in text
    assert button in text
    assert (await ask(f"/alerts/problems/{quote((await keys(service))[0])}")).status == 200


async def test_a_remedy_says_what_it_would_do_and_does_it_for_all_sources_once_confirmed(
    ask: Ask, service: Service
) -> None:
    await given(service, "A", "B", message=CUT, outcome=RunOutcome.OK, last_advice=RunAdvice.MAX_PAGES)
    (key,) = await keys(service)
    path = f"/alerts/problems/{quote(key)}/more_pages"

    asked = await send_form(ask, path, max_pages="90")
    before = [each.state for each in await jobs(service)]
    done = await send_form(ask, path, max_pages="90", confirmed="1")

    async with service.db.read() as db:
        budgets = list(await db.scalars(sa.select(tables.sources.c.max_pages)))
        open_runs = list(await db.scalars(sa.select(tables.crawl_runs.c.page_budget).where(_IS_OPEN)))
    assert "Raise max pages of 2 sources to 90?" in asked.text
    assert "A run may fetch up to 90 pages, now up to 20." in asked.text
    assert JobState.RUNNING not in before
    assert done.status == 303
    assert (budgets, open_runs) == ([90, 90], [90, 90])


_IS_OPEN = tables.crawl_runs.c.finished_at.is_(None)


@pytest.mark.parametrize(
    ("pages", "fault"), [("20", "enter more than 20"), ("", "enter the most"), ("x", "whole number")]
)
async def test_fewer_pages_than_before_are_refused_and_change_nothing(
    ask: Ask, service: Service, pages: str, fault: str
) -> None:
    await given(service, "A", message=CUT, outcome=RunOutcome.OK, last_advice=RunAdvice.MAX_PAGES)
    (key,) = await keys(service)

    reply = await send_form(ask, f"/alerts/problems/{quote(key)}/more_pages", max_pages=pages, confirmed="1")

    async with service.db.read() as db:
        budgets = list(await db.scalars(sa.select(tables.sources.c.max_pages)))
    assert reply.status == 422
    assert fault in reply.text
    assert budgets == [None]


async def test_a_snoozed_problem_is_hidden_everywhere_named_with_who_and_until_and_logged(
    ask: Ask, service: Service
) -> None:
    await given(service, "A", "B", **FAILING)
    (key,) = await keys(service)
    path = f"/alerts/problems/{quote(key)}"

    asked = await send_form(ask, f"{path}/snooze")
    await send_form(ask, f"{path}/snooze", confirmed="1")

    text, start = (await ask("/alerts")).text, (await ask("/")).text
    assert "Snooze this problem of 2 sources for a week?" in asked.text
    assert "Nothing needs you but what is snoozed" in text
    assert "by local until" in text
    assert "answers 500" not in start
    assert "problem.snooze" in (await ask("/audit")).text
    assert "Snoozed by local" in (await ask(path)).text

    await send_form(ask, f"{path}/wake")
    assert await keys(service) == [key]
    assert "problem.wake" in (await ask("/audit")).text


async def test_a_snooze_does_not_hide_another_cause_nor_what_went_away_and_came_again(service: Service) -> None:
    await given(service, "A", "B", **FAILING)
    await given(service, "C", "D", message="timeout: no answer", **FAILING)
    first, second = await keys(service)
    for key in (first, second):
        await service.db.write(lambda db, key=key: problems.snooze(db, key, stamp=_stamp(service)))  # type: ignore[misc]
    hidden = await keys(service)

    # All of C and D is younger than its snooze; A and B answer otherwise.
    runs, snoozes = tables.crawl_runs, tables.problem_snoozes
    early = service.clock.now() - 9 * HOUR
    await service.db.write(
        lambda db: db.execute(sa.update(snoozes).where(snoozes.c.key == second).values(snoozed_at=early))
    )
    await service.db.write(
        lambda db: db.execute(sa.update(runs).where(runs.c.message == BAD).values(message="server_error: HTTP 503"))
    )

    assert hidden == []
    shown = await keys(service)
    assert second in shown
    assert first not in shown
    assert len(shown) == 2


def _stamp(service: Service) -> Stamp:
    return Stamp("test", service.clock.now())


@pytest.mark.parametrize("key", ["nonsense", "host-0123456789ab-quay.example", "loud-0123456789ab-x", "host--"])
async def test_a_problem_that_is_not_there_is_not_found(ask: Ask, key: str) -> None:
    assert (await ask(f"/alerts/problems/{key}")).status == 404
    assert (await send_form(ask, f"/alerts/problems/{key}/retry", confirmed="1")).status == 404
    assert (await send_form(ask, f"/alerts/problems/{key}/wake")).status == 404


async def test_an_unknown_remedy_or_one_for_another_problem_is_refused(ask: Ask, service: Service) -> None:
    await given(service, "A", **FAILING)
    (key,) = await keys(service)

    assert (await send_form(ask, f"/alerts/problems/{quote(key)}/dance", confirmed="1")).status == 404
    assert (await send_form(ask, f"/alerts/problems/{quote(key)}/follow", confirmed="1")).status == 409
