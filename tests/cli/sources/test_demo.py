"""When are the demo's sites watched?"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from lamplighter.app import Store, default_policy, open_store
from lamplighter.cli.sources import demo
from lamplighter.demo.registration import demo_sources as planned_for
from lamplighter.model.access import Stamp
from lamplighter.operations.sources import demo_sources, sources
from lamplighter.rules.urls import urls
from lamplighter.settings import Settings, load
from lamplighter.store.hosts import hosts
from lamplighter.store.sources import sources as stored_sources


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load({"LAMPLIGHTER_DEMO_PAST_DAYS": "0"}, data_dir=tmp_path, port=8060)


@pytest.fixture
async def store(settings: Settings) -> AsyncIterator[Store]:
    async with open_store(settings) as opened:
        yield opened


async def watched(store: Store) -> set[str]:
    async with store.db.read() as db:
        return {source.url for source in await demo_sources.registered(db)}


async def test_every_site_is_watched_at_the_pace_it_allows(store: Store, settings: Settings) -> None:
    await demo.register(store.db, settings, now=store.clock.now())

    expected = planned_for(8061)
    assert await watched(store) == {source.url for source in expected}
    async with store.db.read() as db:
        host = await hosts.get(db, urls.parse(expected[0].url).host_key, defaults=default_policy(settings))
    assert host is not None
    assert (host.policy.min_delay, host.policy.max_pages) == (expected[0].min_delay, expected[0].max_pages)


async def test_a_site_that_was_removed_does_not_come_back(store: Store, settings: Settings) -> None:
    now, first = store.clock.now(), planned_for(8061)[0]
    await demo.register(store.db, settings, now=now)
    await store.db.write(lambda db: sources.remove(db, first.url, stamp=Stamp("test", now)))

    await demo.register(store.db, settings, now=now)

    assert first.url not in await watched(store)


async def test_the_demo_moves_with_the_port_and_what_a_person_labelled_so_stays(
    store: Store, settings: Settings
) -> None:
    now = store.clock.now()
    await demo.register(store.db, settings, now=now)
    mine = sources.NewSource(url="https://mine.example/", tags=("demo",))
    await store.db.write(lambda db: sources.add(db, mine, stamp=Stamp("test", now)))

    await demo.register(store.db, settings.model_copy(update={"port": 9060}), now=now)

    assert await watched(store) == {source.url for source in planned_for(9061)}
    async with store.db.read() as db:
        assert await stored_sources.by_url(db, mine.url) is not None


async def test_where_something_else_is_watched_no_site_is_served_and_it_is_said_what_would_bring_them(
    store: Store, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = sources.NewSource(url="https://mine.example/")
    await store.db.write(lambda db: sources.add(db, mine, stamp=Stamp("test", store.clock.now())))

    async with demo.web(settings) as addresses:
        said = capsys.readouterr().err

    assert addresses == ()
    assert said.startswith("The demo's sites are not served: ")
    assert said.endswith("make run DATA=data/demo, or lamplighter serve --demo --data data/demo.\n")
