"""All sources at a glance: one lamp each, by state, host or tag."""

import pytest

from lamplighter.app import Store
from tests.web.asgi_client import Ask
from tests.web.dashboard.sources.given_sources import add_source, change_job

EVIL = '"><img src=x onerror=alert(1)>'


async def _four(store: Store) -> None:
    await change_job(store, await add_source(store, "Quay", tags=("harbour",)), last_outcome="ok")
    await change_job(store, await add_source(store, "Tower", tags=("harbour",)), failure_count=2)
    await change_job(store, await add_source(store, f"Mill {EVIL}", url="https://mill.example/"), state="running")
    await add_source(store, "Forge", tags=("harbour",))


async def test_each_source_is_a_lamp_that_says_its_name_and_state_and_leads_to_it(ask: Ask, store: Store) -> None:
    await _four(store)

    text = (await ask("/lamps")).text
    led = await ask("/lamps/1")

    assert 'class="healthy" title="Quay: healthy"' in text
    assert 'class="failing" title="Tower: failing"' in text
    assert 'class="running" title="Mill &#34;&gt;&lt;img' in text
    assert 'class="never_run" title="Forge: never_run"' in text
    assert EVIL not in text
    assert led.status == 303
    assert "Quay" in (await ask(led.headers["location"])).text


@pytest.mark.parametrize(
    ("by", "groups"),
    [
        ("state", ["failing <small>1<", "running <small>1<", "healthy <small>1<", "never run <small>1<"]),
        ("tag", ["harbour <small>3<", "other tags, or none <small>1<"]),
        ("host", ["one source each <small>4<"]),
    ],
)
async def test_lamps_are_grouped(ask: Ask, store: Store, by: str, groups: list[str]) -> None:
    await _four(store)

    text = (await ask(f"/lamps?by={by}")).text

    places = [text.find(f"<h2>{group}") for group in groups]
    assert -1 not in places
    assert places == sorted(places)


async def test_only_lamps_that_changed_are_told_again(ask: Ask, store: Store) -> None:
    await _four(store)

    assert sorted((await ask("/lamps/changed?seconds=60")).json) == [
        [1, "healthy"],
        [2, "failing"],
        [3, "running"],
        [4, "never_run"],
    ]
    assert (await ask("/lamps/changed?seconds=-1")).status == 422
    assert (await ask("/lamps/99")).status == 404


async def test_without_sources_the_page_leads_to_the_first(ask: Ask) -> None:
    assert "No sources yet." in (await ask("/lamps")).text
