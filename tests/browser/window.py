"""A browser's window on the dashboard, and all that goes wrong in it unseen: errors, scripts, foreign requests."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import Browser, ConsoleMessage, Page, Request, Response

from tests.repository import ROOT

_AXE = ROOT / "build" / "assets" / "axe.min.js"
#: what nobody may be kept out by, or led astray
_GRAVE = ("moderate", "serious", "critical")
_PATIENCE_MS = 120_000


class Window:
    """One page of a fresh profile."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        #: what the console, the scripts and the network complained of
        self.troubles: list[str] = []
        #: how often the mouse was pressed, also in what a frame shows
        self.clicks = 0
        #: answers that a test expects to be refusals, by their status
        self.expected: set[int] = set()
        page.set_default_timeout(_PATIENCE_MS)
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.troubles.append(f"script: {error}"))
        page.on("request", self._on_request)
        page.on("response", self._on_response)

    @classmethod
    @asynccontextmanager
    async def on(cls, browser: Browser, url: str, **options: Any) -> AsyncIterator["Window"]:
        """A window until the block ends; then nothing may have gone wrong in it."""
        context = await browser.new_context(base_url=url, **options)
        try:
            window = cls(await context.new_page(), url)
            await window._count_clicks()
            yield window
        finally:
            await context.close()
        assert window.troubles == [], window.troubles

    async def open(self, path: str) -> Page:
        """Goes to a page of the dashboard."""
        await self.page.goto(path, wait_until="load")
        return self.page

    async def _count_clicks(self) -> None:
        def count() -> None:
            self.clicks += 1

        await self.page.expose_function("lampPressed", count)
        await self.page.add_init_script("addEventListener('pointerdown', (e) => e.isTrusted && lampPressed(), true)")

    async def grave_barriers(self) -> list[str]:
        """What axe finds on the page as it is now that would keep somebody out."""
        if not await self.page.evaluate("'axe' in window"):
            # Playwright evaluates this outside the page's own policy.
            await self.page.evaluate(_AXE.read_text())
        # What is still fading in has other colours than it will have.
        await self.page.evaluate("Promise.allSettled(document.getAnimations().map((each) => each.finished))")
        # What a frame shows is a site's page, and has an origin to which axe cannot speak.
        found = await self.page.evaluate("axe.run(document, {resultTypes: ['violations'], iframes: false})")
        return [
            f"{each['id']}: {node['target']} {node['failureSummary']}"
            for each in found["violations"]
            if each["impact"] in _GRAVE
            for node in each["nodes"]
        ]

    def _on_console(self, message: ConsoleMessage) -> None:
        is_expected = any(f"status of {status}" in message.text for status in self.expected)
        if message.type in ("error", "warning") and not is_expected:
            self.troubles.append(f"console: {message.text}")

    def _on_request(self, request: Request) -> None:
        if urlsplit(request.url).netloc != urlsplit(self.url).netloc:
            self.troubles.append(f"request to another host: {request.url}")

    def _on_response(self, response: Response) -> None:
        if response.status >= 400 and response.status not in self.expected:
            self.troubles.append(f"{response.status}: {response.url}")
