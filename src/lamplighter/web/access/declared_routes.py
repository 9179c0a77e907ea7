"""Finds a request's route and its declared role.

The framework tries its routes in order. Here they are grouped by first path segments, so that few are tried; the
framework still decides which one matches, so that guard and router agree.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from starlette.routing import BaseRoute, Match

from lamplighter.web.security_headers import Scope

#: the role of routes that need no credentials
PUBLIC: Literal["public"] = "public"
#: the key of a route's role
ROLE_KEY = "x-role"
#: the key that says that a route is a feed, which feed readers may ask for in their own way
FEED_KEY = "x-feed"
_DRAWER_WORDS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredRoute:
    """A route and its role."""

    route: BaseRoute
    #: None when the route declares no role; no caller may use it
    role: str | None
    expects_json: bool
    #: whether it is a feed, which takes the credentials that feed readers can send
    is_feed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchedRoute:
    """A request's route, or routes of its path with other methods."""

    declared: DeclaredRoute | None
    #: routes of the same path with other methods
    others: Sequence[DeclaredRoute] = ()

    @property
    def methods(self) -> list[str]:
        """The allowed methods."""
        return sorted({method for other in self.others for method in getattr(other.route, "methods", None) or ()})


class RouteTable:
    """All declared routes."""

    def __init__(self, routes: Sequence[BaseRoute]) -> None:
        self._drawers: dict[tuple[str, ...], list[tuple[int, DeclaredRoute]]] = {}
        for index, route in enumerate(routes):
            drawer = _drawer(str(getattr(route, "path", "")))
            self._drawers.setdefault(drawer, []).append((index, _declared(route)))

    def find(self, scope: Scope) -> MatchedRoute:
        """The first declared route that matches a request."""
        others = []
        for declared in self._candidates(scope["path"]):
            match, _ = declared.route.matches(scope)
            if match is Match.FULL:
                return MatchedRoute(declared=declared)
            if match is Match.PARTIAL:
                others.append(declared)
        return MatchedRoute(declared=None, others=others)

    def _candidates(self, path: str) -> list[DeclaredRoute]:
        words = _first_words(path)
        found = [each for length in range(len(words) + 1) for each in self._drawers.get(words[:length], ())]
        return [declared for _, declared in sorted(found, key=lambda each: each[0])]


def _drawer(path: str) -> tuple[str, ...]:
    """The path segments before the first parameter."""
    literal, brace, _ = path.partition("{")
    return _first_words(literal.rpartition("/")[0] if brace else literal)


def _first_words(path: str) -> tuple[str, ...]:
    return tuple(path.split("/")[1 : 1 + _DRAWER_WORDS])


def _declared(route: BaseRoute) -> DeclaredRoute:
    extra: dict[str, Any] = getattr(route, "openapi_extra", None) or {}
    body = getattr(getattr(route, "body_field", None), "field_info", None)
    return DeclaredRoute(
        route=route,
        role=str(extra[ROLE_KEY]) if ROLE_KEY in extra else None,
        expects_json=getattr(body, "media_type", None) == "application/json",
        is_feed=bool(extra.get(FEED_KEY)),
    )
