"""Strict request parsing: refuses unknown parameters and duplicate names.

Ignoring a misspelt filter would list everything. Each unknown name in a body becomes an error of its own; a body of
very many would keep the whole service busy for seconds, so their number is limited.
"""

import json
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import HTTPException, Request, Response
from fastapi.dependencies.utils import get_flat_params
from fastapi.params import ParamTypes
from fastapi.routing import APIRoute

from lamplighter.errors import BadInput

#: the most names in one object
MOST_NAMES = 1000


class _JsonRequest(Request):
    """A request without duplicate JSON names."""

    async def json(self) -> Any:
        """The parsed body; with duplicate names, two parsers could read two different requests."""
        if not hasattr(self, "_json"):
            self._json = json.loads(await self.body(), object_pairs_hook=_object)
        return self._json


class StrictRoute(APIRoute):
    """A route that refuses unknown parameters."""

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
