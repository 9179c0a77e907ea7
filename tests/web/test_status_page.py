"""The public status page: off by default, and what strangers learn from it when it is on."""

import shutil
from pathlib import Path

import pytest
import sqlalchemy as sa

from lamplighter.app import Service
from lamplighter.model.access import Stamp
from lamplighter.operations.sources import sources
from lamplighter.operations.sources.sources import NewSource
from lamplighter.rules.urls.addresses import is_public_name
from lamplighter.settings import Settings, load
from lamplighter.store.schema import tables
from tests.web.asgi_client import Ask
from tests.web.hostile_text import XSS

PATH = "/status"


@pytest.fixture
def settings(tmp_path: Path, migrated_file: Path) -> Settings:
    """An installation with logins, one intranet host, and the page off."""
    shutil.copyfile(migrated_file, tmp_path / "lamplighter.db")
    return load(
        {}, data_dir=tmp_path, auth_jwt_secret="wick-and-oil-for-a-hundred-lamps-", allow_hosts="wiki.tide.example"
    )


async def add(service: Service, url: str, name: str, **more: object) -> int:
    new = NewSource(url=url, name=name, **more)  # type: ignore[arg-type]
    return await service.db.write(lambda db: sources.add(db, new, stamp=Stamp("user:mara", service.clock.now())))


async def test_it_is_not_there_until_it_is_turned_on(ask: Ask, service: Service) -> None:
    off = await ask(PATH)
    service.settings.take({"status_page": True})
    on = await ask(PATH)

    assert (off.status, on.status) == (404, 200)
    assert on.headers["cache-control"] == "public, max-age=60"


async def test_it_says_what_is_watched_and_nothing_else(ask: Ask, service: Service) -> None:
    service.settings.take({"status_page": True})
    await add(service, "https://tide.example/jobs?key=hunter2", "Tide tables")
    await add(service, "https://named.example/a?token=s3cret", "https://named.example/a?token=s3cret")
    await add(service, "https://odd.example/", XSS)
    for number, url in enumerate(
        ("http://127.0.0.1:8080/", "http://[::1]/", "http://printer.lan/", "http://desk/", "https://wiki.tide.example/")
    ):
        await add(service, url, f"Inside {number}")
    await add(service, "https://off.example/", "Resting", enabled=False)
    gone = await add(service, "https://gone.example/", "Removed")
    gone_at = {"deleted_at": service.clock.now()}
    await service.db.write(
        lambda db: db.execute(sa.update(tables.sources).where(tables.sources.c.id == gone).values(gone_at))
    )

    text = (await ask(PATH)).text

    assert "<strong>Tide tables</strong>" in text
    assert "<strong>named.example</strong>" in text
    assert "<script>alert" not in text
    secret = (
        "hunter2",
        "s3cret",
        "Inside",
        "127.0.0.1",
        "::1",
        "printer",
        "wiki",
        "Resting",
        "Removed",
        "mara",
        "/jobs",
    )
    assert [word for word in secret if word in text] == []


async def test_many_visitors_are_one_query(ask: Ask, service: Service) -> None:
    service.settings.take({"status_page": True})
    await ask(PATH)
    await add(service, "https://tide.example/jobs", "Tide tables")

    again = (await ask(PATH)).text

    assert "Tide tables" not in again


@pytest.mark.parametrize(
    ("name", "is_public"),
    [
        ("tide.example", True),
        ("jobs.tide.example.", True),
        ("localhost", False),
        ("intranet", False),
        ("printer.local", False),
        ("router.home.arpa", False),
        ("127.0.0.1", False),
        ("::1", False),
    ],
)
def test_names_inside_networks_are_told_from_public_ones(name: str, is_public: bool) -> None:
    assert is_public_name(name) is is_public
