"""The dashboard over a filled database: served by a process of its own, opened by Chromium in a fresh profile."""

import asyncio
import os
import signal
import socket
import sys
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, NamedTuple

from playwright.async_api import Browser

#: of the fifth source of `filled_database`: itself, its first run and record
_SOURCE, _RUN, _RECORD = (f"00000005-0000-4000-{kind}000-000000000000" for kind in ("8", "a", "b"))
#: every page that shows something of a filled database, with the lists in the ways in which they cost most
PAGES: Final = (
    "/",
    "/?span=7d",
    "/?search=7.exam",
    "/?status=attention",
    "/?sort=records&order=desc",
    "/?sort=change_rate&order=desc",
    "/?offset=9950",
    "/lamps",
    "/lamps?by=tag",
    "/changes",
    "/changes?tag=tag+7&period=7d",
    "/changes?words=brass",
    "/changes?words=kettle",
    "/records",
    "/records?q=brass",
    f"/records/{_RECORD}",
    "/crawl",
    "/runs",
    f"/runs/{_RUN}",
    "/instances",
    "/schedule",
    "/hosts",
    "/hosts?offset=9950",
    "/hosts/s5.example",
    "/pages",
    "/links",
    "/proxies",
    "/alerts",
    f"/sources/{_SOURCE}",
    *(f"/sources/{_SOURCE}/{tab}" for tab in ("runs", "changes", "records", "versions", "trials", "edit")),
    "/sources/add",
    "/sources/import",
    "/explain?url=https://s5.example/jobs",
    "/settings",
    "/settings/notifications",
    "/settings/notifications/rules/new",
    "/settings/tags",
    "/settings/tags/edit?tag=tag+7",
    "/settings/takedowns",
    "/settings/storage",
    "/settings/secrets",
    "/settings/users",
    "/settings/tokens",
    "/events",
    "/audit",
    "/docs",
    "/bot",
    "/status",
    "/login",
)
#: what is at once in view, in milliseconds: every page, and the lamps of all sources with all that they need
PAINT_BAR, LAMPS_BAR, LAMPS_KB = 300, 500, 400
_PATIENCE_SECONDS: Final = 120
_SEE: Final = """
const look = () => {
  const seen = document.querySelector("#card-healthy, .street a");
  if (seen && seen.getBoundingClientRect().height) window.seenAt = performance.now();
  else requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""
_READ: Final = """() => {
  const all = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
  return [
    performance.getEntriesByName("first-contentful-paint")[0].startTime,
    all[0].loadEventEnd,
    window.seenAt ?? 0,
    all.reduce((sum, each) => sum + each.transferSize, 0) / 1000,
  ];
}"""


class Visit(NamedTuple):
    """A first visit of a page, in milliseconds, with what was transferred for it."""

    paint: float
    loaded: float
    #: the health of all sources, or their lamps; 0 where neither is shown
    seen: float
    kilobytes: float


@asynccontextmanager
async def served(folder: Path, database: Path) -> AsyncIterator[tuple[str, int]]:
    """Where the service answers, and its process, which opens no runs."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "lamplighter", "serve", "--port", str(port), "--data", str(folder)]
    settings = {"LAMPLIGHTER_DATABASE_URL": f"sqlite:///{database}", "LAMPLIGHTER_STATUS_PAGE": "true"}
    process = await asyncio.create_subprocess_exec(
        *command,
        "--no-scheduler",
        env=os.environ | settings,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        await asyncio.to_thread(_wait_for, url)
        yield url, process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        await process.wait()


def _wait_for(url: str) -> None:
    began = time.monotonic()
    while True:
        try:
            get(f"{url}/bot")
        except (urllib.error.URLError, ConnectionError):
            if time.monotonic() - began > _PATIENCE_SECONDS:
                raise
            time.sleep(0.2)
        else:
            return


def get(url: str) -> int:
    """How many bytes are sent for it."""
    request = urllib.request.Request(url, headers={"Accept-Encoding": "gzip", "Accept": "text/html"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return len(answer.read())


async def visit(browser: Browser, url: str) -> Visit:
    """A visit by somebody who was never here before."""
    context = await browser.new_context()
    page = await context.new_page()
    await page.add_init_script(_SEE)
    answer = await page.goto(url, wait_until="load")
    assert answer is not None, url
    assert answer.ok, f"{url} answered {answer.status}"
    await page.wait_for_function("() => performance.getEntriesByName('first-contentful-paint').length")
    figures = await page.evaluate(_READ)
    await context.close()
    return Visit(*figures)
