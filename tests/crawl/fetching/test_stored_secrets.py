"""Stored secrets, on the wire: sent as the recipe says, to their own origin and to nobody else."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from lamplighter.app import Service
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import RunOutcome
from lamplighter.operations.access import secrets
from tests.origin import Origin
from tests.origin.answers import redirect
from tests.service.in_process import asked, crawl, going, quick_settings
from tests.service.json_api import answers, recipe

Origins = Callable[..., Awaitable[Origin]]
HEADERS = {"Authorization": "Bearer {secret:Key}"}


async def keep(service: Service, name: str, value: str) -> None:
    now, sealed = service.clock.now(), secrets.seal(service.vault, value)
    await service.db.write(lambda db: secrets.put(db, name, sealed, stamp=Stamp("test", now)))
    await service.secrets.refresh()


async def test_a_stored_secret_is_sent_to_the_api_and_to_nobody_else(
    origin: Origin, origin_factory: Origins, tmp_path: Path
) -> None:
    other = await origin_factory()
    other.route("/api", answers(total=2, size=2))
    origin.route("/api", redirect(other.url + "/api"))

    async with going(quick_settings(tmp_path, origin, other)) as service:
        await keep(service, "key", "st0r3d")
        await crawl(service, origin.url + "/api", recipe=recipe(headers=HEADERS), max_depth=0)

    assert [hit.headers.get("authorization") for hit in origin.hits("/api")] == ["Bearer st0r3d"]
    assert [hit.headers.get("authorization") for hit in other.hits("/api")] == [None]
    assert origin.hits("/robots.txt")[0].headers.get("authorization") is None
    assert b"st0r3d" not in (tmp_path / "lamplighter.db").read_bytes()


async def test_a_secret_of_the_environment_comes_first(origin: Origin, tmp_path: Path) -> None:
    origin.route("/api", answers(total=2, size=2))
    chosen = quick_settings(tmp_path, origin, secrets={"key": "from outside"})

    async with going(chosen) as service:
        await keep(service, "key", "st0r3d")
        await crawl(service, origin.url + "/api", recipe=recipe(headers=HEADERS), max_depth=0)

    assert [hit.headers.get("authorization") for hit in origin.hits("/api")] == ["Bearer from outside"]


async def test_a_secret_whose_key_is_lost_is_named_and_nothing_is_asked(origin: Origin, tmp_path: Path) -> None:
    origin.route("/api", answers(total=2, size=2))

    async with going(quick_settings(tmp_path, origin)) as service:
        await keep(service, "key", "st0r3d")
        (tmp_path / "keys").unlink()
        await keep(service, "other", "a")
        run = await crawl(service, origin.url + "/api", recipe=recipe(headers=HEADERS), max_depth=0)
        simulated = await service.trying.simulator.simulate(
            origin.url + "/api", now=service.clock.now(), recipe=recipe(headers=HEADERS)
        )

    assert run.outcome is RunOutcome.FAIL
    assert "cannot be read" in (run.message or "")
    assert "cannot be read" in (simulated.trouble or "")
    assert asked(origin) == []


async def test_a_secret_that_is_removed_is_sent_no_longer(origin: Origin, tmp_path: Path) -> None:
    async with going(quick_settings(tmp_path, origin)) as service:
        await keep(service, "key", "st0r3d")
        now = service.clock.now()
        await service.db.write(lambda db: secrets.remove(db, "key", stamp=Stamp("test", now)))
        await service.secrets.refresh()

        assert "key" not in service.secrets
        assert "st0r3d" not in repr(service.secrets)
