"""Does a host answer through a proxy?"""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.app import open_service
from lamplighter.errors import BadInput, LeaseLost, NotFound, NotPossible
from lamplighter.model.access import Stamp
from lamplighter.model.visit import NO_VALIDATORS, Failed, Fault, Fetched, Redirected, Refusal, Refused, Visit
from lamplighter.operations.proxies import proxies as exits
from lamplighter.operations.proxies import proxy_trials
from lamplighter.operations.proxies.proxies import ProxySettings
from lamplighter.operations.proxies.proxy_trials import ProxyTrials, TrialOutcome, TrialPair
from lamplighter.settings import load
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.proxies import proxies
from lamplighter.store.schema import tables
from tests.changing import add_proxy
from tests.crawl.runs.runs_without_site import StoppedClock
from tests.moments import NOON
from tests.origin import Origin
from tests.proxies import HttpProxy, Mood, SocksProxy
from tests.store.given_rows import a_job, write

TOOK = timedelta(milliseconds=340)


def _fetched(url: str) -> Visit:
    return Fetched(url=url, status=200, body=b"", content_type=None, validators=NO_VALIDATORS, at=NOON, took=TOOK)


async def _always() -> bool:
    return True


def _trials(db: Database, answer: Callable[[int, str], Visit]) -> ProxyTrials:
    async def trial(proxy_id: int, url: str) -> Visit:
        return answer(proxy_id, url)

    return ProxyTrials(db, trial=trial, clock=StoppedClock())


async def _two_proxies(db: Connection) -> list[int]:
    return [await add_proxy(db, now=NOON, protocol="http", address=f"{name}.example", port=80) for name in "ab"]


async def _planned(db: Database, *names: str, most: int = 200) -> list[TrialPair]:
    exits = await write(db, _two_proxies)
    return await write(db, proxy_trials.plan, proxy_ids=exits, names=names, most=most, now=NOON)


async def _kept(db: Database) -> list[Any]:
    async with db.read() as connection:
        order = (tables.proxy_trials.c.host_id, tables.proxy_trials.c.proxy_id)
        return list((await connection.execute(sa.select(tables.proxy_trials).order_by(*order))).all())


async def test_a_host_is_tried_at_the_start_page_of_its_source_or_else_at_its_root(db: Database) -> None:
    await write(db, a_job, "watched")
    hosted = sa.insert(tables.hosts).values(key="watched.example", updated_at=NOON).returning(tables.hosts.c.id)
    host_id = await db.write(lambda c: c.scalar(hosted))
    await db.write(lambda c: c.execute(sa.update(tables.crawl_jobs).values(host_id=host_id)))
    await db.write(lambda c: c.execute(sa.update(tables.sources).values(url="https://watched.example/jobs")))

    cells = await _planned(db, "watched.example", "New.example:8443")

    assert [(cell.proxy, cell.url) for cell in cells] == [
        ("a.example:80", "https://new.example:8443/"),
        ("b.example:80", "https://new.example:8443/"),
        ("a.example:80", "https://watched.example/jobs"),
        ("b.example:80", "https://watched.example/jobs"),
    ]


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        pytest.param(_fetched, (True, 200, 340.0, None), id="answered"),
        pytest.param(
            lambda url: Redirected(url=url, status=301, target="https://b.example/", at=NOON, took=TOOK),
            (True, 301, 340.0, "redirects to https://b.example/"),
            id="answered with a redirection",
        ),
        pytest.param(
            lambda url: Failed(
                url=url, fault=Fault.CLIENT_ERROR, detail="answered 403", at=NOON, took=TOOK, status=403
            ),
            (False, 403, 340.0, "answered 403"),
            id="the host does not want this exit",
        ),
        pytest.param(
            lambda url: Failed(url=url, fault=Fault.CONNECT, detail="the proxy refused", at=NOON, took=TOOK),
            (False, None, 340.0, "the proxy refused"),
            id="the proxy does not work",
        ),
        pytest.param(
            lambda url: Refused(url=url, reason=Refusal.ROBOTS, detail="Disallow: /"),
            (False, None, None, "not fetched: Disallow: /"),
            id="we did not ask",
        ),
    ],
)
async def test_what_came_of_a_trial_is_kept_in_words(
    db: Database, answer: Callable[[str], Visit], kept: tuple[object, ...]
) -> None:
    cells = await _planned(db, "shop.example")

    await _trials(db, lambda proxy_id, url: answer(url)).one(cells[0])

    (row,) = await _kept(db)
    assert (row.ok, row.status, row.took_ms, row.detail) == kept
    assert row.at == NOON


async def test_a_trial_that_could_not_be_made_is_told_too(db: Database) -> None:
    cells = await _planned(db, "shop.example")

    def lose(proxy_id: int, url: str) -> Visit:
        raise LeaseLost("shop.example is held by another worker")

    outcome = await _trials(db, lose).one(cells[0])

    assert (outcome.tried.ok, outcome.tried.detail) == (False, "shop.example is held by another worker")


