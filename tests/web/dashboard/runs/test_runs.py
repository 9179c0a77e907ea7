"""What the pages about runs show: the history, one run, its log."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from lamplighter.app import Service
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import CrawlRun, JobState, RunOutcome
from lamplighter.model.run_figures import RunFigures, Times
from lamplighter.model.run_log import LogAction, LogLevel
from lamplighter.operations.fleet import crawl_pause
from lamplighter.operations.hosts import takedowns
from lamplighter.operations.runs import runs
from lamplighter.operations.sources import sources
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.runs import crawl_runs, run_log
from lamplighter.web import words
from lamplighter.web.dashboard.runs import runs as run_pages
from tests.changing import set_job
from tests.web.asgi_client import Ask
from tests.web.forms import BROWSER_FORM, send_form
from tests.web.hostile_text import HOSTILE


async def a_run(service: Service, name: str = "Quay Jobs", *, outcome: RunOutcome | None = None) -> CrawlRun:
    """A run of a new source, which goes on unless it has an outcome."""
    now = service.clock.now()
    new = sources.NewSource(url=f"https://{uuid4()}.example/jobs", name=name)

    async def arrange(db: Connection) -> CrawlRun:
        source_id = await sources.add(db, new, stamp=Stamp("test", now))
        run_id = await runs.run_now(
            db, source_id, now=now, deadline=timedelta(hours=1), source_defaults=service.source_defaults
        )
        if outcome is not None:
            await crawl_runs.close(db, run_id, now=now, outcome=outcome, message="as it was", records_shown=0)
            job = await crawl_jobs.of_source(db, source_id)
            assert job is not None
            await set_job(db, job.id, now=now, state=JobState.SCHEDULED)
        run = await crawl_runs.get(db, run_id)
        assert run is not None
        return run

    return await service.db.write(arrange)


async def write_lines(
    service: Service, run: CrawlRun, *messages: str, action: LogAction = LogAction.PAGE_FAILED, **more: Any
) -> None:
    now = service.clock.now()
    lines = [run_log.line(run.id, action, text, at=now, **more) for text in messages]
    await service.db.write(lambda db: run_log.write(db, lines))


async def test_the_history_says_of_a_run_only_what_its_figures_do_not(ask: Ask, service: Service) -> None:
    run = await a_run(service)
    counts = "4 pages (0 unchanged, 0 refused, 0 failed), 9 records: 9 new, 0 changed, 0 as before, 0 skipped"
    message = f"stopped at its deadline; {counts}"
    closing = {"now": service.clock.now(), "outcome": RunOutcome.WARN, "message": message, "records_shown": 9}
    await service.db.write(lambda db: crawl_runs.close(db, run.id, **closing))

    reply = await ask("/runs")

    assert "stopped at its deadline" in reply.text
    assert "as before" not in reply.text


async def test_an_empty_history_says_how_to_open_a_run(ask: Ask) -> None:
    assert "Run now" in (await ask("/runs")).text


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        pytest.param({}, {"Quay", "Dock"}, id="all"),
        pytest.param({"source": "quay"}, {"Quay"}, id="by name"),
        pytest.param({"outcome": "running"}, {"Dock"}, id="those that go on"),
        pytest.param({"outcome": "fail"}, {"Quay"}, id="those that failed"),
        pytest.param({"trigger": "schedule"}, set(), id="those that the schedule opened"),
        pytest.param({"outcome": "nonsense", "since": "whenever"}, {"Quay", "Dock"}, id="words that mean nothing"),
    ],
)
async def test_the_history_is_narrowed_down(ask: Ask, service: Service, query: dict[str, str], shown: set[str]) -> None:
    await a_run(service, "Quay", outcome=RunOutcome.FAIL)
    await a_run(service, "Dock")

    reply = await ask("/runs", query=query)

    assert reply.status == 200
    assert {name for name in ("Quay", "Dock") if f">{name}</a>" in reply.text} == shown


async def test_a_run_that_goes_on_can_be_cancelled_after_a_question(ask: Ask, service: Service) -> None:
    run = await a_run(service)
    path = f"/runs/{run.public_id}"

    question = await send_form(ask, f"{path}/cancel", BROWSER_FORM)
    still_open = (await ask(path)).text
    reply = await send_form(ask, f"{path}/cancel", BROWSER_FORM, confirmed="1")

    assert "Cancel run 1 of Quay Jobs?" in question.text
    assert "Cancel the run" in still_open
    assert (reply.status, reply.headers["location"]) == (303, path)
    assert "cancelled by local" in (await ask(path)).text


async def test_a_run_that_has_ended_can_be_run_again_and_leads_to_the_new_one(ask: Ask, service: Service) -> None:
    run = await a_run(service, outcome=RunOutcome.WARN)

    reply = await send_form(ask, f"/runs/{run.public_id}/again", BROWSER_FORM)

    assert reply.status == 303
    assert reply.headers["location"] != f"/runs/{run.public_id}"
    assert "Run 2 of" in (await ask(reply.headers["location"])).text


async def test_while_all_crawling_is_paused_it_is_not_run_again(ask: Ask, service: Service) -> None:
    run, now = await a_run(service, outcome=RunOutcome.OK), service.clock.now()
    await service.db.write(lambda db: crawl_pause.pause(db, reason="the proxies move", stamp=Stamp("mara", now)))

    reply = await send_form(ask, f"/runs/{run.public_id}/again", BROWSER_FORM)

    assert reply.status == 409
    assert "the proxies move" in reply.text


async def test_one_run_shows_its_figures_its_log_and_its_pages(ask: Ask, service: Service) -> None:
    run = await a_run(service, outcome=RunOutcome.WARN)

    text = (await ask(f"/runs/{run.public_id}")).text

    assert "as it was" in text
    assert "run 1 of &#39;Quay Jobs&#39; opened (manual)" in text
    assert "Pages <span" in text
    assert "data-stream" not in text


async def test_the_figures_of_a_run_are_shown_and_one_of_old_has_none(ask: Ask, service: Service) -> None:
    old, run = await a_run(service, outcome=RunOutcome.OK), await a_run(service)
    figures = RunFigures(
        status_codes={"200": 3, "503": 1},
        response_ms=Times.of(10, 20, 30, 4000),
        errors={HOSTILE: 1},
        skipped={"robots_disallow": 7},
    )
    await service.db.write(
        lambda db: crawl_runs.add_up(db, {run.id: {}}, now=service.clock.now(), figures={run.id: figures})
    )

    text = (await ask(f"/runs/{run.public_id}/figures", hx_request="true")).text

    assert '<rect width="75.0"' in text
    assert f"{words.thousands(4000)} ms" in text
    assert "links skipped: robots disallow" in text
    assert "<img" not in text
    assert "run-metrics" not in (await ask(f"/runs/{old.public_id}")).text


async def test_a_run_of_more_pages_than_are_counted_says_so(
    ask: Ask, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = await a_run(service)
    monkeypatch.setattr(run_pages, "MOST_COUNTED", 0)

    whole = (await ask(f"/runs/{run.public_id}")).text
    renewed = (await ask(f"/runs/{run.public_id}/pages", hx_request="true", hx_target="run-pages")).text

    assert all('Pages <span class="quiet number">0+</span>' in text for text in (whole, renewed))


async def test_only_a_run_that_goes_on_is_listened_to(ask: Ask, service: Service) -> None:
    run = await a_run(service)

    text = (await ask(f"/runs/{run.public_id}")).text

    assert 'data-stream="/api/v1/jobs/' in text
    assert f'hx-get="/runs/{run.public_id}/figures"' in text


async def test_the_figures_of_a_run_that_has_ended_ask_for_themselves_no_more(ask: Ask, service: Service) -> None:
    run = await a_run(service, outcome=RunOutcome.OK)

    reply = await ask(f"/runs/{run.public_id}/figures", hx_request="true")

    assert reply.status == 200
    assert "hx-get" not in reply.text


async def test_the_log_is_filtered_without_a_script(ask: Ask, service: Service) -> None:
    run = await a_run(service)
    await write_lines(service, run, "one timeout", "two answers")
    await write_lines(service, run, "three TIMEOUTS", action=LogAction.ROBOTS_REFUSED, level=LogLevel.INFO)

    async def shown(**query: str) -> set[str]:
        text = (await ask(f"/runs/{run.public_id}/log", query=query)).text
        return {word for word in ("one timeout", "two answers", "three TIMEOUTS") if word in text}

    assert await shown(q="timeout") == {"one timeout", "three TIMEOUTS"}
    assert await shown(level="warning") == {"one timeout", "two answers"}
    assert await shown(category="robots") == {"three TIMEOUTS"}
    assert await shown(action="robots.refused") == {"three TIMEOUTS"}
    assert await shown(level="nonsense") == {"one timeout", "two answers", "three TIMEOUTS"}
    assert await shown(q="%") == set()


async def test_a_long_log_is_read_a_part_at_a_time(ask: Ask, service: Service) -> None:
    run = await a_run(service)
    await write_lines(service, run, *(f"line {number} of many" for number in range(600)))

    first = (await ask(f"/runs/{run.public_id}/log")).text
    further = first.partition('rel="next" href="')[2].partition('"')[0].replace("&amp;", "&")
    second = (await ask(further)).text

    assert "line 3 of many" in first
    assert "line 599 of many" not in first
    assert "line 599 of many" in second


async def test_what_sites_and_operators_wrote_is_never_markup(ask: Ask, service: Service) -> None:
    run = await a_run(service, HOSTILE)
    await write_lines(service, run, HOSTILE, url="javascript:alert(1)")

    for path in ("/crawl", "/runs", f"/runs/{run.public_id}", f"/runs/{run.public_id}/log"):
        text = (await ask(path)).text
        assert "<img" not in text, path
        assert 'href="javascript:' not in text, path


@pytest.mark.parametrize("rest", ["", "/log"])
async def test_a_run_that_is_not_there_is_not_found(ask: Ask, rest: str) -> None:
    assert (await ask(f"/runs/{uuid4()}{rest}")).status == 404


@pytest.mark.parametrize("verb", ["cancel", "again"])
async def test_nothing_can_be_done_with_a_run_that_is_not_there(ask: Ask, verb: str) -> None:
    assert (await send_form(ask, f"/runs/{uuid4()}/{verb}", BROWSER_FORM)).status == 404


async def test_what_is_taken_down_is_not_run_again(ask: Ask, service: Service) -> None:
    run = await a_run(service, outcome=RunOutcome.FAIL)
    await service.db.write(lambda db: takedowns.add(db, "example", stamp=Stamp("test", service.clock.now())))

    reply = await send_form(ask, f"/runs/{run.public_id}/again", BROWSER_FORM)

    assert reply.status == 409
    assert "takedown list" in reply.text


async def test_sources_that_are_named_after_one_host_are_told_apart(ask: Ask, service: Service) -> None:
    now = service.clock.now()

    async def arrange(db: Connection) -> None:
        for url in ("http://127.0.0.1:9/pans", "http://127.0.0.1:9/pots"):
            source_id = await sources.add(db, sources.NewSource(url=url), stamp=Stamp("test", now))
            await runs.run_now(
                db, source_id, now=now, deadline=timedelta(hours=1), source_defaults=service.source_defaults
            )

    await service.db.write(arrange)

    listed, going_on = (await ask("/runs")).text, (await ask("/crawl")).text

    for text in (listed, going_on):
        assert "127.0.0.1</a> <small>:9/pans</small>" in text
        assert "127.0.0.1</a> <small>:9/pots</small>" in text
