"""Who may read `/metrics` where others can reach the service?"""

import shutil
from collections.abc import Callable
from pathlib import Path

import jwt
import pytest

from lamplighter.app import Service
from lamplighter.app.web_view import view_of
from lamplighter.settings import Settings, load
from lamplighter.web.monitoring.monitors import monitors_of
from tests.web.access.clients import SECRET, claims
from tests.web.asgi_client import Ask


async def test_a_stranger_may_not_and_a_viewer_may(ask: Ask, bearer: Callable[..., Ask]) -> None:
    assert (await ask("/metrics")).status == 401
    assert (await bearer("viewer")("/metrics")).status == 200


class TestPublic:
    """Where the operator says that everybody may."""

    @pytest.fixture
    def settings(self, tmp_path: Path, migrated_file: Path) -> Settings:
        shutil.copyfile(migrated_file, tmp_path / "lamplighter.db")
        return load({}, data_dir=tmp_path, auth_jwt_secret=SECRET, metrics_public=True)

    async def test_whoever_reaches_the_port_may(self, ask: Ask) -> None:
        assert (await ask("/metrics", host="api:8060", client="10.0.0.9")).status == 200

    @pytest.mark.parametrize("header", ["x_forwarded_for", "forwarded", "x_real_ip"])
    async def test_what_a_proxy_passes_on_takes_a_token(self, ask: Ask, header: str) -> None:
        passed_on = ask.with_headers(**{header: "203.0.113.9"})

        assert (await passed_on("/metrics")).status == 401

    async def test_nothing_else_is_opened_by_that(self, ask: Ask) -> None:
        asked = [
            ("GET", "/"),
            ("GET", "/metrics/"),
            ("POST", "/metrics"),
            ("GET", "/api/v1/scheduler/metrics"),
        ]

        assert [(await ask(path, method=method)).status for method, path in asked] == [401] * 4


async def test_a_worker_answers_monitors_alone_and_the_same_people(service: Service) -> None:
    worker = Ask(monitors_of(view_of(service)))
    token = jwt.encode(claims(role="admin"), SECRET, algorithm="HS256")
    admin = worker.with_headers(authorization=f"Bearer {token}")

    assert [(await worker(path)).status for path in ("/health", "/metrics", "/")] == [200, 401, 401]
    assert [(await admin(path)).status for path in ("/metrics", "/", "/api/v1/sources")] == [200, 404, 404]