async def test_the_last_trial_of_a_pair_replaces_the_one_before(db: Database) -> None:
    cells = await _planned(db, "shop.example")
    answers = iter([Refused(url="", reason=Refusal.BREAKER, detail="broken"), _fetched("")])
    trials = _trials(db, lambda proxy_id, url: next(answers))

    await trials.one(cells[0])
    await trials.one(cells[0])

    (row,) = await _kept(db)
    assert (row.ok, row.detail) == (True, None)


async def test_a_proxy_that_was_removed_meanwhile_leaves_nothing_behind(db: Database) -> None:
    cells = await _planned(db, "shop.example")
    await write(db, proxies.remove, cells[0].proxy_id)

    await _trials(db, lambda proxy_id, url: _fetched(url)).one(cells[0])

    assert await _kept(db) == []


async def test_proxies_of_one_host_are_tried_one_after_the_other_and_hosts_side_by_side(db: Database) -> None:
    cells = await _planned(db, "a.test", "b.test")
    under_way: list[str] = []
    together: set[frozenset[str]] = set()

    async def trial(proxy_id: int, url: str) -> Visit:
        assert url not in under_way
        under_way.append(url)
        together.add(frozenset(under_way))
        await asyncio.sleep(0)
        under_way.remove(url)
        return _fetched(url)

    outcomes = await ProxyTrials(db, trial=trial, clock=StoppedClock()).run(cells, is_wanted=_always)

    assert len(outcomes) == 4
    assert frozenset({"https://a.test/", "https://b.test/"}) in together


async def test_nothing_more_is_tried_once_nobody_wants_to_know(db: Database) -> None:
    cells = await _planned(db, "shop.example")
    on_outcome: list[TrialOutcome] = []

    async def is_wanted() -> bool:
        return not on_outcome

    await _trials(db, lambda proxy_id, url: _fetched(url)).run(cells, is_wanted=is_wanted, on_outcome=on_outcome.append)

    assert [row.proxy_id for row in await _kept(db)] == [on_outcome[0].cell.proxy_id]


async def test_one_matrix_is_tried_at_a_time(db: Database) -> None:
    cells = await _planned(db, "shop.example")
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def trial(proxy_id: int, url: str) -> Visit:
        begun.set()
        await go_on.wait()
        return _fetched(url)

    trials = ProxyTrials(db, trial=trial, clock=StoppedClock())
    first = asyncio.create_task(trials.run(cells, is_wanted=_always))
    await begun.wait()

    with pytest.raises(NotPossible, match="already"):
        await trials.run(cells, is_wanted=_always)
    go_on.set()
    await first

    assert len(await trials.run(cells, is_wanted=_always)) == 2


async def test_a_matrix_has_its_bounds(db: Database) -> None:
    with pytest.raises(BadInput, match=r"6 trials are too many \(2 proxies with 3 hosts\); choose up to 5"):
        await _planned(db, "a.test", "b.test", "c.test", most=5)


@pytest.mark.parametrize(
    ("submitted", "error"),
    [
        pytest.param({"proxy_ids": [], "names": ["a.test"]}, BadInput, id="no proxy"),
        pytest.param({"proxy_ids": [1], "names": []}, BadInput, id="no host"),
        pytest.param({"proxy_ids": [77], "names": ["a.test"]}, NotFound, id="a proxy that is none"),
        pytest.param({"proxy_ids": [1], "names": ["not a host"]}, BadInput, id="a host that is none"),
    ],
)
async def test_what_cannot_be_tried_is_told(db: Database, submitted: dict[str, Any], error: type[Exception]) -> None:
    await write(db, _two_proxies)

    with pytest.raises(error):
        await write(db, proxy_trials.plan, now=NOON, **submitted)


async def test_real_proxies_are_tried_one_by_one_in_the_hosts_turn(
    tmp_path: Path, migrated_url: str, origin: Origin
) -> None:
    origin.page("/", "<title>Harbour</title>")
    settings = load({}, data_dir=tmp_path, database_url=migrated_url, allow_hosts="127.0.0.0/8", min_delay_ms=150)
    async with (
        HttpProxy(exit="127.0.0.11", username="anna", password="hunter2") as knows_us,
        SocksProxy(exit="127.0.0.12") as plain,
        HttpProxy(exit="127.0.0.13") as refuses,
        open_service(settings) as service,
    ):
        refuses.mood = Mood.REFUSE
        cells = []
        for each in (knows_us, plain, refuses):
            new, vault = ProxySettings(url=each.url), service.vault
            exit_id = await write(service.db, exits.add, new, vault=vault, stamp=Stamp("test", NOON))
            url = f"{origin.url}/"
            cells.append(await write(service.db, proxy_trials.plan_url, proxy_id=exit_id, url=url, now=NOON))

        outcomes = await service.trying.proxy_trials.run(cells, is_wanted=_always)
    assert [(each.tried.ok, each.tried.status) for each in outcomes] == [(True, 200), (True, 200), (False, None)]
    assert "407" in str(outcomes[2].tried.detail)
    asked = [hit for hit in origin.log if hit.path == "/"]
    assert [hit.peer for hit in asked] == ["127.0.0.11", "127.0.0.12"]
    assert asked[1].arrived - asked[0].arrived >= 0.15
