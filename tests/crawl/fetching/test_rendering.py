"""Pages that scripts fill: read in a browser where the host's operator allows it, and nowhere else."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from lamplighter.adapters.browser import chromium
from lamplighter.app.web_view import view_of
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import RunOutcome
from lamplighter.model.host import HostChange
from lamplighter.operations.fleet import crawl_pause
from lamplighter.operations.hosts import hosts
from lamplighter.operations.sources import sources
from tests.origin import Answer, Origin
from tests.service.in_process import all_records, asked, crawl, crawl_again, first_run, going, quick_settings, watch
from tests.service.waiting import all_given_back, asked_for, until

SHELL = '<html lang=en><title>Jobs</title><div id=app></div><script src="/app.js"></script></html>'
SCRIPT = """fetch("/api/jobs").then(answer => answer.json()).then(jobs => {
  document.getElementById("app").innerHTML = "<h1>Vacancies</h1><ul>" + jobs.map(job =>
    `<li><a href="/jobs/${job.id}">${job.title}</a> <span>Deadline: ${job.closes}</span></li>`).join("") + "</ul>";
})"""
#: asks again and again, until it gets what it shows
PATIENT_SCRIPT = """(async () => {
  for (let n = 1; ; n++) {
    const jobs = await (await fetch(`/api/jobs?try=${n}`)).json();
    if (!jobs.length) continue;
    document.getElementById("app").innerHTML = "<h1>Vacancies</h1><ul>" + jobs.map(job =>
      `<li><a href="/jobs/${job.id}">${job.title}</a> <span>Deadline: ${job.closes}</span></li>`).join("") + "</ul>";
    return;
  }
})()"""
JOBS = [
    {"id": 1, "title": "Lamp Trimmer, Night Shift", "closes": "2027-01-31"},
    {"id": 2, "title": "Harbour Light Engineer", "closes": "2027-02-15"},
    {"id": 3, "title": "Gas Mantle Inspector", "closes": "2027-03-01"},
    {"id": 4, "title": "Keeper of the North Pier", "closes": "2027-03-08"},
]


@pytest.fixture(autouse=True)
def patient_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    """A browser on a machine with much else to do needs its time between an answer and the next question."""
    monkeypatch.setattr(chromium, "QUIET_SECONDS", 4)


def script_site(origin: Origin, *, script: str = SCRIPT, jobs: Sequence[Mapping[str, Any]] = JOBS) -> None:
    origin.page("/jobs", SHELL, etag='"shell"')
    origin.route("/app.js", Answer(headers={"Content-Type": "text/javascript"}, body=script.encode()))
    origin.route("/api/jobs", Answer(headers={"Content-Type": "application/json"}, body=json.dumps(jobs).encode()))


async def test_what_scripts_show_is_read_and_can_be_pointed_at_where_the_operator_allows_them(
    origin: Origin, tmp_path: Path
) -> None:
    script_site(origin)

    async with going(quick_settings(tmp_path, origin)) as service:
        now = service.clock.now()
        await service.db.write(
            lambda db: hosts.set_policy(db, origin.address, HostChange(allow_js=True), stamp=Stamp("t", now))
        )
        run = await crawl(service, origin.url + "/jobs", kind="job", max_depth=0)
        found = await all_records(service)
        async with service.db.read() as db:
            source = await sources.find_by_url(db, origin.url + "/jobs")
        lessons = view_of(service).sites.lessons
        archived = (await lessons.stored(source)).body
        taught = await lessons.show(archived, head="", foot="", with_styles=True, now=now)

    assert run.outcome is RunOutcome.OK
    assert all(job["title"] in taught for job in JOBS)
    assert sorted(record.title for record in found) == sorted(job["title"] for job in JOBS)
    assert asked(origin) == ["/jobs", "/app.js", "/api/jobs"]
    assert min(origin.gaps()) >= 0.05


async def test_the_next_visit_asks_for_the_page_afresh_and_for_its_scripts_not_again(
    origin: Origin, tmp_path: Path
) -> None:
    script_site(origin)

    async with going(quick_settings(tmp_path, origin)) as service:
        now = service.clock.now()
        await service.db.write(
            lambda db: hosts.set_policy(db, origin.address, HostChange(allow_js=True), stamp=Stamp("t", now))
        )
        run = await crawl(service, origin.url + "/jobs", kind="job", max_depth=0)
        await crawl_again(service, run.source_id, number=2)

    assert [hit.headers.get("if-none-match") for hit in origin.hits("/jobs")] == [None, None]
    assert asked(origin) == ["/jobs", "/app.js", "/api/jobs", "/jobs", "/api/jobs"]


async def test_robots_txt_holds_for_what_scripts_ask_for(origin: Origin, tmp_path: Path) -> None:
    script_site(origin)
    origin.robots("User-agent: *\nDisallow: /api/\n")

    async with going(quick_settings(tmp_path, origin)) as service:
        now = service.clock.now()
        await service.db.write(
            lambda db: hosts.set_policy(db, origin.address, HostChange(allow_js=True), stamp=Stamp("t", now))
        )
        await crawl(service, origin.url + "/jobs", kind="job", max_depth=0)

    assert asked(origin) == ["/jobs", "/app.js"]


async def test_elsewhere_no_script_runs_and_the_run_says_what_is_missing(origin: Origin, tmp_path: Path) -> None:
    script_site(origin)

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/jobs", kind="job", max_depth=0)

    assert asked(origin) == ["/jobs"]
    assert run.outcome is RunOutcome.FAIL
    assert "needs JavaScript" in (run.message or "")


async def test_a_script_at_a_url_longer_than_we_take_is_refused_and_the_page_is_read_without_it(
    origin: Origin, tmp_path: Path
) -> None:
    script_site(origin)
    origin.page("/jobs", SHELL + f'<script src="/all.js?{"a" * 5000}"></script>')

    async with going(quick_settings(tmp_path, origin)) as service:
        now = service.clock.now()
        await service.db.write(
            lambda db: hosts.set_policy(db, origin.address, HostChange(allow_js=True), stamp=Stamp("t", now))
        )
        run = await crawl(service, origin.url + "/jobs", kind="job", max_depth=0)

    assert (run.outcome, run.tally.records_found) == (RunOutcome.OK, len(JOBS))
    assert asked(origin) == ["/jobs", "/app.js", "/api/jobs"]


async def test_b2_a_page_that_its_scripts_make_too_large_is_not_kept(origin: Origin, tmp_path: Path) -> None:
    script_site(origin, script='document.getElementById("app").textContent = "x".repeat(2 ** 20)')

    async with going(quick_settings(tmp_path, origin)) as service:
        now = service.clock.now()
        await service.db.write(
            lambda db: hosts.set_policy(db, origin.address, HostChange(allow_js=True), stamp=Stamp("t", now))
        )
        run = await crawl(service, origin.url + "/jobs", kind="job", max_depth=0)
        kept = await service.storing.archive.segments()

    assert run.outcome is RunOutcome.FAIL
    assert "its scripts make the page larger than 1024 KiB" in (run.message or "")
    assert kept == []


async def test_scripts_ask_for_nothing_while_all_stands_still_and_their_page_waits(
    origin: Origin, tmp_path: Path
) -> None:
    script_site(origin, script=PATIENT_SCRIPT, jobs=[])

    async with going(quick_settings(tmp_path, origin, min_delay_ms=150)) as service:
        now = service.clock.now()
        await service.db.write(
            lambda db: hosts.set_policy(db, origin.address, HostChange(allow_js=True), stamp=Stamp("t", now))
        )
        source_id = await watch(service, origin.url + "/jobs", kind="job", max_depth=0)
        await until(lambda: asked_for(origin, pages=3))
        now = service.clock.now()
        await service.db.write(lambda db: crawl_pause.pause(db, reason="stop", stamp=Stamp("t", now)))
        while service.crawl_pause.current is None:
            await service.crawl_pause.look()
        by_then = len(origin.log)
        await until(lambda: all_given_back(service))
        meanwhile = len(origin.log)
        script_site(origin, script=PATIENT_SCRIPT)
        await service.db.write(lambda db: crawl_pause.resume(db, stamp=Stamp("t", now)))
        run = await first_run(service, source_id)
        found = await all_records(service)

    assert meanwhile <= by_then + 1  # the one that was on its way
    assert (run.outcome, run.tally.pages_fetched) == (RunOutcome.OK, 1)
    assert len(found) == len(JOBS)
