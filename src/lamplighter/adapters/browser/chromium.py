"""Renders pages in Chromium: headless, without a network, and restarted often.

Chromium sends nothing itself. Every request of a page's scripts is handed to the caller, which sends it through the
fetch layer or refuses it; images, fonts, styles and media are never requested. It runs in a process group of its own,
which is killed when a page takes too long, and is replaced after some pages whatever it leaks.
"""

import asyncio
import base64
import os
import shutil
import signal
import sys
import tempfile
from asyncio.subprocess import DEVNULL, Process
from contextlib import suppress
from typing import Any

from lamplighter import telemetry
from lamplighter.adapters.browser.devtools_pipe import BrowserGone, DevToolsPipe
from lamplighter.ports import AskForScript, NotRendered

log = telemetry.logger("render")
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_PAGES_PER_BROWSER = 50
_START_SECONDS = 20.0
#: a page is done when nothing was requested or received for this long
QUIET_SECONDS = 0.6
#: characters of a URL in a message
_SHOWN_OF_URL = 200
#: types that scripts need; everything else is refused at once
_WANTED = frozenset({"Document", "Script", "XHR", "Fetch"})
_FLAGS = (
    "--headless=new",
    "--remote-debugging-pipe",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--no-default-browser-check",
    "--mute-audio",
    "--blink-settings=imagesEnabled=false",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    # Should anything slip past the interception, it finds no host and no route.
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=http://127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
)
#: the environment variables that a browser needs. It runs code of strangers: our secrets, which are in our
#: environment too, must not be in its memory.
_ENVIRONMENT = (
    "CHROME_DEVEL_SANDBOX",
    "FONTCONFIG_FILE",
    "FONTCONFIG_PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "LD_LIBRARY_PATH",
    "PATH",
    "TMPDIR",
    "TZ",
    "XDG_CONFIG_HOME",
    "XDG_CACHE_HOME",
)
#: Chromium expects its pipes at 3 and 4; this moves them there and becomes Chromium.
_BECOME = """
import fcntl, os, sys
reads, writes = (fcntl.fcntl(int(end), fcntl.F_DUPFD, 10) for end in sys.argv[1:3])
os.dup2(reads, 3), os.dup2(writes, 4)
os.execvp(sys.argv[3], sys.argv[3:])
"""


class Chromium:
    """A browser for one page at a time, started when first needed."""

    def __init__(self, *, program: str | None = None, seconds: float) -> None:
        self._program = program
        #: a page may take this long
        self.seconds = seconds
        self._one_page = asyncio.Lock()
        self._process: Process | None = None
        self._pages = 0

    @property
    def pid(self) -> int | None:
        """The browser's process, which leads its group; None while no browser is running."""
        return self._process.pid if self._process is not None else None

    async def render(self, url: str, html: bytes, content_type: str, ask: AskForScript) -> bytes:
        """The page after its scripts have run, as UTF-8; NotRendered when it was not ready in time."""
        async with self._one_page:
            try:
                async with asyncio.timeout(self.seconds):
                    if self._process is None or self._pages >= _PAGES_PER_BROWSER:
                        await self._restart()
                    self._pages += 1
                    return await _Tab(self._pipe, url, html, content_type, ask).rendered()
            except TimeoutError:
                await self.close()
                raise NotRendered(f"the page was not ready after {self.seconds:g} s in the browser") from None
            except NotRendered:
                raise
            except (BrowserGone, OSError) as error:
                await self.close()
                raise NotRendered(f"the browser failed: {error}") from None
            except BaseException:
                await self.close()
                raise

    async def close(self) -> None:
        """Ends the browser and every process it started."""
        process, self._process = self._process, None
        if process is None:
            return
        await self._pipe.close()
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
        await asyncio.to_thread(shutil.rmtree, self._profile, ignore_errors=True)

    async def _restart(self) -> None:
        await self.close()
        names = (self._program,) if self._program else _NAMES
        program = next((path for name in names if (path := shutil.which(name))), None)
        if program is None:
            raise NotRendered(f"no browser was found as {', '.join(names)}; install one, or set LAMPLIGHTER_CHROMIUM")
        self._profile = await asyncio.to_thread(tempfile.mkdtemp, prefix="lamplighter-browser-")
        self._pipe = DevToolsPipe()
        reads, writes = self._pipe.browser_ends
        flags = [*_FLAGS, f"--user-data-dir={self._profile}"]
        if os.geteuid() == 0:
            flags.append("--no-sandbox")  # Chromium refuses to sandbox itself as root
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-IS", "-c", _BECOME, str(reads), str(writes), program, *flags, "about:blank"),
            stdin=DEVNULL,
            stdout=DEVNULL,
            stderr=DEVNULL,
            pass_fds=(reads, writes),
            env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
            start_new_session=True,
        )
        self._pages = 0
        await self._pipe.open()
        async with asyncio.timeout(_START_SECONDS):
            await self._pipe.call("Browser.getVersion")
        log.info("browser.started", pid=self._process.pid)


