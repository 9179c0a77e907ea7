"""How a request is read: every name that it gives means something here, and stands once.

A parameter that is misspelt and ignored would list everything instead of a few. Each name that a body may not have
becomes a fault of its own; a body of nothing else would keep the whole service busy for many seconds, so it ends here.
"""

import json
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import HTTPException, Request, Response
from fastapi.dependencies.utils import get_flat_params
from fastapi.params import ParamTypes
from fastapi.routing import APIRoute

from lamplighter.errors import BadInput

#: names in one object
MOST_NAMES = 1000


class _JsonRequest(Request):
    """A request whose JSON means one thing only."""

    async def json(self) -> Any:
        """The body; readers that disagree on which of two values counts would each see another request."""
        if not hasattr(self, "_json"):
            self._json = json.loads(await self.body(), object_pairs_hook=_object)
        return self._json


class StrictRoute(APIRoute):
    """A route that takes what it knows, and refuses the rest."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Looks at the names of the parameters first (pages take what links bring), and reads the body as above."""
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
        # Those that stand together in a model do not say themselves that they belong to the query.
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
