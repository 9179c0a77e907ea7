"""What is watched: list, add, remove."""

from pathlib import Path
from uuid import UUID

import pytest

from tests.cli.conftest import Lamplighter
from tests.origin import ThreadedOrigin

URL = "https://quay.example/jobs"


def test_an_added_source_is_listed_with_what_was_said_of_it(lamplighter: Lamplighter, tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.json"
    recipe.write_text('{"items": "li", "fields": {"title": "b"}}')

    options = ["--name", "Quay", "--kind", "job", "--depth", "1", "--max-pages", "7", "--interval-minutes", "90"]
    added = lamplighter(
        "sources", "add", URL, *options, "--priority", "80", "--tag", "b", "--tag", "a", "--recipe", recipe
    )
    (source,) = lamplighter("sources", "list", "--json").json

    assert added.code == 0
    assert {name: source[name] for name in ("url", "name", "kind", "priority", "max_depth", "max_pages", "tags")} == {
        "url": URL,
        "name": "Quay",
        "kind": "job",
        "priority": 80,
        "max_depth": 1,
        "max_pages": 7,
        "tags": ["a", "b"],
    }
    assert source["interval_seconds"] == 5400


def test_settings_have_the_names_of_the_api_and_their_shorter_ones(lamplighter: Lamplighter) -> None:
    for number, words in enumerate((["--max-depth", "2", "--no-recurring"], ["--depth", "2", "--once"])):
        lamplighter("sources", "add", f"https://quay.example/{number}", *words)

    assert [source["max_depth"] for source in lamplighter("sources", "list", "--json").json] == [2, 2]
    assert lamplighter("sources", "export", "--format", "json").out.count('"recurring":false') == 2


def test_a_program_learns_the_id_by_which_api_and_records_know_a_source(lamplighter: Lamplighter) -> None:
    added = lamplighter("sources", "add", URL, "--json").json
    (listed,) = lamplighter("sources", "list", "--json").json

    assert str(UUID(added["id"])) == listed["id"]
    assert (added["url"], added["state"]) == (URL, None)


def test_an_empty_list_says_how_to_begin(lamplighter: Lamplighter) -> None:
    assert "lamplighter sources add URL" in lamplighter("sources", "list").out


def test_people_read_a_table(lamplighter: Lamplighter) -> None:
    lamplighter("sources", "add", URL, "--name", "Quay [red]")

    assert "Quay [red]" in lamplighter("sources", "list").out


def test_a_deep_source_is_allowed_and_remarked_on(lamplighter: Lamplighter) -> None:
    answer = lamplighter("sources", "add", URL, "--depth", "9")

    assert answer.code == 0
    assert "max_depth 9 is deep" in answer.err


def test_a_source_is_watched_once(lamplighter: Lamplighter) -> None:
    lamplighter("sources", "add", URL)

    answer = lamplighter("sources", "add", f"{URL}#top")

    assert answer.code == 2
    assert "is already source" in answer.err


def test_removing_forgets_one_or_all_with_a_label(lamplighter: Lamplighter) -> None:
    for number in range(3):
        lamplighter("sources", "add", f"{URL}/{number}", "--tag", "trial")

    one = lamplighter("sources", "remove", f"{URL}/0", "--yes")
    rest = lamplighter("sources", "remove", "--tag", "trial", "--yes")

    assert (one.out, rest.out) == ("Removed 1 source.\n", "Removed 2 sources.\n")
    assert lamplighter("sources", "list", "--json").json == []


def test_where_nobody_can_answer_removing_says_what_would_go_and_removes_nothing(
    lamplighter: Lamplighter, site: ThreadedOrigin
) -> None:
    lamplighter("sources", "add", URL, "--tag", "trial")
    lamplighter("sources", "add", site.url + "/jobs", "--tag", "trial")
    lamplighter("crawl", site.url + "/jobs")

    one = lamplighter("sources", "remove", site.url + "/jobs")
    both = lamplighter("sources", "remove", "--tag", "trial")

    assert (one.code, both.code) == (2, 2)
    assert (
        f"{site.url}/jobs with 3 pages, 2 records and 1 run would be removed for good; nothing was removed." in one.err
    )
    assert "2 sources with 3 pages, 2 records and 1 run would be removed" in both.err
    assert "Add --yes to confirm" in both.err
    assert len(lamplighter("sources", "list", "--json").json) == 2


def test_removing_what_is_not_watched_fails(lamplighter: Lamplighter) -> None:
    assert lamplighter("sources", "remove", URL).code == 1


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["add", "quay.example"], id="no scheme"),
        pytest.param(["add", URL, "--priority", "101"], id="priority too high"),
        pytest.param(["add", URL, "--interval-minutes", "0"], id="interval too short"),
        pytest.param(["add", URL, "--interval-minutes", "1e300"], id="interval beyond all time"),
        pytest.param(["add", URL, "--interval-minutes", "nan"], id="interval not a number"),
        pytest.param(["add", URL, "--interval-minutes", "52596000"], id="interval of a century"),
        pytest.param(["add", URL, "--min-interval-minutes", "60", "--max-interval-minutes", "30"], id="bounds swapped"),
        pytest.param(["add", URL, "--policy", "whim"], id="unknown policy"),
        pytest.param(["add", URL, "--country", "QZ"], id="unknown country"),
        pytest.param(["add", URL, "--organisation-type", "circus"], id="unknown organisation type"),
        pytest.param(["add", URL, "--windows", "09:00-17:00 Mars/Olympus"], id="unknown zone"),
        pytest.param(["add", URL, "--windows", "09:00-09:00"], id="window of no length"),
        pytest.param(["remove"], id="remove nothing"),
        pytest.param(["remove", URL, "--tag", "a"], id="remove two things"),
    ],
)
def test_wrong_words_are_refused_and_nothing_is_changed(lamplighter: Lamplighter, words: list[str]) -> None:
    answer = lamplighter("sources", *words)

    assert answer.code == 2
    assert lamplighter("sources", "list", "--json").json == []


