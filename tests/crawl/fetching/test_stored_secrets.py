"""Stored secrets, on the wire: sent as the recipe says, to their own origin and to nobody else."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import sqlalchemy as sa

from lamplighter.app import Service
from lamplighter.errors import BadSetting
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import RunOutcome
from lamplighter.operations.access import secrets
from lamplighter.settings import load
from lamplighter.store.access import audit_log
from lamplighter.store.access.audit_log import AuditFilter
from tests.origin import Origin
from tests.origin.answers import redirect
from tests.service.in_process import QUICK, asked, crawl, going, quick_settings
from tests.service.json_api import answers, recipe

Origins = Callable[..., Awaitable[Origin]]
HEADERS = {"Authorization": "Bearer {secret:Key}"}


async def keep(service: Service, name: str, value: str, *origins: Origin) -> None:
    now, sealed = service.clock.now(), secrets.seal(service.vault, value)
    hosts = [origin.address for origin in origins]
    await service.db.write(lambda db: secrets.put(db, name, sealed, hosts=hosts, stamp=Stamp("test", now)))
    await service.secrets.refresh()


async def test_a_stored_secret_is_sent_to_the_api_and_to_nobody_else(
    origin: Origin, origin_factory: Origins, tmp_path: Path
) -> None:
    other = await origin_factory()
    other.route("/api", answers(total=2, size=2))
    origin.route("/api", redirect(other.url + "/api"))

    async with going(quick_settings(tmp_path, origin, other)) as service:
        await keep(service, "key", "st0r3d", origin)
        await crawl(service, origin.url + "/api", recipe=recipe(headers=HEADERS), max_depth=0)

    assert [hit.headers.get("authorization") for hit in origin.hits("/api")] == ["Bearer st0r3d"]
    assert [hit.headers.get("authorization") for hit in other.hits("/api")] == [None]
    assert origin.hits("/robots.txt")[0].headers.get("authorization") is None
    assert b"st0r3d" not in (tmp_path / "lamplighter.db").read_bytes()


async def test_a_secret_of_the_environment_comes_first(origin: Origin, tmp_path: Path) -> None:
    origin.route("/api", answers(total=2, size=2))
    chosen = quick_settings(tmp_path, origin, secrets={"key": "from outside"})

    async with going(chosen) as service:
        await keep(service, "key", "st0r3d", origin)
        await crawl(service, origin.url + "/api", recipe=recipe(headers=HEADERS), max_depth=0)

    assert [hit.headers.get("authorization") for hit in origin.hits("/api")] == ["Bearer from outside"]


async def test_a_secret_whose_key_is_lost_is_named_and_nothing_is_asked(origin: Origin, tmp_path: Path) -> None:
    origin.route("/api", answers(total=2, size=2))

    async with going(quick_settings(tmp_path, origin)) as service:
        await keep(service, "key", "st0r3d", origin)
        (tmp_path / "keys").unlink()
        await keep(service, "other", "a", origin)
        run = await crawl(service, origin.url + "/api", recipe=recipe(headers=HEADERS), max_depth=0)
        simulated = await service.trying.simulator.simulate(
            origin.url + "/api", now=service.clock.now(), recipe=recipe(headers=HEADERS)
        )

    assert run.outcome is RunOutcome.FAIL
    assert "cannot be read" in (run.message or "")
    assert "cannot be read" in (simulated.trouble or "")
    assert asked(origin) == []


async def test_a_secret_is_not_sent_to_a_host_of_the_operators_own_and_the_try_is_audited(
    origin: Origin, origin_factory: Origins, tmp_path: Path
) -> None:
    thief = await origin_factory()
    thief.route("/api", answers(total=2, size=2))
    named = recipe(headers=HEADERS)

    async with going(quick_settings(tmp_path, origin, thief)) as service:
        await keep(service, "key", "st0r3d", origin)
        run = await crawl(service, thief.url + "/api", recipe=named, max_depth=0)
        tried = await service.trying.simulator.simulate(
            thief.url + "/api", now=service.clock.now(), recipe=named, by="user:eve"
        )
        async with service.db.read() as db:
            entries = await audit_log.listed(db, AuditFilter(action="secret.refuse"), limit=9, offset=0)

    assert run.outcome is RunOutcome.FAIL
    assert f"is not sent to {thief.address}: it is for {origin.address}" in (run.message or "")
    assert "lamplighter secrets hosts key" in (tried.trouble or "")
    assert asked(thief) == []
    assert {(entry.actor, entry.subject) for entry in entries} == {
        ("crawler", "secret:key"),
        ("user:eve", "secret:key"),
    }
    assert "st0r3d" not in str(entries)


async def test_a_secret_from_before_hosts_were_named_is_sent_nowhere_and_says_so(
    origin: Origin, tmp_path: Path
) -> None:
    origin.route("/api", answers(total=2, size=2))

    async with going(quick_settings(tmp_path, origin)) as service:
        await keep(service, "key", "st0r3d", origin)
        await service.db.write(lambda db: db.execute(sa.text("UPDATE secrets SET hosts = ''")))
        await service.secrets.refresh()
        run = await crawl(service, origin.url + "/api", recipe=recipe(headers=HEADERS), max_depth=0)

    assert "it says no hosts yet; an admin adds it with: lamplighter secrets hosts key" in (run.message or "")
    assert asked(origin) == []


async def test_a_secret_of_the_environment_goes_to_the_hosts_of_its_variable_only(
    origin: Origin, origin_factory: Origins, tmp_path: Path
) -> None:
    thief = await origin_factory()
    env = {"LAMPLIGHTER_SECRET_KEY": "s3cr3t", "LAMPLIGHTER_HOSTS_OF_SECRET_KEY": origin.address}
    hosts = f"{origin.address},{thief.address}"

    async with going(load(env, **(QUICK | {"data_dir": tmp_path, "allow_hosts": hosts}))) as service:
        run = await crawl(service, thief.url + "/api", recipe=recipe(headers=HEADERS), max_depth=0)

    assert "add it to LAMPLIGHTER_HOSTS_OF_SECRET_KEY" in (run.message or "")
    assert asked(thief) == []


def test_hosts_of_a_secret_that_is_not_set_stop_the_start() -> None:
    with pytest.raises(BadSetting, match="LAMPLIGHTER_SECRET_KEY, which is not set"):
        load({"LAMPLIGHTER_HOSTS_OF_SECRET_KEY": "a.example"})


async def test_a_secret_that_is_removed_is_sent_no_longer(origin: Origin, tmp_path: Path) -> None:
    async with going(quick_settings(tmp_path, origin)) as service:
        await keep(service, "key", "st0r3d", origin)
        now = service.clock.now()
        await service.db.write(lambda db: secrets.remove(db, "key", stamp=Stamp("test", now)))
        await service.secrets.refresh()

        assert "key" not in service.secrets
        assert "st0r3d" not in repr(service.secrets)
