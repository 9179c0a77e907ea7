"""Who asks: programs with what they prove themselves by, and a person with a browser."""

import base64
import json
import re
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from tests.web.asgi_client import Ask, Reply

SECRET = "wick-and-oil-for-a-hundred-lamps-in-the-harbour"
PASSWORD = "four plain words together"
#: what a browser says of a form on our own page
OWN = {"sec_fetch_site": "same-origin", "origin": "http://127.0.0.1:8060"}
_TOKEN = re.compile(r'name="csrf_token" value="([0-9a-f]+)"')


def claims(**changes: Any) -> dict[str, Any]:
    """What a good JWT says; None takes a claim away."""
    given = {"sub": "program", "exp": int(time.time()) + 86400, **changes}
    return {name: value for name, value in given.items() if value is not None}


def jwt_part(value: Mapping[str, Any]) -> str:
    """The head or the body of a JWT, as it is encoded there."""
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


class Visitor:
    """A browser: keeps its cookies, fills in forms."""

    def __init__(self, ask: Ask) -> None:
        self.ask = ask
        self.cookies: dict[str, str] = {}

    async def get(self, path: str, **headers: str) -> Reply:
        """Follows a link."""
        return self._keep(await self.ask(path, accept="text/html", **self.cookie_header(), **headers))

    async def submit(self, path: str, fields: dict[str, str], **headers: str) -> Reply:
        """Sends a form, as from one of our own pages."""
        body = urlencode(fields).encode()
        given = {"content_type": "application/x-www-form-urlencoded", **OWN, **self.cookie_header(), **headers}
        return self._keep(await self.ask(path, method="POST", body=body, **given))

    async def log_in(self, name: str, password: str = PASSWORD, *, wanted: str = "/", **headers: str) -> Reply:
        """Opens the login page and fills it in."""
        token = form_token(await self.get(f"/login?{urlencode({'next': wanted})}"))
        fields = {"csrf_token": token, "next": wanted, "name": name, "password": password}
        return await self.submit("/login", fields, **headers)

    def cookie_header(self) -> dict[str, str]:
        """The cookies as a request carries them; no header when there are none."""
        text = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        return {"cookie": text} if text else {}

    def _keep(self, reply: Reply) -> Reply:
        for set_cookie in reply.cookies:
            name, _, rest = set_cookie.partition("=")
            value = rest.partition(";")[0].strip('"')
            if value:
                self.cookies[name] = value
            else:
                self.cookies.pop(name, None)
        return reply


def form_token(reply: Reply) -> str:
    """The token of the form on a page."""
    found = _TOKEN.search(reply.text)
    assert found is not None, reply.text
    return found[1]
