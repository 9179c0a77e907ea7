"""Sources in the words of job boards: the same sources, other names."""

import json
from typing import Any

import pytest

from lamplighter.app import Service, Store
from lamplighter.model.crawl import JobState, PauseReason
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.sources import sources
from tests.changing import set_job
from tests.origin import Origin
from tests.web.api.given_sources import watched
from tests.web.asgi_client import Ask

SOURCES = "/admin/sources"
URL = "https://harbour.example/jobs"
BOARD = {
    "org_name": "Harbour Relief",
    "careers_url": URL,
    "source_type": "rss",
    "org_type": "ngo",
    "crawl_frequency_days": 2,
    "parser_hint": "li.job",
    "time_window": "22:00-05:00",
    "country": "KE",
}


async def _add(ask: Ask, **said: Any) -> dict[str, Any]:
    reply = await ask.post(SOURCES, {"careers_url": URL, **said})
    assert reply.status == 201, reply.text
    added: dict[str, Any] = reply.json
    return added


async def test_what_a_job_board_says_comes_back_and_its_first_crawl_is_due(ask: Ask) -> None:
    source = await _add(ask, **BOARD)

    other_words = (await ask.get(f"/api/v1/sources/{source['id']}")).json
    assert {name: source[name] for name in BOARD} == BOARD
    assert (source["status"], source["consecutive_failures"], source["consecutive_nochange"]) == ("active", 0, 0)
    assert (source["last_crawled_at"], source["last_crawl_status"], source["last_crawl_message"]) == (None, None, None)
    assert source["next_run_at"] == source["created_at"]
    assert (other_words["recipe"]["items"], other_words["recipe"]["expects"]) == ("li.job", "feed")
    assert (other_words["kind"], other_words["interval_minutes"]) == ("job", 2880)
    assert other_words["windows"][0]["zone"] == "Africa/Nairobi"


async def test_a_source_is_changed_in_part_or_replaced(ask: Ask) -> None:
    path = f"{SOURCES}/{(await _add(ask, **BOARD))['id']}"

    changed = (await ask.patch(path, {"parser_hint": '{"exclude": ["/intern/"]}', "crawl_frequency_days": None})).json
    cleared = (await ask.patch(path, {"parser_hint": None})).json
    replaced = (await ask.put(path, {"careers_url": URL})).json

    assert (json.loads(changed["parser_hint"]), changed["source_type"]) == ({"exclude": ["/intern/"]}, "rss")
    assert (changed["crawl_frequency_days"], changed["time_window"]) == (3, "22:00-05:00")
    assert (cleared["parser_hint"], cleared["source_type"]) == (None, "rss")
    assert (replaced["org_name"], replaced["source_type"], replaced["org_type"]) == ("harbour.example", "html", None)


@pytest.mark.parametrize(
    ("said", "field", "remedy"),
    [
        pytest.param({"parser_hint": "//li"}, "parser_hint", "JSON object", id="neither selector nor recipe"),
        pytest.param({"parser_hint": '{"items": '}, "parser_hint", "not JSON", id="half a recipe"),
        pytest.param({"parser_hint": '{"itmes": "li"}'}, "parser_hint", "items", id="a misspelt recipe"),
        pytest.param({"source_type": "ftp"}, "source_type", "html", id="an unknown type"),
        pytest.param({"org_type": "circus"}, "org_type", "ngo", id="an unknown organisation"),
        pytest.param({"time_window": "22-05"}, "time_window", "HH:MM", id="hours without minutes"),
        pytest.param({"crawl_frequency_days": 0}, "crawl_frequency_days", "0.5", id="all the time"),
    ],
)
async def test_what_could_never_be_crawled_is_refused(ask: Ask, said: dict[str, Any], field: str, remedy: str) -> None:
    reply = await ask.post(SOURCES, BOARD | said)

    assert reply.status == 422
    assert any(error["field"].startswith(field) for error in reply.json["errors"])
    assert remedy in reply.text


async def test_pausing_and_resuming_by_verb_and_by_status(ask: Ask) -> None:
    path = f"{SOURCES}/{(await _add(ask))['id']}"

    words = [
        (await ask.post(f"{path}/pause")).json["status"],
        (await ask.post(f"{path}/resume")).json["status"],
        (await ask.patch(path, {"status": "paused"})).json["status"],
        (await ask.patch(path, {"status": "paused", "org_name": "Quay"})).json["status"],
        (await ask.patch(path, {"status": "active"})).json["status"],
        (await ask.post(f"{path}/disable")).json["status"],
        (await ask.patch(path, {"status": "active"})).json["status"],
    ]
    refused = await ask.post(f"{path}/resume")

    assert words == ["paused", "active", "paused", "paused", "active", "paused", "active"]
    assert (refused.status, refused.json["code"]) == (409, "not_possible")