def test_a_schedule_is_changed_in_part(lamplighter: Lamplighter) -> None:
    lamplighter("sources", "add", URL, "--interval-minutes", "90", "--priority", "80")

    answer = lamplighter("sources", "schedule", URL, "--interval-minutes", "30", "--windows", "22:00-05:00")

    (source,) = lamplighter("sources", "list", "--json").json
    assert answer.code == 0
    assert (source["interval_seconds"], source["priority"]) == (1800, 80)


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        pytest.param([URL], "nothing to change", id="no change"),
        pytest.param([URL, "--policy", "whim"], "use fixed, yield_days", id="unknown policy"),
        pytest.param([URL, "--windows", "09:00-09:00"], "has no length", id="window of no length"),
    ],
)
def test_a_schedule_that_cannot_be_is_refused(lamplighter: Lamplighter, words: list[str], remedy: str) -> None:
    lamplighter("sources", "add", URL)

    answer = lamplighter("sources", "schedule", *words)

    assert answer.code == 2
    assert remedy in answer.err


def test_there_is_no_scheduling_what_is_not_watched(lamplighter: Lamplighter) -> None:
    assert lamplighter("sources", "schedule", URL, "--priority", "7").code == 1


def test_a_source_is_disabled_enabled_deleted_and_restored(lamplighter: Lamplighter) -> None:
    lamplighter("sources", "add", URL)

    words = [
        lamplighter("sources", "disable", URL, "--reason", "moves house").out,
        lamplighter("sources", "disable", URL).out,
        lamplighter("sources", "enable", URL).out,
        lamplighter("sources", "delete", URL).out,
        lamplighter("sources", "restore", URL).out,
    ]
    refused = lamplighter("sources", "restore", URL)

    assert words == [
        f"{URL} is disabled.\n",
        f"{URL} was disabled already.\n",
        f"{URL} is enabled.\n",
        f"{URL} is deleted. Kept: 0 pages, 0 records, 0 runs.\n",
        f"{URL} is restored.\n",
    ]
    assert (refused.code, "nothing to restore" in refused.err) == (1, True)


def test_a_file_is_imported_and_every_refused_row_is_told(lamplighter: Lamplighter, tmp_path: Path) -> None:
    file = tmp_path / "sources.csv"
    file.write_text(f"url,name,priority\n{URL},Quay,high\n{URL}#again,,\nhttps://b.example/,,urgent\n")

    rehearsed = lamplighter("sources", "import", file, "--dry-run")
    none = lamplighter("sources", "list", "--json").json
    imported = lamplighter("sources", "import", file)

    assert (rehearsed.code, rehearsed.out) == (1, "1 could be added, 1 already known, 1 refused.\n")
    assert none == []
    assert (imported.code, imported.out) == (1, "1 added, 1 already known, 1 refused.\n")
    assert "Line 4: priority 'urgent' is unknown" in imported.err


