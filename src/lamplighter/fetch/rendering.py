"""Renders pages of hosts whose operator allows scripts: fetched as usual, then run in a browser.

Every request of the scripts passes the same gate, in the host's turn, one request after the other. Scripts are
cached for a while: they belong to the site, not to the page.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from lamplighter.errors import BadUrl
from lamplighter.fetch.fetcher import Fetcher
from lamplighter.model.visit import NO_VALIDATORS, Failed, Fault, Fetched
from lamplighter.ports import AskForScript, Clock, NotRendered, Renderer

#: how long a script is cached, whatever its server says
_LEAST_KEPT, _MOST_KEPT = timedelta(minutes=10), timedelta(hours=24)
_MOST_SCRIPTS = 200
#: most requests of one page's scripts
_MOST_REQUESTS = 60
_SHOWN_AS = "text/html; charset=utf-8"


class Rendering:
    """Turns a fetched page into the page that a browser shows."""

    def __init__(self, *, fetcher: Fetcher, renderer: Renderer, clock: Clock) -> None:
        self._fetcher = fetcher
        self._renderer = renderer
        self._clock = clock
        self._scripts: OrderedDict[str, Fetched] = OrderedDict()

    async def rendered(self, visit: Fetched, *, max_bytes: int, leave: Callable[[], None]) -> Fetched | Failed:
        """The rendered page. It has no validators: those of the unrendered page say nothing about it.

        It may be no larger than a plain page: scripts can make a page as large as they like. Every request of theirs
        calls `leave` first. An error in a request is raised here, when all have ended: the page without that response
        is not the page.
        """
        sent, troubles = 0, list[Exception]()

        async def get(url: str) -> Fetched | None:
            try:
                got = (await self._fetcher.fetch_once(url, any_type=True, leave=leave)).visit
            except BadUrl:
                return None
            except Exception as trouble:
                troubles.append(trouble)
                return None
            return got if isinstance(got, Fetched) else None

        async def ask(url: str, *, is_script: bool) -> Fetched | None:
            nonlocal sent
            known = self._remembered(url) if is_script else None
            if known is not None or sent >= _MOST_REQUESTS:
                return known
            sent += 1
            got = await get(url)
            if got is not None and is_script:
                self._remember(url, got)
            return got

        shown = await self._shown(visit, ask, max_bytes)
        if troubles:
            raise troubles[0]
        return shown

    async def _shown(self, visit: Fetched, ask: AskForScript, max_bytes: int) -> Fetched | Failed:
        started = self._clock.monotonic()

        def failed(fault: Fault, detail: str) -> Failed:
            took = timedelta(seconds=self._clock.monotonic() - started)
            return Failed(url=visit.url, fault=fault, detail=detail, at=visit.at, took=took)

        try:
            html = await self._renderer.render(visit.url, visit.body, visit.content_type or "text/html", ask)
        except NotRendered as error:
            return failed(Fault.NOT_RENDERED, str(error))
        if len(html) > max_bytes:
            size = f"{max_bytes // 1024} KiB"
            detail = f"its scripts make the page larger than {size}; a higher max_page_kb for its host would allow it"
            return failed(Fault.TOO_LARGE, detail)
        return replace(
            visit,
            body=html,
            content_type=_SHOWN_AS,
            validators=NO_VALIDATORS,
            headers=((b"Content-Type", _SHOWN_AS.encode()),),
        )

    def _remembered(self, url: str) -> Fetched | None:
        script = self._scripts.get(url)
        if script is None:
            return None
        kept = min(max(script.fresh_for or _LEAST_KEPT, _LEAST_KEPT), _MOST_KEPT)
        return script if self._clock.now() - script.at < kept else None

    def _remember(self, url: str, script: Fetched) -> None:
        self._scripts[url] = script
        if len(self._scripts) > _MOST_SCRIPTS:
            self._scripts.popitem(last=False)
