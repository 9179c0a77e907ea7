"""Thousands of sources are imported, a few of them bad: the start page names these and why, and the counts add up."""

from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from lamplighter.model.access import Stamp
from lamplighter.operations.alerts import notification_channels, notification_rules
from lamplighter.operations.alerts.notification_channels import ChannelSettings
from lamplighter.operations.alerts.notification_rules import RuleSettings
from tests.origin import Answer, Origin
from tests.service.in_process import going, quick_settings
from tests.service.waiting import until
from tests.web.asgi_client import Ask, ask_of

HOSTS = 20
#: path -> what is said of a source that begins there
BAD = {
    "/broken": "500",
    "/gone": "404",
    "/picture": "image",
    "/private": "robots.txt",
    "/cut": "",
}


def _site(number: int) -> Origin:
    """A host with lists that are fine, and pages that are not."""
    origin = Origin(host=f"127.0.1.{number + 1}")
    origin.robots("User-agent: *\nDisallow: /private")
    origin.otherwise(lambda request: Answer(headers={"Content-Type": "text/html"}, body=_list(request.path)))
    origin.route("/broken", Answer(status=500))
    origin.route("/gone", Answer(status=404))
    origin.route("/picture", Answer(headers={"Content-Type": "image/png"}, body=b"\x89PNG\r\n\x1a\n" + bytes(200)))
    origin.route("/cut", Answer(headers={"Content-Type": "text/html", "Content-Length": "500"}, body=b"<h1>"))
    return origin


def _list(path: str) -> bytes:
    rows = "".join(
        f'<li><a href="{path}/{number}">Field officer {number} for {path[1:]}</a> Oslo, 3 May 2027</li>'
        for number in range(3)
    )
    return f"<h1>Vacancies</h1><ul>{rows}</ul>".encode()


@pytest.mark.minutes
async def test_of_two_thousand_imported_sources_the_ten_bad_ones_are_named(tmp_path: Path) -> None:
    await _import_and_look(tmp_path, sources=2000)


async def test_of_a_hundred_imported_sources_the_ten_bad_ones_are_named(tmp_path: Path) -> None:
    await _import_and_look(tmp_path, sources=100)


async def _import_and_look(folder: Path, *, sources: int) -> None:
    async with AsyncExitStack() as stack:
        sites = [await stack.enter_async_context(_site(number)) for number in range(HOSTS)]
        hook = await stack.enter_async_context(Origin())
        hook.route("/hook", Answer(status=204))
        settings = quick_settings(
            folder,
            *sites,
            hook,
            min_delay_ms=1,
            max_pages=1,
            fetch_slots=32,
            runs_per_host=200,
            page_retries=3,
            read_timeout_seconds=3,
        )
        service = await stack.enter_async_context(going(settings))
        ask = ask_of(service)
        await _notify(service, hook.url + "/hook")
        bad = [f"{sites[number].url}{path}" for path in BAD for number in (0, 1)]
        good = [f"{sites[number % HOSTS].url}/list-{number}" for number in range(sources - len(bad))]
        rows = [*(f"{url},bad {url},high" for url in bad), *(f"{url},,normal" for url in good)]
        file = "\n".join(["url,name,priority", *rows])

        imported = await ask("/api/v1/sources/import", method="POST", body=file.encode(), content_type="text/csv")
        assert imported.json["created"] == sources
        await until(lambda: _are_known(ask, sources))

        states = (await ask.get("/api/v1/jobs/stats")).json["health"]
        page = (await ask("/")).text
        listed = {
            each["name"].removeprefix("bad "): each
            for state in ("failing", "blocked")
            for each in (await ask.get("/api/v1/sources", health=state, limit=50)).json["sources"]
        }

    assert sum(number for state, number in states.items() if state != "failed") == sources
    assert states["failing"] + states["blocked"] == len(bad)
    assert sorted(listed) == sorted(bad)
    for url, each in listed.items():
        words = next(words for path, words in BAD.items() if url.endswith(path))
        assert words in (each["last_run_message"] or ""), (url, each["last_run_message"])
    assert all(url in page for url in bad)
    assert len(hook.hits("/hook")) <= 3


async def _are_known(ask: Ask, sources: int) -> bool:
    states: dict[str, Any] = (await ask.get("/api/v1/jobs/stats")).json["health"]
    return states["failing"] + states["blocked"] == 10 and not states["running"] and not states["never_run"]


async def _notify(service: Any, url: str) -> None:
    """One rule tells of every new record, and one of every failing source."""
    now = service.clock.now()

    async def add(db: Any) -> None:
        settings = ChannelSettings(name="hook", kind="webhook", target=url)
        channel = await notification_channels.add(
            db, settings, messenger=service.notifying.messenger, stamp=Stamp("test", now)
        )
        for kind in ("records.new", "run.failed"):
            await notification_rules.add(
                db, RuleSettings(channel=channel.public_id, kind=kind), stamp=Stamp("test", now)
            )

    await service.db.write(add)
