"""Do slow answers hold other hosts back? 700 hosts that take 0.2 to 2 s for each answer, and what the site's log says.

    python -m benchmarks.delayed [--hosts 700] [--pages 20] [--slots 512]

A page is due when its host's delay is over, which begins with the answer before. Its lateness is the time from then to
its request, by the clock of the site: a sum of finding it, of waiting for a slot, and of sending.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from benchmarks import ours
from benchmarks.measuring.findings import Figure, Findings, Part, Sheet, Size, Tell
from benchmarks.measuring.showing import alone
from benchmarks.site.site import address
from lamplighter import telemetry
from lamplighter.cli.terminal import loop
from lamplighter.setting_fields import SettingFields

_REPOSITORY: Final = Path(__file__).resolve().parent.parent
_FASTEST, _SLOWEST = 0.2, 2.0
#: of each host
_DELAY_SECONDS: Final = 0.5
#: a page may be so late, at the 95th percentile
LATE_SECONDS: Final = 1.0
#: so many pages a second, all in all: less would not show whether pages wait for one another
LEAST_PAGES: Final = 300.0
#: hosts, pages of each, slots: 700 hosts with 1.6 s from one page to the next could be asked for 440 pages a second
_SIZES: Final = {Size.FULL: (700, 20, (512,)), Size.QUICK: (100, 5, (512,)), Size.TINY: (3, 2, (8,))}


class Asked(NamedTuple):
    """One request, by the site's clock."""

    began: float
    answered: float


class Lateness(NamedTuple):
    """Of all pages of a crawl."""

    slots: int
    #: seconds, at these percentiles
    middle: float
    p95: float
    worst: float
    pages_per_second: float
    cpu_ms: float


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, log: list[object], pages: int) -> None:
    """Answers on one connection, each time after a while that depends on host and path alone."""
    host = writer.get_extra_info("sockname")[0]
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            began, path = time.time(), head.split(b" ", 2)[1].decode()
            body = _body(path, pages)
            if path != "/robots.txt":
                await asyncio.sleep(Random(f"{host}{path}").uniform(_FASTEST, _SLOWEST))
                log.append((host, began, time.time()))
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


def _body(path: str, pages: int) -> bytes:
    if path == "/robots.txt":
        return b"User-agent: *\nDisallow: /private/\n"
    links = "".join(f'<p><a href="/page/{number}">Page {number}</a></p>' for number in range(1, pages))
    return f"<!doctype html><title>{path}</title><h1>Slow page {path}</h1>{links if path == '/' else ''}".encode()


async def _be_the_site(hosts: int, pages: int) -> None:
    """Serves until standard input ends, then prints what was asked for."""
    log: list[object] = []
    names = [address(host) for host in range(hosts)]
    first = await asyncio.start_server(lambda r, w: _answer(r, w, log, pages), names[0], 0, backlog=1024)
    port = first.sockets[0].getsockname()[1]
    if names[1:]:
        await asyncio.start_server(lambda r, w: _answer(r, w, log, pages), names[1:], port, backlog=1024)
    print(port, flush=True)
    await asyncio.to_thread(sys.stdin.read)
    print(json.dumps(log), flush=True)


