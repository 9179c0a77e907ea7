"""Forms as a browser sends them from the dashboard's own pages."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from tests.web.asgi_client import Ask, Reply

#: the headers of a form on one of our own pages
FORM = {"sec_fetch_site": "same-origin", "content_type": "application/x-www-form-urlencoded"}
#: with what a browser says of the answer that it wants
BROWSER_FORM = {**FORM, "accept": "text/html"}


async def send_form(ask: Ask, path: str, headers: Mapping[str, str] = FORM, /, **fields: Any) -> Reply:
    """Posts a form; a field with a list is sent once for each of its values."""
    return await ask(path, method="POST", body=urlencode(fields, doseq=True).encode(), **headers)
