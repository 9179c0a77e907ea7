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
from urllib.request import urlopen

from PIL import Image
from playwright.async_api import Browser, Page, async_playwright

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
DESK, PHONE = (1400, 900), (390, 844)
#: the demo serves its sites on the ports after the service's own
_PORTS = 6
_RECORDS = 150
_PATIENCE_SECONDS = 180
_MOST_BYTES = 120_000
#: name -> path, with what was found in the demo in braces
PAGES = {
    "sources": "/",
    "lamps": "/lamps?by=tag",
    "source": "/sources/{source}",
    "add": "/sources/add",
    "crawl": "/crawl",
    "run": "/runs/{run}/log",
    "schedule": "/schedule",
    "pages": "/pages",
    "links": "/links",
    "changes": "/changes",
    "records": "/records",
    "record": "/records/{record}",
    "hosts": "/hosts",
    "host": "/hosts/{host}",
    "proxies": "/proxies",
    "events": "/events",
    "audit": "/audit",
    "alerts": "/alerts",
    "settings": "/settings",
    "tags": "/settings/tags",
    "notifications": "/settings/notifications",
    "storage": "/settings/storage",
    "explain": "/explain?url={url}",
    "bot": "/bot",
}


async def main() -> int:
    """Takes all of them; 1 when one became too large for the repository."""
    browser_path = shutil.which("chromium")
    if browser_path is None:
        print("chromium is not installed (Debian package chromium)", file=sys.stderr)
        return 1
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        async with _service(Path(folder)) as url, async_playwright() as playwright:
            found = await _something_of_each(url)
            browser = await playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
            sizes = [
                *[await _take(browser, f"{url}{path.format(**found)}", name) for name, path in PAGES.items()],
                await _take(browser, f"{url}/", "sources-dark", scheme="dark"),
                await _take(browser, f"{url}/", "sources-phone", size=PHONE),
            ]
            await browser.close()
    return int(max(sizes) > _MOST_BYTES)


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
    source = json.loads(await _asked(f"{url}/api/v1/sources?limit=1"))["sources"][0]
    record = json.loads(await _asked(f"{url}/api/v1/records?limit=1"))["records"][0]
    run = re.search(r'href="/runs/([0-9a-f-]{36})', await _asked(f"{url}/runs"))
    host = source["url"].split("/")[2]
    return {
        "source": source["id"],
        "record": record["id"],
        "run": run[1] if run else "",
        "host": host,
        "url": source["url"],
    }


async def _until_there_are_records(url: str) -> None:
    async with asyncio.timeout(_PATIENCE_SECONDS):
        while await _records(url) < _RECORDS:  # noqa: ASYNC110 - another process
            await asyncio.sleep(1)
        # The runs that brought them end, and the schedule is made.
        await asyncio.sleep(20)


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


async def _asked(url: str) -> str:
    def ask() -> str:
        with urlopen(url, timeout=10) as answer:
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
    # Curves are drawn, and times shown, after the page is there.
    await page.wait_for_timeout(500)
    taken = Image.open(BytesIO(await page.screenshot()))
    await page.close()
    file = PICTURES / f"{name}.png"
    taken.convert("RGB").quantize(128, dither=Image.Dither.NONE).save(file, optimize=True)
    length = file.stat().st_size
    print(f"{file.relative_to(ROOT)}: {length // 1000} KB")
    return length


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
