"""The sites of the real soak, in a process of their own: `python -m benchmarks.soak.origins FOLDER`.

It writes `ready` (the port) when all sites listen, `requests` (how many there were) every few seconds, and on SIGTERM
`access.jsonl`: one request per line with the site that it went to. A site is a loopback address; all share one port.
"""

import argparse
import asyncio
import json
import signal
import time
from contextlib import AsyncExitStack, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Final

from benchmarks.soak.sites import Rhythm, SoakSite
from tests.origin import Origin

READY: Final = "ready"
REQUESTS: Final = "requests"
ACCESS_LOG: Final = "access.jsonl"
_SITES_PER_NETWORK: Final = 200
_COUNT_SECONDS: Final = 2.0


def address(number: int) -> str:
    """The loopback address that plays a site."""
    network, place = divmod(number, _SITES_PER_NETWORK)
    return f"127.7.{network}.{place + 1}"


def main() -> None:
    """Serves until it is told to stop."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sites", type=int, required=True)
    parser.add_argument("--seconds", type=float, required=True, help="of the whole soak")
    parser.add_argument("--change-seconds", type=float, required=True, help="how often changing pages change")
    arguments = parser.parse_args()
    rhythm = Rhythm(change_seconds=arguments.change_seconds, total_seconds=arguments.seconds)
    asyncio.run(_serve(arguments.folder, arguments.sites, rhythm))


async def _serve(folder: Path, count: int, rhythm: Rhythm) -> None:
    told_to_stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, told_to_stop.set)
    began = time.monotonic()
    async with AsyncExitStack() as stack:
        port = 0
        sites = []
        for number in range(count):
            origin = await stack.enter_async_context(Origin(address(number), port=port))
            port = origin.port
            sites.append(SoakSite(number, origin, rhythm=rhythm, seconds=lambda: time.monotonic() - began))
        (folder / READY).write_text(str(port))
        while not told_to_stop.is_set():
            _write_whole(folder / REQUESTS, str(sum(len(site.origin.log) for site in sites)))
            with suppress(TimeoutError):
                await asyncio.wait_for(told_to_stop.wait(), _COUNT_SECONDS)
        _write_log(folder / ACCESS_LOG, sites)


def _write_whole(file: Path, text: str) -> None:
    """Whoever reads it meanwhile gets the old text or the new one."""
    new = file.with_suffix(".new")
    new.write_text(text)
    new.replace(file)


def _write_log(file: Path, sites: list[SoakSite]) -> None:
    with file.open("w") as log:
        for site in sites:
            for hit in site.origin.log:
                log.write(json.dumps({"site": site.origin.address, **asdict(hit)}) + "\n")


if __name__ == "__main__":
    main()
