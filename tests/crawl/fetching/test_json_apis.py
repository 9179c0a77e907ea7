"""JSON APIs, on the wire: their pages, their parameters, their secrets."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lamplighter.crawl.reading import source_cache
from lamplighter.model.crawl import RunOutcome
from tests.origin import Answer, Origin, Request
from tests.origin.answers import redirect
from tests.service.in_process import all_records, asked, crawl, crawl_again, first_run, going, quick_settings, watch
from tests.service.json_api import answers, recipe

Origins = Callable[..., Awaitable[Origin]]


PAGES = {"kind": "page", "param": "page", "start": 1, "size": 2, "size_param": "limit", "total_path": "meta.total"}


async def test_every_answer_of_an_api_is_asked_for_once_and_no_more(origin: Origin, tmp_path: Path) -> None:
    origin.route("/api", answers(total=5, size=2))

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/api", recipe=recipe(paging=PAGES), max_depth=0)
        found = await all_records(service)

    assert asked(origin) == [f"/api?limit=2&page={page}" for page in (1, 2, 3)]
    assert [record.title for record in found] == [f"Thing {n}" for n in range(5)]
    assert run.outcome is RunOutcome.OK


async def test_d9_an_api_whose_pages_never_end_ends_at_the_most_that_are_allowed(
    origin: Origin, tmp_path: Path
) -> None:
    origin.route("/api", answers(total=10**6, size=2))
    paging = PAGES | {"max_pages": 3, "total_path": None}

    async with going(quick_settings(tmp_path, origin)) as service:
        await crawl(service, origin.url + "/api", recipe=recipe(paging=paging), max_depth=0)

    assert len(asked(origin)) == 3


async def test_a_secret_is_sent_to_the_api_and_to_nobody_else(
    origin: Origin, origin_factory: Origins, tmp_path: Path
) -> None:
    other = await origin_factory()
    other.route("/api", answers(total=2, size=2))
    origin.route("/api", redirect(other.url + "/api"))
    chosen = quick_settings(tmp_path, origin, other, secrets={"key": "s3cr3t"})

    async with going(chosen) as service:
        await crawl(service, origin.url + "/api", recipe=recipe(headers={"X-Api-Key": "{secret:key}"}), max_depth=0)

    assert [hit.headers.get("x-api-key") for hit in origin.hits("/api")] == ["s3cr3t"]
    assert [hit.headers.get("x-api-key") for hit in other.log if hit.path == "/api"] == [None]
    assert origin.hits("/robots.txt")[0].headers.get("x-api-key") is None


async def test_a_missing_secret_is_named_and_nothing_is_asked(origin: Origin, tmp_path: Path) -> None:
    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(
            service, origin.url + "/api", recipe=recipe(headers={"X-Api-Key": "{secret:key}"}), max_depth=0
        )

    assert run.outcome is RunOutcome.FAIL
    assert "key" in (run.message or "")
    assert "missing_secret" in (run.message or "")
    assert asked(origin) == []


@pytest.fixture
def nothing_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sources are read from the database for every page, as when each page came seconds after the last."""
    monkeypatch.setattr(source_cache, "KEPT_SECONDS", 0.0)


@pytest.mark.usefixtures("nothing_remembered")
async def test_the_second_run_asks_for_what_changed_since_the_first(origin: Origin, tmp_path: Path) -> None:
    origin.route("/api", answers(total=2, size=2))
    since = {"param": "updated_since", "format": "epoch"}

    async with going(quick_settings(tmp_path, origin)) as service:
        source_id = await watch(service, origin.url + "/api", recipe=recipe(since=since), max_depth=0)
        first = await first_run(service, source_id)
        second = await crawl_again(service, source_id, number=2)

    assert asked(origin) == ["/api", f"/api?updated_since={int(first.started_at.timestamp())}"]
    assert second.outcome is RunOutcome.OK


async def test_an_answer_of_another_shape_says_which_path_is_not_there(origin: Origin, tmp_path: Path) -> None:
    origin.route("/api", Answer(headers={"Content-Type": "application/json"}, body=b'{"error": "no such index"}'))

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/api", recipe=recipe(), max_depth=0)

    assert run.outcome is RunOutcome.WARN
    assert "'data'" in (run.message or "")


async def test_what_an_api_did_not_repeat_because_it_did_not_change_is_not_gone(origin: Origin, tmp_path: Path) -> None:
    origin.route("/api", answers(total=3, size=3), answers(total=1, size=1))
    since = {"param": "updated_since", "format": "epoch"}

    async with going(quick_settings(tmp_path, origin)) as service:
        source_id = await watch(service, origin.url + "/api", recipe=recipe(since=since), kind="job", max_depth=0)
        await first_run(service, source_id)
        for number in (2, 3, 4):
            run = await crawl_again(service, source_id, number=number)
        found = await all_records(service)

    assert [record.gone_at for record in found] == [None] * 3
    assert run.outcome is RunOutcome.OK
    assert run.records_shown == 3


@pytest.mark.usefixtures("nothing_remembered")
async def test_nor_is_what_stood_in_answers_that_only_the_first_run_had_to_ask_for(
    origin: Origin, tmp_path: Path
) -> None:
    def answer(request: Request) -> Answer:
        if "updated_since" not in request.target:
            return answers(total=3, size=2)(request)
        latest = answers(total=1, size=2)(request)
        return replace(latest, body=latest.body.replace(b"Thing 0", b"Thing 0 of %d" % len(origin.log)))

    origin.route("/api", answer)
    since = {"param": "updated_since", "format": "epoch"}

    async with going(quick_settings(tmp_path, origin)) as service:
        how = recipe(since=since, paging=PAGES)
        source_id = await watch(service, origin.url + "/api", recipe=how, kind="job", max_depth=0)
        await first_run(service, source_id)
        for number in (2, 3, 4):
            await crawl_again(service, source_id, number=number)
        found = await all_records(service)

    assert [record.gone_at for record in found] == [None] * 3
