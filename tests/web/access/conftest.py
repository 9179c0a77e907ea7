"""An installation that others can reach: everybody proves who they are."""

import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import jwt
import pytest

from lamplighter.app import Service
from lamplighter.model.access import Role, Stamp
from lamplighter.operations.access import api_tokens, passwords, users
from lamplighter.settings import Settings, load
from tests.web.access.clients import PASSWORD, SECRET, Visitor, claims
from tests.web.asgi_client import Ask


@pytest.fixture
def settings(tmp_path: Path, migrated_file: Path) -> Settings:
    """An installation that others can reach, with an empty SQLite database."""
    shutil.copyfile(migrated_file, tmp_path / "lamplighter.db")
    return load({}, data_dir=tmp_path, auth_jwt_secret=SECRET)


@pytest.fixture
def bearer(ask: Ask) -> Callable[..., Ask]:
    """A program with a JWT: `bearer("viewer")`."""

    def program(role: str, **more: Any) -> Ask:
        text = jwt.encode(claims(role=role, **more), SECRET, algorithm="HS256")
        return ask.with_headers(authorization=f"Bearer {text}")

    return program


@pytest.fixture(scope="session")
def password_hash() -> str:
    """Of the one password of all users here; making it takes a while."""
    return passwords.hash_of(PASSWORD)


AddUser = Callable[..., Awaitable[None]]


@pytest.fixture
def add_user(service: Service, password_hash: str) -> AddUser:
    """Adds a user: `await add_user("anna", Role.OPERATOR)`."""

    async def add(name: str, role: Role = Role.OPERATOR) -> None:
        now = service.clock.now()
        await service.db.write(
            lambda db: users.add(db, name, role=role, password_hash=password_hash, stamp=Stamp("test", now))
        )

    return add


@pytest.fixture
def visitor(ask: Ask) -> Visitor:
    """A person with a browser."""
    return Visitor(ask)


MakeToken = Callable[..., Awaitable[api_tokens.NewToken]]


@pytest.fixture
def make_token(service: Service) -> MakeToken:
    """Makes an API token: `await make_token("ci", role=Role.VIEWER)`."""

    async def make(name: str = "ci", **values: Any) -> api_tokens.NewToken:
        given = {"role": Role.OPERATOR, "stamp": Stamp("test", service.clock.now())} | values
        new = api_tokens.make(name, **given)
        await service.db.write(lambda db: api_tokens.add(db, new))
        return new

    return make
