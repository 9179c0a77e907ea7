"""Declares routes: each with the role it needs and every response it may give."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

from fastapi import APIRouter

from lamplighter.model.access import Role
from lamplighter.web.problems import Family
from lamplighter.web.strict_route import StrictRoute

#: the role of routes that need no credentials
PUBLIC: Literal["public"] = "public"
#: the key under which the route guard finds a route's role
ROLE_KEY = "x-role"

Endpoint = Callable[..., Any]


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
        role: Role | Literal["public"],
        status: int = 200,
        errors: tuple[int, ...] = (),
        **options: Any,
    ) -> Callable[[Endpoint], Endpoint]:
        """Declares a route. `errors` are those beyond what every route may return."""
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
                openapi_extra={ROLE_KEY: str(role)},
                **options,
            )
            return endpoint

        return declare

    def get(self, path: str, **options: Any) -> Callable[[Endpoint], Endpoint]:
        """Declares a GET route; by default for viewers."""
        return self.add("GET", path, **{"role": Role.VIEWER, **options})

    def head(self, path: str, **options: Any) -> Callable[[Endpoint], Endpoint]:
        """Declares the HEAD route of a `get`, for monitors: the server sends no body."""
        return self.add("HEAD", path, **{"role": Role.VIEWER, "include_in_schema": False, **options})

    def post(self, path: str, **options: Any) -> Callable[[Endpoint], Endpoint]:
        """Declares a POST route; by default for operators."""
        return self.add("POST", path, **{"role": Role.OPERATOR, **options})

    def put(self, path: str, **options: Any) -> Callable[[Endpoint], Endpoint]:
        """Declares a PUT route."""
        return self.add("PUT", path, **{"role": Role.OPERATOR, **options})

    def patch(self, path: str, **options: Any) -> Callable[[Endpoint], Endpoint]:
        """Declares a PATCH route."""
        return self.add("PATCH", path, **{"role": Role.OPERATOR, **options})

    def delete(self, path: str, **options: Any) -> Callable[[Endpoint], Endpoint]:
        """Declares a DELETE route."""
        return self.add("DELETE", path, **{"role": Role.OPERATOR, **options})


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
