"""The demo sites as they were: they answer in this process, at the time of a clock, and have been through something."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Self

from starlette.responses import Response

from lamplighter.demo.page import DemoRequest, Site
from lamplighter.demo.sites import SITES, meridian_labs, open_posts
from lamplighter.demo.timeline import draw
from lamplighter.demo.web import answer_of
from lamplighter.fetch.body_limits import BodyReader
from lamplighter.fetch.response_head import Head
from lamplighter.fetch.transfer import WireRequest
from lamplighter.rules.urls import urls

#: how long before the present Meridian Labs was relaunched, and Open Posts went out of order, and for how long
_RELAUNCH = timedelta(days=2, hours=5)
#: noticed after two days at the latest, it opens the breaker within two more
_OUTAGE, _OUTAGE_LASTS = timedelta(days=19), timedelta(days=4)
_LEAST_SECONDS, _MORE_SECONDS = 0.03, 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class PastEvents:
    """What happened to the sites before the present."""

    relaunch: datetime
    outage_from: datetime
    outage_until: datetime

    @classmethod
    def before(cls, present: datetime) -> Self:
        """In the days before this moment."""
        outage = present - _OUTAGE
        return cls(relaunch=present - _RELAUNCH, outage_from=outage, outage_until=outage + _OUTAGE_LASTS)


class PastWeb:
    """Carries requests to the sites without a network; no other host is there."""

    def __init__(self, first_port: int, past: PastEvents, *, clock: Callable[[], datetime]) -> None:
        self._sites = {f"127.0.0.1:{first_port + number}": site for number, site in enumerate(SITES)}
        self._past = past
        self._clock = clock
        self.user_agent = ""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    async def send(self, request: WireRequest) -> tuple[Head, BodyReader | None]:
        """The response of a site, after a moment."""
        host_key = urls.parse(request.url).host_key
        if (site := self._sites.get(host_key)) is None:
            raise OSError(f"{host_key} is not there: only the demo sites have a past")
        await asyncio.sleep(_LEAST_SECONDS + _MORE_SECONDS * draw("took", request.url, self._clock()))
        if request.may_send is not None:
            request.may_send()
        if request.on_sent is not None:
            request.on_sent()
        response = self._answer(site, request)
        lines = [name + b": " + value + b"\r\n" for name, value in response.raw_headers]
        head = Head([f"HTTP/1.1 {response.status_code} \r\n".encode(), *lines])
        body = request.wants(head) if request.wants is not None else None
        if body is not None and response.body:
            body.feed(bytes(response.body))
        return head, body

    def _answer(self, site: Site, request: WireRequest) -> Response:
        target, now, past = urls.parse(request.url), self._clock(), self._past
        relaunch = past.relaunch if site is meridian_labs.SITE else None
        path, _, query = target.path_query.partition("?")
        if site is open_posts.SITE and past.outage_from <= now < past.outage_until and path != "/robots.txt":
            return Response("The database is away.\n", 503, media_type="text/plain")
        fields = dict(pair.partition("=")[::2] for pair in query.split("&") if pair)
        ask = DemoRequest(base=target.origin, path=path, query=fields, now=now, relaunch=relaunch)
        return answer_of(site, ask, _fields(request))


def _fields(request: WireRequest) -> dict[str, str]:
    """The header fields of a request, their names in lower case."""
    split = (line.decode("latin-1").partition(":") for line in request.headers)
    return {name.lower(): value.strip() for name, _, value in split}