@contextmanager
def _site(hosts: int, pages: int) -> Iterator["subprocess.Popen[str]"]:
    command = [
        sys.executable,
        "-m",
        "benchmarks.delayed",
        "--be-the-site",
        "--hosts",
        str(hosts),
        "--pages",
        str(pages),
    ]
    site = subprocess.Popen(command, cwd=_REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield site
    finally:
        site.kill()
        site.wait()


def measured(hosts: int, pages: int, slots: Sequence[int], *, tell: Tell) -> Findings:
    """One crawl for each number of slots."""
    found = []
    for number in slots:
        tell(f"{hosts} slow hosts with {number} slots")
        found.append(_crawled(hosts, pages, number))
    usual = SettingFields.model_fields["fetch_slots"].default
    return Findings(
        figures=tuple(figure for each in found if each.slots >= min(hosts, usual) for figure in _promises(each, hosts)),
        sheets=(
            Sheet(
                title=f"{hosts} hosts with {pages} pages each, answers after 0.2 to 2 s",
                headings=("slots", "late s, middle", "95th percentile", "worst", "pages/s", "CPU ms a page"),
                rows=tuple(
                    (
                        f"{each.slots:,}",
                        *(f"{value:.2f}" for value in (each.middle, each.p95, each.worst)),
                        f"{each.pages_per_second:.0f}",
                        f"{each.cpu_ms:.2f}",
                    )
                    for each in found
                ),
                note=f"{usual:,} slots is the default.",
            ),
        ),
    )


def _promises(found: Lateness, hosts: int) -> Iterator[Figure]:
    late, pages = f"lateness of a due page, 95th percentile, {found.slots} slots", round(found.pages_per_second)
    yield Figure(name=late, value=round(found.p95, 2), unit="s", at_most=LATE_SECONDS)
    if hosts >= _SIZES[Size.FULL][0]:
        yield Figure(name="pages a second from slow hosts", value=pages, unit="pages/s", at_least=LEAST_PAGES)


def _crawled(hosts: int, pages: int, slots: int) -> Lateness:
    with tempfile.TemporaryDirectory(prefix="lamplighter-delayed-") as folder, _site(hosts, pages) as site:
        assert site.stdout is not None
        port = int(site.stdout.readline())
        urls = [f"http://{address(host)}:{port}/" for host in range(hosts)]
        began = time.process_time()
        settings = ours.bench_settings(
            Path(folder),
            fetch_slots=slots,
            max_concurrency=1,
            min_delay_ms=round(1000 * _DELAY_SECONDS),
            max_open_runs=hosts,
        )
        loop.run(ours.crawl_with(settings, urls, max_depth=1))
        spent = time.process_time() - began
        told, _ = site.communicate()
    return lateness(_by_host(json.loads(told)), slots=slots, cpu_seconds=spent)


def _by_host(log: Sequence[tuple[str, float, float]]) -> dict[str, list[Asked]]:
    by_host: dict[str, list[Asked]] = {}
    for host, began, answered in sorted(log, key=lambda line: line[1]):
        by_host.setdefault(host, []).append(Asked(began, answered))
    return by_host


def lateness(by_host: Mapping[str, Sequence[Asked]], *, slots: int, cpu_seconds: float) -> Lateness:
    """How long after it was due each page was asked for, but the first of each host."""
    late = sorted(
        after.began - before.answered - _DELAY_SECONDS
        for asked in by_host.values()
        for before, after in pairwise(asked)
    )
    times = [each for asked in by_host.values() for each in asked]
    took = max(each.began for each in times) - min(each.began for each in times)
    return Lateness(
        slots=slots,
        middle=late[len(late) // 2],
        p95=late[len(late) * 95 // 100],
        worst=late[-1],
        pages_per_second=len(times) / took,
        cpu_ms=1000 * cpu_seconds / len(times),
    )


def main() -> int:
    """Measures what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, default=700)
    parser.add_argument("--pages", type=int, default=20)
    parser.add_argument("--slots", default="512")
    parser.add_argument("--be-the-site", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.be_the_site:
        asyncio.run(_be_the_site(given.hosts, given.pages))
        return 0
    telemetry.configure("error")
    slots = [int(number) for number in given.slots.split(",")]
    return alone(lambda tell: measured(given.hosts, given.pages, slots, tell=tell))


PART: Final = Part(
    name="delayed",
    title="Slow answers",
    about=(
        "Hosts that take 0.2 to 2 s for each answer and are asked one request at a time, half a second after the "
        "answer before. A page is due when that time is over; by the site's own log, how late is its request?"
    ),
    run=lambda size, tell: measured(*_SIZES[size], tell=tell),
)


if __name__ == "__main__":
    sys.exit(main())
