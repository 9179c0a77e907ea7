"""One polite crawl from the command line."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from lamplighter.app import open_store
from lamplighter.settings import load
from lamplighter.store.schema import tables
from tests.cli.conftest import Lamplighter, job_page
from tests.origin import ThreadedOrigin
from tests.repository import ROOT


async def let_a_day_pass(environment: dict[str, str]) -> None:
    """Makes everything that was fetched a day older, and lets its rest be over."""
    async with open_store(load({}, data_dir=environment["LAMPLIGHTER_DATA_DIR"])) as store:
        yesterday = store.clock.now() - timedelta(hours=25)
        rested = sa.update(tables.pages).values(fetched_at=yesterday, rest_until=yesterday + timedelta(hours=24))
        await store.db.write(lambda db: db.execute(rested))


def test_a_crawl_answers_with_its_runs_and_records(lamplighter: Lamplighter, site: ThreadedOrigin) -> None:
    answer = lamplighter("crawl", f"{site.url}/jobs", "--json")

    assert answer.code == 0
    assert set(answer.json) == {"runs", "records"}
    assert set(answer.json["runs"][0]) == {"url", "outcome", "message", "tally", "metrics"}
    assert answer.json["runs"][0]["metrics"]["status_codes"]["200"] > 0
    assert answer.json["runs"][0]["outcome"] == "ok"
    assert {record["title"] for record in answer.json["records"]} == {"Harbour pilot", "Museum curator"}


def test_people_get_a_table_and_a_line_for_each_run(lamplighter: Lamplighter, site: ThreadedOrigin) -> None:
    answer = lamplighter("crawl", f"{site.url}/jobs")

    assert "Harbour pilot" in answer.out
    assert "Quay" in answer.out
    assert f"ok       {site.url}/jobs: 3 pages" in answer.out


def test_robots_txt_comes_first_and_the_delay_is_kept(lamplighter: Lamplighter, site: ThreadedOrigin) -> None:
    lamplighter("crawl", f"{site.url}/jobs", "--delay-ms", "150")

    assert site.log[0].path == "/robots.txt"
    assert len(site.log) == 4
    assert min(site.gaps()) >= 0.15


def test_records_of_pages_that_did_not_change_are_answered_again(
    lamplighter: Lamplighter, site: ThreadedOrigin
) -> None:
    first = lamplighter("crawl", f"{site.url}/jobs", "--json").json
    again = lamplighter("crawl", f"{site.url}/jobs", "--json").json

    assert again["runs"][0]["tally"]["pages_unchanged"] >= 1
    assert [record["url"] for record in again["records"]] == [record["url"] for record in first["records"]]


def test_a_record_that_its_listing_dropped_since_yesterday_is_not_answered_again(
    lamplighter: Lamplighter, site: ThreadedOrigin, environment: dict[str, str]
) -> None:
    lamplighter("crawl", f"{site.url}/jobs")
    asyncio.run(let_a_day_pass(environment))
    site.page("/jobs", '<title>Jobs</title><a href="/jobs/1">Pilot</a>', etag='"4"')

    records = lamplighter("crawl", f"{site.url}/jobs", "--json").json["records"]

    assert [record["title"] for record in records] == ["Harbour pilot"]


def test_what_robots_txt_forbids_is_not_asked_and_the_deciding_line_is_told(
    lamplighter: Lamplighter, site: ThreadedOrigin
) -> None:
    answer = lamplighter("crawl", f"{site.url}/private/list")

    assert answer.code == 1
    assert "Disallow: /private" in answer.out
    assert [hit.path for hit in site.log] == ["/robots.txt"]


def test_a_failure_is_told_at_once_instead_of_tried_again_later(lamplighter: Lamplighter, site: ThreadedOrigin) -> None:
    site.route("/jobs", status=404)

    answer = lamplighter("crawl", f"{site.url}/jobs", "--json")

    assert answer.code == 1
    assert answer.json["runs"][0]["outcome"] == "fail"
    assert "not_found" in answer.json["runs"][0]["message"]


def test_several_starts_are_crawled_together_and_each_once(lamplighter: Lamplighter, site: ThreadedOrigin) -> None:
    answer = lamplighter("crawl", f"{site.url}/jobs/1", f"{site.url}/jobs/2", f"{site.url}/jobs/1#top", "--json")

    assert [run["url"] for run in answer.json["runs"]] == [f"{site.url}/jobs/1", f"{site.url}/jobs/2"]
    assert len(answer.json["records"]) == 2


def test_depth_and_number_of_pages_are_kept(lamplighter: Lamplighter, site: ThreadedOrigin) -> None:
    lamplighter("crawl", f"{site.url}/jobs", "--depth", "page")
    lamplighter("crawl", f"{site.url}/jobs/1", "--max-pages", "1")

    assert [hit.path for hit in site.log if hit.path != "/robots.txt"] == ["/jobs", "/jobs/1"]


def test_a_recipe_reads_what_pages_do_not_say_themselves(
    lamplighter: Lamplighter, site: ThreadedOrigin, tmp_path: Path
) -> None:
    site.page("/plain", "<ul><li><b>Baker</b> <i>Mill</i></li><li><b>Miller</b> <i>Mill</i></li></ul>")
    recipe = tmp_path / "recipe.json"
    recipe.write_text('{"items": "li", "fields": {"title": "b", "organisation": "i"}}')

    answer = lamplighter("crawl", f"{site.url}/plain", "--kind", "job", "--recipe", recipe, "--json")

    assert [(record["kind"], record["title"]) for record in answer.json["records"]] == [
        ("job", "Baker"),
        ("job", "Miller"),
    ]


def test_json_lines_hold_one_record_each(lamplighter: Lamplighter, site: ThreadedOrigin, tmp_path: Path) -> None:
    file = tmp_path / "records.jsonl"

    lamplighter("crawl", f"{site.url}/jobs", "--output", file)

    found = [json.loads(line) for line in file.read_text().splitlines()]
    assert {record["title"] for record in found} == {"Harbour pilot", "Museum curator"}
    (source,) = lamplighter("sources", "list", "--json").json
    assert {record["source_id"] for record in found} == {source["id"]}


def test_a_watched_source_keeps_its_own_orders(lamplighter: Lamplighter, site: ThreadedOrigin) -> None:
    lamplighter("sources", "add", f"{site.url}/jobs", "--depth", "1")

    refused = lamplighter("crawl", f"{site.url}/jobs", "--depth", "2")
    followed = lamplighter("crawl", f"{site.url}/jobs", "--json")

    assert refused.code == 1
    assert "is a watched source" in refused.err
    assert followed.code == 0
    assert len(followed.json["records"]) == 2


@pytest.mark.parametrize(
    ("words", "told"),
    [
        pytest.param(["crawl", "jobs.example"], "'jobs.example'", id="no scheme"),
        pytest.param(["crawl", "ftp://a.example/"], "neither http nor https", id="not of the web"),
        pytest.param(["crawl", "http://u:secret@a.example/"], "credentials", id="a password"),
        pytest.param(["crawl", "http://a.example/", "--kind", "poem"], "poem", id="unknown kind"),
        pytest.param(["crawl", "http://a.example/", "--depth", "0"], "max_depth 0 is ambiguous", id="a depth of zero"),
        pytest.param(["crawl", "http://a.example/", "--recipe", "nowhere.json"], "nowhere.json", id="missing recipe"),
        pytest.param(["crawl", "http://a.example/", "--output", "records.xls"], ".jsonl or .csv", id="unknown format"),
        pytest.param(["crawl", "http://a.example/", "--output", "no/where.csv"], "no folder", id="missing folder"),
        pytest.param(["crawl"], "URL", id="nothing to crawl"),
    ],
)
def test_wrong_words_are_named_and_nothing_is_changed(
    lamplighter: Lamplighter, environment: dict[str, str], words: list[str], told: str
) -> None:
    answer = lamplighter(*words)

    assert answer.code == 2
    assert told in answer.err
    assert "Traceback" not in answer.err
    assert "secret" not in answer.err
    assert not Path(environment["LAMPLIGHTER_DATA_DIR"]).exists()


@pytest.mark.parametrize("text", ["{", "[]", '{"itms": "li"}', '{"items": "li["}'])
def test_a_recipe_that_could_never_work_is_refused(lamplighter: Lamplighter, tmp_path: Path, text: str) -> None:
    recipe = tmp_path / "recipe.json"
    recipe.write_text(text)

    assert lamplighter("crawl", "http://a.example/", "--recipe", recipe).code == 2


def test_interrupting_stops_gracefully_and_the_same_command_goes_on(
    lamplighter: Lamplighter, environment: dict[str, str], site: ThreadedOrigin
) -> None:
    site.page("/jobs", "".join(f'<a href="/jobs/{n}">{n}</a>' for n in range(1, 6)), etag='"1"')
    for n in range(3, 6):
        site.page(f"/jobs/{n}", job_page(f"Job {n}"))
    command = [sys.executable, "-m", "lamplighter", "crawl", f"{site.url}/jobs", "--delay-ms", "1500"]
    source = str(ROOT / "src")
    with subprocess.Popen(
        command, env=environment | {"PYTHONPATH": source}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        while not site.hits("/jobs"):
            time.sleep(0.05)
        os.kill(running.pid, signal.SIGINT)
        out, err = running.communicate(timeout=120)

    resumed = lamplighter("crawl", f"{site.url}/jobs", "--delay-ms", "10", "--json")

    assert running.returncode == 1
    assert "Stopping" in err
    assert "run the same command to continue" in out
    assert resumed.code == 0
    assert len(resumed.json["records"]) == 5
    assert len(site.hits("/jobs")) == 1
