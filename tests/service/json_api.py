"""A JSON API that answers page by page, and recipes that read it."""

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.origin import Answer, Request

FIELDS = {"title": "attributes.name", "url": "attributes.href"}


def answers(total: int, size: int) -> Callable[[Request], Answer]:
    """An API of `total` things, `size` in an answer."""

    def answer(request: Request) -> Answer:
        page = int(parse_qs(urlsplit(request.target).query).get("page", ["1"])[0])
        numbers = range((page - 1) * size, min(total, page * size))
        items = [{"attributes": {"name": f"Thing {n}", "href": f"/things/{n}"}} for n in numbers]
        body = json.dumps({"data": items, "meta": {"total": total}})
        return Answer(headers={"Content-Type": "application/json"}, body=body.encode())

    return answer


def recipe(**api: Any) -> dict[str, Any]:
    """A recipe that reads it, with these settings of the API."""
    return {"items": "data", "fields": FIELDS, "api": api}
