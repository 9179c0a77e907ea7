"""How a route is declared: with the role it needs, and every answer it may give."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

from fastapi import APIRouter

from lamplighter.model.access import Role
from lamplighter.web.api.problems import Family
from lamplighter.web.api.strict_route import StrictRoute

#: for routes that nobody needs to prove anything for
PUBLIC: Literal["public"] = "public"
#: where the guard finds the role that a route needs
ROLE_KEY = "x-role"

Endpoint = Callable[..., Any]


class Routes:
    """The routes of one part of the API, all under one prefix and with one form of error."""

    def __init__(self, prefix: str, *, tag: str, family: Family = Family.PROBLEM) -> None:
        self.router = APIRouter(prefix=prefix, tags=[tag], route_class=StrictRoute)
        self._family = family

    def add(
        self,
        method: str,
        path: str,
        *,
        role: Role | Literal["public"],
        status: int = 200,
        errors: tuple[int, ...] = (),
        example: Any = None,
        **options: Any,
    ) -> Callable[[Endpoint], Endpoint]:
        """Declares a route. `errors` are those beyond what every route may answer; `example` is shown with success."""
        success: dict[str, Any] = {"description": options.pop("success", "Done.")}
        if example is not None:
            success["content"] = {"application/json": {"example": example}}
        responses: Mapping[int | str, dict[str, Any]] = {
            status: success,
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
        """Something to look at; a viewer may, unless it says otherwise."""
        return self.add("GET", path, **{"role": Role.VIEWER, **options})

    def head(self, path: str, **options: Any) -> Callable[[Endpoint], Endpoint]:
        """The same as what `get` declares, for those who ask whether it answers: the server sends no body."""
        return self.add("HEAD", path, **{"role": Role.VIEWER, "include_in_schema": False, **options})

    def post(self, path: str, **options: Any) -> Callable[[Endpoint], Endpoint]:
        """Something to be done; it takes an operator, unless it says otherwise."""
        return self.add("POST", path, **{"role": Role.OPERATOR, **options})

    def put(self, path: str, **options: Any) -> Callable[[Endpoint], Endpoint]:
        """Something to be replaced."""
        return self.add("PUT", path, **{"role": Role.OPERATOR, **options})

    def patch(self, path: str, **options: Any) -> Callable[[Endpoint], Endpoint]:
        """Something to be changed in part."""
        return self.add("PATCH", path, **{"role": Role.OPERATOR, **options})

    def delete(self, path: str, **options: Any) -> Callable[[Endpoint], Endpoint]:
        """Something to be removed."""
        return self.add("DELETE", path, **{"role": Role.OPERATOR, **options})


def _errors_of(method: str, path: str, role: Role | Literal["public"], more: tuple[int, ...]) -> tuple[int, ...]:
    """What any route of this kind may answer."""
    always = {400, 422, 429, 503}
    if role != PUBLIC:
        always |= {401, 403}
    if "{" in path:
        always.add(404)
    if method in ("POST", "PUT", "PATCH"):
        always |= {413, 415}
    return tuple(sorted(always | set(more)))
