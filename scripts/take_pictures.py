"""Takes the pictures of the documentation: starts the service with its demo, waits for records, and opens every page.

Needs Chromium and what the tests need. The pictures land in docs/pictures, with few colours, so that they stay small.
"""

import asyncio
import json
import os
import re
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import BytesIO
from pathlib import Path
from typing import cast
from urllib.request import Request, urlopen

from PIL import Image
from playwright.async_api import Browser, Page, async_playwright

from benchmarks.site.dashboard_visits import served
from benchmarks.site.filled_database import fill
from lamplighter.store.engine.database import Database

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
DESK, PHONE = (1400, 900), (390, 844)
#: the demo serves its sites on the ports after the service's own
_PORTS = 6
_RECORDS = 150
_PATIENCE_SECONDS = 600
_MOST_BYTES = 120_000
_COLOURS = 256
#: name -> path, with what was found in the demo in braces
PAGES = {
    "sources": "/",
    "source": "/sources/{source}",
    "teach": "/sources/{drifted}/teach",
    "add": "/sources/add",
    "run": "/runs/{run}/log",
    "schedule": "/schedule",
    "pages": "/pages",
    "links": "/links",
    "changes": "/changes?change=changed",
    "records": "/records",
    "record": "/records/{record}",
    "hosts": "/hosts",
    "host": "/hosts/{host}",
    "proxies": "/proxies",
    "events": "/events",
    "audit": "/audit",
    "alerts": "/alerts",
    "problem": "/alerts/problems/{problem}",
    "settings": "/settings",
    "tags": "/settings/tags",
    "notifications": "/settings/notifications",
    "storage": "/settings/storage",
    "explain": "/explain?url={url}",
    "bot": "/bot",
}
#: lamps look like nothing with five sources
_MANY = 2_000
#: the source whose layout broke: on its page a title is clicked that its recipe does not find
_DRIFTED = "Meridian Labs"
#: how long runs go on before the picture of the crawl
_RUNS_SECONDS = 12


async def main() -> int:
    """Takes all of them; 1 when one became too large for the repository."""
    browser_path = shutil.which("chromium")
    if browser_path is None:
        print("chromium is not installed (Debian package chromium)", file=sys.stderr)
        return 1
    PICTURES.mkdir(parents=True, exist_ok=True)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        sizes = [*await _of_the_demo(browser), await _of_many(browser)]
        await browser.close()
    return int(max(sizes) > _MOST_BYTES)


async def _of_the_demo(browser: Browser) -> list[int]:
    with tempfile.TemporaryDirectory() as folder:
        async with _service(Path(folder)) as url:
            found = await _something_of_each(url)
            sizes = [
                *[await _take(browser, f"{url}{path.format(**found)}", name) for name, path in PAGES.items()],
                await _take(browser, f"{url}/", "sources-dark", scheme="dark"),
                await _take(browser, f"{url}/", "sources-phone", size=PHONE),
            ]
            await _crawl_all_pages(url)
            return [*sizes, await _take(browser, f"{url}/crawl", "crawl")]


async def _of_many(browser: Browser) -> int:
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "many.db"
        async with Database(f"sqlite:///{database}") as db:
            await fill(db, sources=_MANY, pages=_MANY)
        async with served(Path(folder), database) as (url, _):
            return await _take(browser, f"{url}/lamps?by=tag", "lamps")


@asynccontextmanager
async def _service(folder: Path) -> AsyncIterator[str]:
    """The service with its demo, on free ports, until the block ends."""
    port = _free_ports()
    program = Path(sys.executable).parent / "lamplighter"
    command = [str(program), "serve", "--port", str(port), "--data", str(folder), "--demo"]
    # What the environment of whoever takes pictures says is not to be seen on them.
    given = {name: value for name, value in os.environ.items() if not name.startswith("LAMPLIGHTER_")}
    env = given | {"LAMPLIGHTER_LOG_LEVEL": "warning"}
    process = await asyncio.create_subprocess_exec(*command, env=env, stdout=asyncio.subprocess.DEVNULL)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.send_signal(signal.SIGTERM)
        await process.wait()


def _free_ports() -> int:
    """The first of some free ports in a row."""
    for first in range(8060, 9000, 10):
        try:
            for port in range(first, first + _PORTS):
                socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        return first
    raise SystemExit("no free ports between 8060 and 9000")


