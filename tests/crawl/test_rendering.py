"""Pages that scripts fill: read in a browser where the host's operator allows it, and nowhere else."""

import json
from pathlib import Path

import pytest

from lamplighter.adapters import chromium
from lamplighter.model.crawl import Outcome
from lamplighter.operations import hosts
from tests.crawl.rounds import all_records, asked, crawl, crawl_again, going, quick_settings
from tests.origin import Answer, Origin

SHELL = '<html lang=en><title>Jobs</title><div id=app></div><script src="/app.js"></script></html>'
SCRIPT = """fetch("/api/jobs").then(answer => answer.json()).then(jobs => {
  document.getElementById("app").innerHTML = "<h1>Vacancies</h1><ul>" + jobs.map(job =>
    `<li><a href="/jobs/${job.id}">${job.title}</a> <span>Deadline: ${job.closes}</span></li>`).join("") + "</ul>";
})"""
JOBS = [
    {"id": 1, "title": "Lamp Trimmer, Night Shift", "closes": "2027-01-31"},
    {"id": 2, "title": "Harbour Light Engineer", "closes": "2027-02-15"},
    {"id": 3, "title": "Gas Mantle Inspector", "closes": "2027-03-01"},
    {"id": 4, "title": "Keeper of the North Pier", "closes": "2027-03-08"},
]


@pytest.fixture(autouse=True)
def patient_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    """A browser on a machine with much else to do needs its time between an answer and the next question."""
    monkeypatch.setattr(chromium, "_QUIET_SECONDS", 2)


def script_site(origin: Origin) -> None:
    origin.page("/jobs", SHELL, etag='"shell"')
    origin.route("/app.js", Answer(headers={"Content-Type": "text/javascript"}, body=SCRIPT.encode()))
    origin.route("/api/jobs", Answer(headers={"Content-Type": "application/json"}, body=json.dumps(JOBS).encode()))


async def test_what_scripts_show_is_read_where_the_operator_allows_them(origin: Origin, tmp_path: Path) -> None:
    script_site(origin)

    async with going(quick_settings(tmp_path, origin)) as service:
        now = service.clock.now()
        await service.db.write(lambda db: hosts.set_policy(db, origin.address, actor="t", now=now, allow_js=True))
        run = await crawl(service, origin.url + "/jobs", kind="job", max_depth=0)
        found = await all_records(service)

    assert run.outcome is Outcome.OK
    assert sorted(record.title for record in found) == sorted(job["title"] for job in JOBS)
    assert asked(origin) == ["/jobs", "/app.js", "/api/jobs"]
    assert min(origin.gaps()) >= 0.05


async def test_the_next_visit_asks_for_the_page_afresh_and_for_its_scripts_not_again(
    origin: Origin, tmp_path: Path
) -> None:
    script_site(origin)

    async with going(quick_settings(tmp_path, origin)) as service:
        now = service.clock.now()
        await service.db.write(lambda db: hosts.set_policy(db, origin.address, actor="t", now=now, allow_js=True))
        run = await crawl(service, origin.url + "/jobs", kind="job", max_depth=0)
        await crawl_again(service, run.source_id, number=2)

    assert [hit.headers.get("if-none-match") for hit in origin.hits("/jobs")] == [None, None]
    assert asked(origin) == ["/jobs", "/app.js", "/api/jobs", "/jobs", "/api/jobs"]


async def test_robots_txt_holds_for_what_scripts_ask_for(origin: Origin, tmp_path: Path) -> None:
    script_site(origin)
    origin.robots("User-agent: *\nDisallow: /api/\n")

    async with going(quick_settings(tmp_path, origin)) as service:
        now = service.clock.now()
        await service.db.write(lambda db: hosts.set_policy(db, origin.address, actor="t", now=now, allow_js=True))
        await crawl(service, origin.url + "/jobs", kind="job", max_depth=0)

    assert asked(origin) == ["/jobs", "/app.js"]


async def test_elsewhere_no_script_runs_and_the_run_says_what_is_missing(origin: Origin, tmp_path: Path) -> None:
    script_site(origin)

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/jobs", kind="job", max_depth=0)

    assert asked(origin) == ["/jobs"]
    assert run.outcome is Outcome.FAIL
    assert "needs JavaScript" in (run.message or "")