class _Tab:
    """One page in a browser context of its own: no cookies, no cache, nothing shared with other pages."""

    def __init__(self, pipe: DevToolsPipe, url: str, html: bytes, content_type: str, ask: AskForScript) -> None:
        self._pipe = pipe
        self._url = url
        self._html = html
        self._content_type = content_type
        self._ask = ask
        self._session = ""
        #: the main frame of the page
        self._frame = ""
        #: where the page tried to navigate; None while it stays
        self._led_to: str | None = None
        self._loaded = asyncio.Event()
        self._asking: set[asyncio.Task[None]] = set()
        self._last_busy = 0.0

    async def rendered(self) -> bytes:
        """Loads the page, waits until it is idle, and returns its markup."""
        context = (await self._pipe.call("Target.createBrowserContext"))["browserContextId"]
        try:
            target = await self._pipe.call("Target.createTarget", {"url": "about:blank", "browserContextId": context})
            attached = await self._pipe.call("Target.attachToTarget", {"targetId": target["targetId"], "flatten": True})
            self._session, self._frame = attached["sessionId"], target["targetId"]
            self._pipe.listen(self._session, self._on_event)
            await self._do("Page.enable")
            await self._do("Network.setBypassServiceWorker", {"bypass": True})
            await self._do("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})
            await self._do("Page.navigate", {"url": self._url})
            await self._loaded.wait()
            await self._quiet()
            if self._led_to is not None:
                raise NotRendered(
                    f"its scripts navigate to {self._led_to[:_SHOWN_OF_URL]}, where the browser may not go"
                )
            result = await self._do(
                "Runtime.evaluate", {"expression": "document.documentElement.outerHTML", "returnByValue": True}
            )
            return str(result.get("result", {}).get("value", "")).encode("utf-8", "replace")
        finally:
            self._pipe.listen(self._session, None)
            for task in self._asking:
                task.cancel()
            self._pipe.send("Target.disposeBrowserContext", {"browserContextId": context})

    async def _do(self, method: str, params: dict[str, Any] | None = None) -> Any:
        return await self._pipe.call(method, params, session=self._session)

    async def _quiet(self) -> None:
        loop = asyncio.get_running_loop()
        while self._asking or loop.time() - self._last_busy < QUIET_SECONDS:  # noqa: ASYNC110 - silence is awaited
            await asyncio.sleep(QUIET_SECONDS / 4)

    def _on_event(self, method: str, params: dict[str, Any]) -> None:
        if method == "Page.loadEventFired":
            self._loaded.set()
        elif method == "Fetch.requestPaused":
            self._last_busy = asyncio.get_running_loop().time()
            task = asyncio.create_task(self._answer(params))
            self._asking.add(task)
            task.add_done_callback(self._answered)
        elif method == "Page.javascriptDialogOpening":
            self._pipe.send("Page.handleJavaScriptDialog", {"accept": False}, session=self._session)

    def _answered(self, task: asyncio.Task[None]) -> None:
        """A late response may lead to more requests: the idle time starts again."""
        self._asking.discard(task)
        self._last_busy = asyncio.get_running_loop().time()

    async def _answer(self, params: dict[str, Any]) -> None:
        """Answers one request of the page: with what we have, with what the caller fetches, or with a refusal."""
        request, kind = params["request"], params.get("resourceType")
        url = str(request["url"]).partition("#")[0]
        if kind == "Document" and url == self._url.partition("#")[0]:
            await self._fulfil(params, 200, self._content_type, self._html)
            return
        is_wanted = kind in _WANTED and kind != "Document" and request.get("method") == "GET"
        got = await self._ask(url, is_script=kind == "Script") if is_wanted else None
        if got is None:
            if kind == "Document" and params.get("frameId") == self._frame:
                # Half a page is left, and the browser replaces it by an error page of its own.
                self._led_to = url
                self._loaded.set()
            await self._do("Fetch.failRequest", {"requestId": params["requestId"], "errorReason": "BlockedByClient"})
        else:
            await self._fulfil(params, got.status, got.content_type or "text/plain", got.body)

    async def _fulfil(self, params: dict[str, Any], status: int, content_type: str, body: bytes) -> None:
        headers = {"Content-Type": content_type, "Access-Control-Allow-Origin": "*"}
        await self._do(
            "Fetch.fulfillRequest",
            {
                "requestId": params["requestId"],
                "responseCode": status,
                "responseHeaders": [{"name": name, "value": value} for name, value in headers.items()],
                "body": base64.b64encode(body).decode(),
            },
        )