async def _something_of_each(url: str) -> dict[str, str]:
    """One of everything that has a page of its own, as soon as the demo has its past and enough to look at."""
    await _until_there_are_records(url)
    await _until_its_past_is_made(url)
    # The first runs after it end, and the schedule is made.
    await asyncio.sleep(20)
    sources = json.loads(await _asked(f"{url}/api/v1/sources"))["sources"]
    source = sources[0]
    products = json.loads(await _asked(f"{url}/api/v1/records?kind=product&limit=20"))["records"]
    details = [json.loads(await _asked(f"{url}/api/v1/records/{each['id']}")) for each in products]
    problem = re.search(r'href="/alerts/problems/(drift[^"]+)"', await _asked(f"{url}/alerts"))
    run = re.search(r'href="/runs/([0-9a-f-]{36})', await _asked(f"{url}/runs"))
    host = source["url"].split("/")[2]
    return {
        "source": source["id"],
        "drifted": next(each["id"] for each in sources if each["name"] == _DRIFTED),
        "problem": problem[1] if problem else "",
        "record": max(details, key=lambda each: each["revision"])["id"],
        "run": run[1] if run else "",
        "host": host,
        "url": source["url"],
    }


async def _crawl_all_pages(url: str) -> None:
    """Watches each site once more, whose pages are all new to that source, and waits until it is in full swing."""
    for source in json.loads(await _asked(f"{url}/api/v1/sources"))["sources"]:
        new = {"url": f"{source['url']}?again", "name": f"All of {source['name']}"}
        await _asked(f"{url}/api/v1/sources", body=json.dumps(new).encode())
    await asyncio.sleep(_RUNS_SECONDS)


async def _until_there_are_records(url: str) -> None:
    async with asyncio.timeout(_PATIENCE_SECONDS):
        while await _records(url) < _RECORDS:  # noqa: ASYNC110 - another process
            await asyncio.sleep(1)


async def _until_its_past_is_made(url: str) -> None:
    async with asyncio.timeout(_PATIENCE_SECONDS):
        while "are being made at this moment" in await _asked(f"{url}/"):  # noqa: ASYNC110 - another process
            await asyncio.sleep(1)


async def _records(url: str) -> int:
    """How many there are; none while nobody answers."""
    try:
        return int(json.loads(await _asked(f"{url}/api/v1/records?limit=1"))["total"])
    except OSError:
        return 0


async def _asked(url: str, *, body: bytes | None = None) -> str:
    """What is answered; with a body something is done."""
    request = Request(url, body, {"Content-Type": "application/json"} if body else {})

    def ask() -> str:
        with urlopen(request, timeout=10) as answer:
            return str(answer.read().decode())

    return await asyncio.to_thread(ask)


async def _take(browser: Browser, url: str, name: str, *, size: tuple[int, int] = DESK, scheme: str = "light") -> int:
    """One picture; returns how large it became."""
    width, height = size
    page: Page = await browser.new_page(
        viewport={"width": width, "height": height},
        color_scheme=scheme,  # type: ignore[arg-type]
        locale="en-GB",
        timezone_id="UTC",
    )
    answer = await page.goto(url, wait_until="load")
    if answer is None or not answer.ok:
        raise SystemExit(f"{url} answered {answer and answer.status}")
    if name == "teach":
        await page.frame_locator("#archived").locator("td.title a").nth(1).click()
        await page.locator("#lasting").wait_for()
        await page.evaluate("scrollTo(0, 0)")
    # Curves are drawn, and times shown, after the page is there.
    await page.wait_for_timeout(500)
    taken = Image.open(BytesIO(await page.screenshot()))
    await page.close()
    file = PICTURES / f"{name}.png"
    with_few_colours(taken.convert("RGB")).save(file, optimize=True)
    length = file.stat().st_size
    print(f"{file.relative_to(ROOT)}: {length // 1000} KB")
    return length


def with_few_colours(taken: Image.Image) -> Image.Image:
    """The picture in the colours that it has most of, unmixed: a failed request is not to look like a fetched one."""
    counted = taken.getcolors(taken.width * taken.height) or []
    most = [cast("tuple[int, ...]", colour) for _, colour in sorted(counted, reverse=True)[:_COLOURS]]
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for colour in most for part in colour])
    return taken.quantize(palette=palette, dither=Image.Dither.NONE)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
