"""The web application over a service that does not run by itself, asked without a network."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from fastapi import FastAPI

from lamplighter.app import Service, Store, open_service
from lamplighter.app.web_view import view_of
from lamplighter.settings import Settings, load
from lamplighter.web.server import make_app
from lamplighter.web.view import ServiceView
from tests.web.asgi_client import Ask


@pytest.fixture
def settings(tmp_path: Path, migrated_file: Path) -> Settings:
    """An installation on a developer's machine, with an empty SQLite database."""
    shutil.copyfile(migrated_file, tmp_path / "lamplighter.db")
    return load({}, data_dir=tmp_path, min_delay_ms=0)


@pytest.fixture
async def service(settings: Settings) -> AsyncIterator[Service]:
    """A complete service whose loops nobody has started."""
    async with open_service(settings) as opened:
        yield opened


@pytest.fixture
def store(service: Service) -> Store:
    """Its database and clock."""
    return Store(db=service.db, clock=service.clock)


@pytest.fixture
def view(service: Service) -> ServiceView:
    """What the web application sees of it."""
    return view_of(service)


@pytest.fixture
def web(view: ServiceView) -> FastAPI:
    """The application."""
    return make_app(view)


@pytest.fixture
def ask(web: FastAPI) -> Ask:
    """Asks the application."""
    return Ask(web)
