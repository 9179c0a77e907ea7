"""Whoever types an address sees what its site answers, and the site hardly notices."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from lamplighter import app
from lamplighter.errors import BadInput
from lamplighter.operations.explain.source_preview import KEPT_FOR, FirstLook, FirstLooks
from tests.origin import Answer, Origin
from tests.service.in_process import quick_settings
from tests.service.sites import LISTING

PAGE = f"<html lang=en><head>{{head}}</head><h1>Vacancies</h1><ul>{LISTING}</ul></html>"


class Ahead:
    """A clock that can be put forward."""

    def __init__(self, clock: Any) -> None:
        self._clock = clock
        self.by: Any = None

    def now(self) -> Any:
        return self._clock.now() + self.by if self.by else self._clock.now()


@asynccontextmanager
async def looks(folder: Path, origin: Origin, **more: Any) -> AsyncIterator[tuple[FirstLooks, Ahead]]:
    async with app.open_trials(quick_settings(folder, origin, **more)) as opened:
        clock = Ahead(opened.clock)
        yield FirstLooks(opened.simulator, clock=clock), clock


async def _yes() -> bool:
    return True


async def _no() -> bool:
    return False


async def _look(at: FirstLooks, url: str, **recipe: Any) -> FirstLook:
    look = await at.look(url, recipe=recipe, kind=None, is_wanted=_yes)
    assert look is not None
    return look


async def test_it_tells_what_the_site_answered_and_what_a_run_would_find(origin: Origin, tmp_path: Path) -> None:
    origin.robots("User-agent: *\nAllow: /jobs\nDisallow: /\n")
    origin.page("/jobs", PAGE.format(head='<link rel=alternate type="application/rss+xml" href="/feed.xml">'))

    async with looks(tmp_path, origin) as (at, _):
        look = await _look(at, f"{origin.url}/jobs")

    assert (look.status, look.content_type, look.allowed_by) == (200, "text/html; charset=utf-8", "Allow: /jobs")
    assert look.simulation.records_found == 7
    assert look.simulation.feeds == (f"{origin.url}/feed.xml",)
    assert [hit.method for hit in origin.hits("/jobs")] == ["GET"]


async def test_an_address_is_asked_for_once_however_often_it_is_looked_at(origin: Origin, tmp_path: Path) -> None:
    origin.page("/jobs", PAGE.format(head=""))

    async with looks(tmp_path, origin) as (at, _):
        await asyncio.gather(*(_look(at, f"{origin.url}/jobs") for _ in range(5)))
        other = await _look(at, f"{origin.url}/jobs", items="li", fields={"title": "span"})

    assert len(origin.hits("/jobs")) == 1
    assert other.simulation.records[0]["title"].startswith("Deadline")


async def test_an_answer_is_not_kept_for_long(origin: Origin, tmp_path: Path) -> None:
    origin.page("/jobs", PAGE.format(head=""))

    async with looks(tmp_path, origin) as (at, clock):
        await _look(at, f"{origin.url}/jobs")
        clock.by = KEPT_FOR
        await _look(at, f"{origin.url}/jobs")

    assert len(origin.hits("/jobs")) == 2


async def test_of_one_host_one_address_is_asked_for_at_a_time_with_its_delay_between(
    origin: Origin, tmp_path: Path
) -> None:
    for path in ("/a", "/b", "/c"):
        origin.page(path, PAGE.format(head=""))

    async with looks(tmp_path, origin, min_delay_ms=200) as (at, _):
        await asyncio.gather(*(_look(at, f"{origin.url}{path}") for path in ("/a", "/b", "/c")))

    assert origin.max_in_flight == 1
    assert min(origin.gaps()) >= 0.2


async def test_what_nobody_waits_for_any_more_is_not_asked_for(origin: Origin, tmp_path: Path) -> None:
    origin.page("/jo", PAGE.format(head=""))

    async with looks(tmp_path, origin) as (at, _):
        look = await at.look(f"{origin.url}/jo", recipe=None, kind=None, is_wanted=_no)

    assert look is None
    assert origin.log == []


async def test_a_refusal_names_the_line_that_decided(origin: Origin, tmp_path: Path) -> None:
    origin.robots("User-agent: *\nDisallow: /jobs\n")

    async with looks(tmp_path, origin) as (at, _):
        look = await _look(at, f"{origin.url}/jobs")

    assert "'Disallow: /jobs' (line 2 of" in (look.refused or "")
    assert (look.status, look.took, origin.hits("/jobs")) == (None, None, [])


async def test_a_page_that_cannot_be_had_is_told_with_its_status(origin: Origin, tmp_path: Path) -> None:
    origin.route("/jobs", Answer(status=404))

    async with looks(tmp_path, origin) as (at, _):
        look = await _look(at, f"{origin.url}/jobs")

    assert (look.status, look.failed) == (404, "HTTP 404")


@pytest.mark.parametrize(
    ("url", "recipe", "field"),
    [
        pytest.param("ftp://a.example/", {}, "url", id="no address of the web"),
        pytest.param("https://a.example/", {"itmes": "li"}, "recipe", id="a recipe that could never be read"),
        pytest.param(
            "https://a.example/", {"api": {"headers": {"X": "{secret:board}"}}}, "recipe", id="a secret that is not set"
        ),
    ],
)
async def test_what_cannot_be_tried_names_its_field(
    origin: Origin, tmp_path: Path, url: str, recipe: dict[str, Any], field: str
) -> None:
    async with looks(tmp_path, origin) as (at, _):
        with pytest.raises(BadInput) as refused:
            await _look(at, url, **recipe)

    assert refused.value.field == field
    assert origin.log == []