@pytest.mark.parametrize("ending", [".csv", ".json", ".jsonl", ".opml", ".txt"])
def test_what_is_exported_can_be_imported_again(lamplighter: Lamplighter, tmp_path: Path, ending: str) -> None:
    lamplighter("sources", "add", URL, "--name", "Quay", "--tag", "sea")
    file = tmp_path / f"sources{ending}"

    exported = lamplighter("sources", "export", file)
    lamplighter("sources", "remove", URL, "--yes")
    imported = lamplighter("sources", "import", file, "--json")

    assert (exported.code, imported.code) == (0, 0)
    assert [row["status"] for row in imported.json] == ["created"]


def test_an_export_without_a_file_is_printed(lamplighter: Lamplighter) -> None:
    lamplighter("sources", "add", URL)

    assert lamplighter("sources", "export", "--format", "urls").out == f"{URL}\n"


def test_the_list_is_filtered_as_the_start_page_is_and_an_unknown_state_is_refused(lamplighter: Lamplighter) -> None:
    lamplighter("sources", "add", URL, "--name", "Quay", "--tag", "sea")
    lamplighter("sources", "add", "https://mill.example/jobs", "--name", "Mill")
    lamplighter("sources", "disable", "https://mill.example/jobs")

    filters = (["--tag", "sea"], ["--host", "mill.example"], ["--search", "QUAY"], ["--status", "deleted"])
    names = [[each["name"] for each in lamplighter("sources", "list", *each, "--json").json] for each in filters]
    refused = lamplighter("sources", "list", "--status", "wobbly")

    assert names == [["Quay"], ["Mill"], ["Quay"], []]
    assert refused.code != 0
    assert "wobbly" in refused.err


def test_an_action_by_filter_needs_a_filter_and_an_agreement_and_says_what_it_did(lamplighter: Lamplighter) -> None:
    lamplighter("sources", "add", URL, "--tag", "sea")
    lamplighter("sources", "add", "https://mill.example/jobs")

    unnamed = lamplighter("sources", "bulk", "disable", "--yes")
    unasked = lamplighter("sources", "bulk", "disable", "--tag", "sea")
    done = lamplighter("sources", "bulk", "disable", "--tag", "sea", "--yes")
    more = lamplighter("sources", "bulk", "set_max_pages", "--max-pages", "90", "--all", "--yes")

    assert "--all" in unnamed.err
    assert "nothing was changed" in unasked.err
    assert more.out.strip() == "set_max_pages: 2 sources changed, 0 unchanged, 0 refused."
    assert done.out.strip() == "disable: 1 source changed, 0 unchanged, 0 refused."
    assert [(each["url"], each["enabled"]) for each in lamplighter("sources", "list", "--json").json] == [
        ("https://mill.example/jobs", True),
        (URL, False),
    ]


def test_a_source_that_fails_is_listed_with_the_reason(lamplighter: Lamplighter, site: ThreadedOrigin) -> None:
    missing = site.url + "/nowhere"
    lamplighter("sources", "add", missing, "--name", "Nowhere")
    lamplighter("crawl", missing)

    assert "not_found: HTTP 404" in " ".join(lamplighter("sources", "list", "--status", "attention").out.split())


@pytest.mark.parametrize(("given", "answered"), [("page", "page"), ("1", 1), ("100", 100), ("-1", -1)])
def test_a_depth_is_listed_as_it_was_given(lamplighter: Lamplighter, given: str, answered: str | int) -> None:
    lamplighter("sources", "add", URL, "--depth", given)

    (source,) = lamplighter("sources", "list", "--json").json
    assert source["max_depth"] == answered


def test_a_depth_of_zero_is_refused_with_what_to_write_instead(lamplighter: Lamplighter) -> None:
    refused = lamplighter("sources", "add", URL, "--depth", "0")

    assert refused.code == 2
    assert 'use "page" for this page alone' in refused.err