@pytest.mark.parametrize(
    ("reason", "status", "message"),
    [
        pytest.param(PauseReason.ROBOTS, "blocked", "robots disallow", id="robots.txt"),
        pytest.param(PauseReason.BREAKER, "paused", "auto-paused after failures", id="the breaker"),
        pytest.param(PauseReason.USER, "paused", None, id="a person"),
    ],
)
async def test_who_stopped_a_source_shows_in_its_status_and_message(
    ask: Ask, store: Store, reason: PauseReason, status: str, message: str | None
) -> None:
    source = await _add(ask)

    async def stop(db: Connection) -> None:
        stored = await sources.by_public_id(db, source["id"])
        assert stored is not None
        job = await crawl_jobs.of_source(db, stored.id)
        assert job is not None
        values: dict[str, Any] = {"state": JobState.PAUSED, "pause_reason": reason, "failure_count": 5}
        await set_job(db, job.id, now=store.clock.now(), **values)

    await store.db.write(stop)
    (shown,) = (await ask.get(SOURCES, status=status, has_failures=True)).json["sources"]

    assert (shown["status"], shown["last_crawl_message"], shown["consecutive_failures"]) == (status, message, 5)


async def test_the_first_failure_of_a_source_counts_at_once_with_its_reason_and_its_next_try(
    service: Service, ask: Ask
) -> None:
    source = await watched(service, ask)

    await source.run(failed="timeout")
    (shown,) = (await ask.get(SOURCES)).json["sources"]
    (line,) = (await ask.get("/admin/crawl/logs")).json["logs"]

    assert (shown["consecutive_failures"], shown["retry_count"]) == (1, 1)
    assert (shown["last_crawl_status"], shown["last_crawl_message"]) == (
        "fail",
        "timeout: because (https://a.example/)",
    )
    assert shown["next_run_at"] is not None
    assert line["status"] == "fail"


async def test_a_list_is_filtered_sorted_and_counted_in_these_words(ask: Ask) -> None:
    await _add(ask, org_name="Quay", org_type="un")
    await _add(ask, org_name="Dock", careers_url="https://dock.example/")

    by_name = (await ask.get(SOURCES, sort="org_name", limit=1)).json
    by_type = (await ask.get(SOURCES, org_type="un", sort="last_crawled_at")).json

    assert ([source["org_name"] for source in by_name["sources"]], by_name["total"]) == (["Dock"], 2)
    assert [source["org_name"] for source in by_type["sources"]] == ["Quay"]


async def test_a_source_is_exported_purged_and_imported_again(ask: Ask) -> None:
    source = await _add(ask, **BOARD)
    path = f"{SOURCES}/{source['id']}"

    file = (await ask.get(f"{path}/export")).json
    deleted = (await ask.delete(path)).json
    gone = (await ask.delete(f"{path}/permanent")).status
    report = (await ask.post(f"{SOURCES}/import", file)).json
    (again,) = (await ask.get(SOURCES)).json["sources"]

    assert file == [BOARD | {"policy": "yield_days", "tags": []}]
    assert (deleted["status"], deleted["impact"], gone) == ("deleted", {"pages": 0, "records": 0, "runs": 0}, 200)
    assert report["created"] == 1
    assert {name: again[name] for name in BOARD} == BOARD


async def test_a_spreadsheet_of_boards_is_imported_and_bad_rows_are_told(ask: Ask) -> None:
    rows = [
        "org_name,careers_url,org_type,crawl_frequency_days",
        "Quay,https://quay.example/,un,often",
        "Dock,https://dock.example/,ngo,",
    ]

    report = (await ask.post(f"{SOURCES}/import", {"content": "\n".join(rows)})).json

    assert [row["status"] for row in report["rows"]] == ["invalid", "created"]
    assert (report["rows"][0]["field"], report["rows"][0]["value"]) == ("crawl_frequency_days", "often")


async def test_a_hint_that_is_a_selector_reads_the_elements_it_names(
    ask: Ask, origin: Origin, service: Service
) -> None:
    items = "".join(f'<li class="job"><a href="/jobs/{n}">Pilot {n}</a></li>' for n in range(5))
    origin.page("/jobs", f"<nav><ul><li><a href='/about'>About</a></li></ul></nav><ul>{items}</ul>", etag='"7"')
    source = await _add(ask, careers_url=f"{origin.url}/jobs", parser_hint="li.job", source_type="api")
    path = f"{SOURCES}/{source['id']}"

    fetched = (await ask.post(f"{path}/test")).json
    simulated = (await ask.post(f"{path}/simulate_extract")).json

    assert (fetched["ok"], fetched["status"], fetched["etag"], fetched["message"]) == (True, 200, '"7"', None)
    assert [record["title"] for record in simulated["records"]] == ["Pilot 0", "Pilot 1", "Pilot 2"]
    assert (simulated["records_found"], simulated["warnings"]) == (
        5,
        ["recipe: expects json, but the response is html"],
    )


async def test_many_at_once_and_a_copy(ask: Ask) -> None:
    source = await _add(ask, **BOARD)

    copied = await ask.post(f"{SOURCES}/{source['id']}/clone", {"url": "https://quay.example/"})
    report = (await ask.post(f"{SOURCES}/bulk", {"action": "disable", "filter": {"organisation_type": "ngo"}})).json
    restored = await ask.post(f"{SOURCES}/{source['id']}/restore")

    assert (copied.status, copied.json["parser_hint"]) == (201, "li.job")
    assert (report["matched"], report["changed"]) == (2, 2)
    assert restored.status == 409


async def test_a_browser_gets_the_page_of_sources_and_a_program_the_list(ask: Ask) -> None:
    browser = await ask("/admin/sources", accept="text/html,application/xhtml+xml,*/*;q=0.8")
    program = await ask("/admin/sources", accept="*/*")

    assert (browser.status, browser.headers["location"], browser.headers["vary"]) == (303, "/", "Accept")
    assert (program.status, program.json["sources"]) == (200, [])
