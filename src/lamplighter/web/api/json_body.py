"""How a body is read as JSON: with names that stand once, and no more of them than any request needs.

Each name that a request may not have becomes a fault of its own. A body of nothing else would keep the whole service
busy for many seconds, so it ends here.
"""

import json
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import HTTPException, Request, Response
from fastapi.routing import APIRoute

#: names in one object
MOST_NAMES = 1000


class _JsonRequest(Request):
    """A request whose JSON means one thing only."""

    async def json(self) -> Any:
        """The body; readers that disagree on which of two values counts would each see another request."""
        if not hasattr(self, "_json"):
            self._json = json.loads(await self.body(), object_pairs_hook=_object)
        return self._json


class JsonRoute(APIRoute):
    """A route that reads its body so."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Hands the same request on."""
        handle = super().get_route_handler()

        async def handle_json(request: Request) -> Response:
            return await handle(_JsonRequest(request.scope, request.receive))

        return handle_json


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) > MOST_NAMES:
        raise HTTPException(400, f"an object of the body has {len(pairs)} names; {MOST_NAMES} are the most")
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise HTTPException(400, f"an object of the body has the name {twice[:100]!r} twice; give it once")
    return found
