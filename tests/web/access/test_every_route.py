"""Is every route guarded? Walked over the whole table, so that a new one cannot be forgotten."""

import re
from collections.abc import Callable

import pytest
from fastapi import FastAPI
from starlette.routing import Match

from lamplighter.model.access import Role
from lamplighter.web.access.auth_state import AuthState
from lamplighter.web.access.declared_routes import RouteTable
from lamplighter.web.access.route_guard import RouteGuard
from lamplighter.web.routes import PUBLIC, ROLE_KEY, Routes
from lamplighter.web.view import ServiceView
from tests.web.access.clients import SECRET, claims
from tests.web.access.routes import guarded, routes
from tests.web.asgi_client import Ask

#: all that a stranger may ask for
OPEN_TO_ALL = {
    ("GET", "/bot"),
    # 404 unless a setting turns it on
    ("GET", "/status"),
    ("GET", "/static/{digest}/{name:path}"),
    ("GET", "/login"),
    ("POST", "/login"),
    ("GET", "/health"),
    ("GET", "/api/health"),
    ("HEAD", "/health"),
    ("HEAD", "/api/health"),
    ("GET", "/docs"),
    ("GET", "/openapi.json"),
}


def test_only_these_are_open_to_all() -> None:
    public = {
        (method, route.path)
        for route in routes()
        if (route.openapi_extra or {}).get(ROLE_KEY) == PUBLIC
        for method in route.methods
    }

    assert public == OPEN_TO_ALL & {(method, route.path) for route in routes() for method in route.methods}


async def test_a_stranger_gets_nowhere(ask: Ask) -> None:
    let_in = [(method, path) for method, path, _ in guarded() if (await ask(path, method=method)).status != 401]

    assert let_in == []


async def test_a_role_that_is_too_low_gets_nowhere(bearer: Callable[..., Ask]) -> None:
    lower = {Role.OPERATOR: bearer("viewer"), Role.ADMIN: bearer("operator")}

    let_in = [
        (method, path)
        for method, path, role in guarded()
        if role in lower and (await lower[role](path, method=method)).status != 403
    ]

    assert let_in == []


def test_whoever_may_look_may_not_change() -> None:
    changing = [(method, path) for method, path, role in guarded() if method != "GET" and role is Role.VIEWER]

    # To log out, to choose how a page looks, to ask what would happen, and to note what oneself has read.
    own = ("/logout", "/theme", "/changes/read", "/changes/1/mark")
    assert [line for line in changing if line[1] not in own and "preview" not in line[1]] == []


def test_guard_and_router_choose_the_same_route() -> None:
    table = RouteTable(routes())
    for route in routes():
        for method in route.methods:
            scope = {"type": "http", "method": method, "path": re.sub(r"\{[^}]*\}", "1", route.path), "root_path": ""}
            first = next(each for each in routes() if each.matches(scope)[0] is Match.FULL)

            found = table.find(scope).declared

            assert found is not None
            assert found.route is first


async def test_a_route_without_a_role_is_refused_for_everyone(view: ServiceView) -> None:
    part = Routes("", tag="test")
    part.router.add_api_route("/forgotten", lambda: "told", methods=["GET"])
    app = FastAPI()
    app.include_router(part.router)
    app.add_middleware(RouteGuard, routes=part.router.routes, auth=AuthState(view))
    import jwt

    token = jwt.encode(claims(role="admin"), SECRET, algorithm="HS256")

    assert (await Ask(app)("/forgotten")).status == 401
    assert (await Ask(app)("/forgotten", authorization=f"Bearer {token}")).status == 403


async def test_what_is_not_in_the_table_is_not_reached(view: ServiceView) -> None:
    app = FastAPI()
    app.add_api_route("/beside", lambda: "told", methods=["GET"])
    app.add_middleware(RouteGuard, routes=[], auth=AuthState(view))

    assert (await Ask(app)("/beside")).status == 401


@pytest.mark.parametrize("method", ["OPTIONS", "TRACE", "PROPFIND"])
async def test_other_methods_are_answered_with_what_is_possible(ask: Ask, method: str) -> None:
    reply = await ask("/health", method=method)

    assert (reply.status, reply.headers["allow"]) == (405, "GET, HEAD")
    assert "access-control-allow-origin" not in reply.headers
