"""Which route is asked for, and what did it declare?

The framework tries its routes one by one. Here they lie in drawers by their first words, so that few are tried; which
one fits is still the framework's to say, so that guard and router never disagree.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from starlette.routing import BaseRoute, Match

from lamplighter.web.api.routes import ROLE_KEY
from lamplighter.web.rim import Scope

_DRAWER_WORDS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What a route said of itself."""

    route: BaseRoute
    #: None when it said nothing, which nobody may use
    role: str | None
    expects_json: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What there is at a path: the route, or only the methods of others."""

    declared: Declared | None
    #: routes of the same path with other methods
    others: Sequence[Declared] = ()

    @property
    def methods(self) -> list[str]:
        """What could be asked instead."""
        return sorted({method for other in self.others for method in getattr(other.route, "methods", None) or ()})


class RouteTable:
    """All declared routes."""

    def __init__(self, routes: Sequence[BaseRoute]) -> None:
        self._drawers: dict[tuple[str, ...], list[tuple[int, Declared]]] = {}
        for index, route in enumerate(routes):
            drawer = _drawer(str(getattr(route, "path", "")))
            self._drawers.setdefault(drawer, []).append((index, _declared(route)))

    def find(self, scope: Scope) -> Found:
        """What there is for a request, in the order of declaration."""
        others = []
        for declared in self._candidates(scope["path"]):
            match, _ = declared.route.matches(scope)
            if match is Match.FULL:
                return Found(declared=declared)
            if match is Match.PARTIAL:
                others.append(declared)
        return Found(declared=None, others=others)

    def _candidates(self, path: str) -> list[Declared]:
        words = _first_words(path)
        found = [each for length in range(len(words) + 1) for each in self._drawers.get(words[:length], ())]
        return [declared for _, declared in sorted(found, key=lambda each: each[0])]


def _drawer(path: str) -> tuple[str, ...]:
    """The words of a declared path before its first parameter."""
    literal, brace, _ = path.partition("{")
    return _first_words(literal.rpartition("/")[0] if brace else literal)


def _first_words(path: str) -> tuple[str, ...]:
    return tuple(path.split("/")[1 : 1 + _DRAWER_WORDS])


def _declared(route: BaseRoute) -> Declared:
    extra: dict[str, Any] = getattr(route, "openapi_extra", None) or {}
    body = getattr(getattr(route, "body_field", None), "field_info", None)
    return Declared(
        route=route,
        role=str(extra[ROLE_KEY]) if ROLE_KEY in extra else None,
        expects_json=getattr(body, "media_type", None) == "application/json",
    )
