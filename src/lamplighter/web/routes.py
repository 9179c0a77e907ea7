"""Declares routes: each with the role it needs and every response it may give; requests are parsed strictly."""

import json
from collections.abc import Callable, Coroutine, Mapping
from functools import partialmethod
from typing import Any, Literal

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.dependencies.utils import get_flat_params
from fastapi.params import ParamTypes
from fastapi.routing import APIRoute

from lamplighter.errors import BadInput
from lamplighter.model.access import Role
from lamplighter.web.access.declared_routes import FEED_KEY, ROLE_KEY
from lamplighter.web.access.declared_routes import PUBLIC as PUBLIC
from lamplighter.web.problems import Family

Endpoint = Callable[..., Any]
_Declaring = partialmethod[Callable[[Endpoint], Endpoint]]
#: the most names in one object: each unknown one is an error of its own, and very many would take seconds
MOST_NAMES = 1000


class _JsonRequest(Request):
    """A request without duplicate JSON names."""

    async def json(self) -> Any:
        """The parsed body; with duplicate names, two parsers could read two different requests."""
        if not hasattr(self, "_json"):
            self._json = json.loads(await self.body(), object_pairs_hook=_object)
        return self._json


class StrictRoute(APIRoute):
    """A route that refuses unknown parameters: ignoring a misspelt filter would list everything."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Checks the parameter names first (not on dashboard pages), and parses the body strictly."""
        handle = super().get_route_handler()
        known = self._parameters()

        async def handle_strictly(request: Request) -> Response:
            unknown = sorted(set(request.query_params) - known) if self.include_in_schema else []
            if unknown:
                possible = f"there are {', '.join(sorted(known))}" if known else "there are none here"
                raise BadInput(f"there is no parameter {unknown[0][:100]!r}; {possible}", field=unknown[0][:100])
            return await handle(_JsonRequest(request.scope, request.receive))

        return handle_strictly

    def _parameters(self) -> set[str]:
        # Parameters that are grouped in a model have no `in_` of their own.
        query = ParamTypes.query
        given = get_flat_params(self.dependant)
        return {field.alias for field in given if getattr(field.field_info, "in_", query) is query}


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) > MOST_NAMES:
        raise HTTPException(400, f"an object of the body has {len(pairs)} names; {MOST_NAMES} are the most")
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise HTTPException(400, f"an object of the body has the name {twice[:100]!r} twice; give it once")
    return found


class Routes:
    """The routes of one part of the API, all under one prefix and with one error format."""

    def __init__(
        self, prefix: str, *, tag: str, family: Family = Family.PROBLEM, include_in_schema: bool = True
    ) -> None:
        self.router = APIRouter(prefix=prefix, tags=[tag], route_class=StrictRoute, include_in_schema=include_in_schema)
        self._family = family

    def add(
        self,
        method: str,
        path: str,
        *,
        role: Role | Literal["public"] | None = None,
        status: int = 200,
        errors: tuple[int, ...] = (),
        is_feed: bool = False,
        **options: Any,
    ) -> Callable[[Endpoint], Endpoint]:
        """Declares a route; by default for viewers to read and operators to write. `errors` are further errors."""
        role = role or (Role.VIEWER if method in ("GET", "HEAD") else Role.OPERATOR)
        responses: Mapping[int | str, dict[str, Any]] = {
            status: {"description": options.pop("success", "Done.")},
            **self._family.responses(_errors_of(method, path, role, errors)),
        }

        def declare(endpoint: Endpoint) -> Endpoint:
            self.router.add_api_route(
                path,
                endpoint,
                methods=[method],
                status_code=status,
                responses=dict(responses),
                openapi_extra={ROLE_KEY: str(role), **({FEED_KEY: True} if is_feed else {})},
                **options,
            )
            return endpoint

        return declare

    get: _Declaring = partialmethod(add, "GET")
    #: the HEAD route of a `get`, for monitors: the server sends no body
    head: _Declaring = partialmethod(add, "HEAD", include_in_schema=False)
    #: a `get` that feed readers subscribe to
    feed: _Declaring = partialmethod(add, "GET", is_feed=True, response_class=Response)
    post: _Declaring = partialmethod(add, "POST")
    put: _Declaring = partialmethod(add, "PUT")
    patch: _Declaring = partialmethod(add, "PATCH")
    delete: _Declaring = partialmethod(add, "DELETE")


class Pages(Routes):
    """Routes for people and monitors, which the OpenAPI document omits."""

    def __init__(self) -> None:
        super().__init__("", tag="pages", include_in_schema=False)


def _errors_of(method: str, path: str, role: Role | Literal["public"], more: tuple[int, ...]) -> tuple[int, ...]:
    """All errors of such a route."""
    always = {400, 422, 429, 503}
    if role != PUBLIC:
        always |= {401, 403}
    if "{" in path:
        always.add(404)
    if method in ("POST", "PUT", "PATCH"):
        always |= {413, 415}
    return tuple(sorted(always | set(more)))
