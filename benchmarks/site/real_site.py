"""The site of the real crawl: real pages spread over hosts, each host with a first page that links to all of its own.

The pages are those of `../shared/real-pages`, which are no part of this repository. Where they are not there, pages of
our own with the same distribution of sizes take their place.
"""

import gzip
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

from benchmarks.site.site import address, page_html
from benchmarks.site.site_text import paragraphs

REAL_PAGES: Final = Path(__file__).resolve().parents[3] / "shared" / "real-pages" / "dev"
#: KB of the real pages at every twentieth, the smallest first
_SIZES_KB: Final = (4, 22, 33, 42, 51, 62, 76, 86, 100, 115, 127, 142, 171, 207, 244, 308, 364, 436, 543, 684)
_WRITTEN_AT: Final = 1_736_150_400
#: what the real pages link to is not there
_ROBOTS: Final = "User-agent: *\nAllow: /$\nAllow: /page/\nDisallow: /\n"
#: one page in so many changes
CHANGED_EVERY: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class RealSite:
    """Pages on disk, in one folder per host."""

    folder: Path
    hosts: int
    #: without the first page of each host
    pages: int

    @property
    def addresses(self) -> tuple[str, ...]:
        """The loopback address of each host."""
        return tuple(address(host) for host in range(self.hosts))

    def bases(self, port: int) -> tuple[str, ...]:
        """The first page of each host."""
        return tuple(f"http://{name}:{port}/" for name in self.addresses)

    @classmethod
    def written(cls, folder: Path, *, hosts: int, pages: int) -> "RealSite":
        """Writes as many pages, the real ones in turn; no two are the same, as each ends with its own number."""
        for number, body in zip(range(pages), _bodies(), strict=False):
            path = _path(folder, number, hosts)
            path.parent.mkdir(parents=True, exist_ok=True)
            _write(path, body + b"\n<!-- page %d -->\n" % number)
        for host in range(hosts):
            links = "".join(f'<p><a href="/page/{n}.html">Page {n}</a></p>\n' for n in range(host, pages, hosts))
            top = f"<!doctype html><title>Host {host}</title><h1>Pages of host {host}</h1>\n{links}"
            root = folder / address(host)
            _write(root / "index.html", top.encode())
            _write(root / "robots.txt", _ROBOTS.encode())
        return cls(folder=folder, hosts=hosts, pages=pages)

    def change_some(self, visit: int) -> int:
        """A tenth of the pages says something new; returns how many."""
        changed = range(0, self.pages, CHANGED_EVERY)
        for number in changed:
            path = _path(self.folder, number, self.hosts)
            news = f"<p>Notice {visit} of page {number}: {paragraphs(host=visit, page=number, count=1)[0]}</p>\n"
            _write(path, _with_news(path.read_bytes(), news.encode()), written_at=_WRITTEN_AT + visit)
        return len(changed)


def _with_news(body: bytes, news: bytes) -> bytes:
    """The page with a new paragraph at the end of its text."""
    end = body.lower().rfind(b"</body")
    return body + news if end < 0 else body[:end] + news + body[end:]


def _path(folder: Path, number: int, hosts: int) -> Path:
    return folder / address(number % hosts) / "page" / f"{number}.html"


def _write(path: Path, body: bytes, *, written_at: int = _WRITTEN_AT) -> None:
    path.write_bytes(body)
    os.utime(path, (written_at, written_at))


def _bodies() -> Iterator[bytes]:
    """Pages without end: the real ones, again and again, or ours."""
    real = [path for path in sorted(REAL_PAGES.glob("*/*.html.gz")) if _is_html(path)]
    Random("real").shuffle(real)  # so that few pages are like many
    number = 0
    while True:
        if real:
            yield gzip.decompress(real[number % len(real)].read_bytes())
        else:
            yield _own(number)
        number += 1


def _is_html(path: Path) -> bool:
    """Whether the page says its encoding itself: nginx says none."""
    label = json.loads(path.with_name(path.name.replace(".html.gz", ".json")).read_text())
    return "charset" not in str(label.get("content_type", "")) or "utf-8" in str(label["content_type"]).lower()


def _own(number: int) -> bytes:
    """A page of ours as large as a real one."""
    wanted = 1000 * _SIZES_KB[number * 7 % len(_SIZES_KB)]
    page = page_html(host=number % 50, page=number, page_count=1_000_000)
    missing = max(0, (wanted - len(page)) // 500)
    more = "".join(f"<div><p>{text}</p></div>\n" for text in paragraphs(host=1, page=number, count=missing))
    return page.replace("</article>", f"{more}</article>").encode()
