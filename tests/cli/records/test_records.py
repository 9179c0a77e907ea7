"""What was found: list, show, remove, restore."""

import csv
import io
import json
from pathlib import Path
from xml.etree import ElementTree

from tests.cli.conftest import Lamplighter
from tests.origin import ThreadedOrigin


def _ids(lamplighter: Lamplighter) -> dict[str, str]:
    return {record["title"]: record["id"] for record in lamplighter("records", "list", "--json").json}


def test_what_was_crawled_is_listed(lamplighter: Lamplighter, site: ThreadedOrigin) -> None:
    lamplighter("crawl", site.url + "/jobs")

    everything = lamplighter("records", "list").out
    jobs = lamplighter("records", "list", "--kind", "job", "--source", site.url + "/jobs", "--json").json

    assert "Harbour pilot" in everything
    assert {"Harbour pilot", "Museum curator"} <= {record["title"] for record in jobs}
    assert {record["state"] for record in jobs} == {"present"}


def test_words_find_the_records_that_have_them(lamplighter: Lamplighter, site: ThreadedOrigin) -> None:
    lamplighter("crawl", site.url + "/jobs")

    found = lamplighter("records", "list", "--search", "harb* -curator", "--json").json

    assert [record["title"] for record in found] == ["Harbour pilot"]


def test_nothing_found_is_said(lamplighter: Lamplighter) -> None:
    assert lamplighter("records", "list", "--gone").out == "No records found.\n"


def test_a_record_is_shown_with_the_method_behind_each_value(lamplighter: Lamplighter, site: ThreadedOrigin) -> None:
    lamplighter("crawl", site.url + "/jobs")
    record_id = _ids(lamplighter)["Harbour pilot"]

    shown = lamplighter("records", "show", record_id).out
    told = lamplighter("records", "show", record_id, "--json").json

    assert "title: Harbour pilot  [jsonld, 0.90]" in shown
    assert f"{site.url}/jobs/1 (its own page) since" in shown
    assert told["told_by"] == f"{site.url}/jobs/1"


def test_a_removed_record_stays_away_until_it_is_restored(lamplighter: Lamplighter, site: ThreadedOrigin) -> None:
    lamplighter("crawl", site.url + "/jobs")
    answer = lamplighter("records", "remove", _ids(lamplighter)["Harbour pilot"], "--reason", "its author asked")
    identity = answer.out.split("records restore ")[1].split("`")[0]

    removed = lamplighter("records", "show", identity)
    restored = lamplighter("records", "restore", identity)

    assert (answer.code, removed.code, restored.code) == (0, 1, 0)
    assert "'Harbour pilot' may be stored again, when a page that shows it is next parsed" in restored.out


def test_removing_needs_a_reason(lamplighter: Lamplighter) -> None:
    assert lamplighter("records", "remove", "x").code == 2


def test_a_pipe_gets_every_record_whole_on_a_line_of_its_own(lamplighter: Lamplighter, site: ThreadedOrigin) -> None:
    lamplighter("crawl", f"{site.url}/jobs", "--delay-ms", "0")
    records = lamplighter("records", "list", "--json").json

    lines = lamplighter("records", "list", COLUMNS="40").out.splitlines()

    assert [line.split()[0] for line in lines] == ["ID", *(record["id"] for record in records)]
    assert [line.split()[-1] for line in lines] == ["URL", *(record["url"] for record in records)]


def test_records_are_exported_as_csv_json_lines_and_rss(
    lamplighter: Lamplighter, site: ThreadedOrigin, tmp_path: Path
) -> None:
    lamplighter("crawl", site.url + "/jobs")

    table, feed = tmp_path / "records.csv", tmp_path / "records.rss"
    written = [lamplighter("records", "export", file).code for file in (table, feed)]
    lines = lamplighter("records", "export", "--search", "harb* -curator", "--kind", "job").out.splitlines()
    unknown = lamplighter("records", "export", tmp_path / "records.xls")

    rows = list(csv.DictReader(io.StringIO(table.read_text())))
    assert written == [0, 0]
    assert {"Harbour pilot", "Museum curator"} <= {row["title"] for row in rows}
    assert [json.loads(line)["title"] for line in lines] == ["Harbour pilot"]
    assert "Harbour pilot" in [item.findtext("title") for item in ElementTree.fromstring(feed.read_text()).iter("item")]
    assert "--format csv, jsonl, json, rss" in unknown.err
