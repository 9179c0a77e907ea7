"""Which site do all contenders crawl? A static one, written to disk once and the same on every machine.

Hosts are loopback addresses on one port. Page 0 of a host is `/`; page i links to pages 2i+1 and 2i+2, so that every
page is reachable from `/`, and to its neighbours and some others. No two pages are equal, neither within a host nor
between hosts: a crawler that keeps bodies by content hash must not get 49 of 50 for nothing.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final

from benchmarks.site.site_text import ROLES, Posting, paragraphs, posting

#: Raise it when the pages change, so that folders written by an older version are written anew.
_EDITION: Final = "3"
_MODIFIED_AT: Final = 1_736_150_400
_HOSTS_PER_NETWORK: Final = 250
_RELATED: Final = 16

ROBOTS: Final = """\
User-agent: *
Disallow: /account/
Disallow: /admin/
Disallow: /apply/
Disallow: /basket
Disallow: /cgi-bin/
Disallow: /compare/
Disallow: /internal/
Disallow: /jobs/*/print$
Disallow: /jobs/*?session=
Disallow: /jobs/drafts/
Disallow: /login
Disallow: /preview/
Disallow: /search
Disallow: /staging/
Disallow: /tmp/
Disallow: /*.pdf$
Disallow: /*/feedback
Disallow: /*utm_source=
Allow: /jobs/
Allow: /search/help

User-agent: Pushybot
Disallow: /
"""

_STYLE: Final = "\n".join(
    f".c{n}{{margin:{n % 7}px {n % 5}px;padding:{n % 9}px;border-bottom:1px solid #{n * 997 % 4096:03x}}}"
    for n in range(40)
)


class UnevenSiteError(ValueError):
    """The pages cannot be spread evenly over the hosts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SitePlan:
    """How many pages each host has."""

    #: One entry per host.
    page_counts: tuple[int, ...]

    @classmethod
    def even(cls, *, pages: int, hosts: int) -> "SitePlan":
        """The same number of pages on every host."""
        if hosts < 1 or pages < hosts or pages % hosts:
            raise UnevenSiteError(f"Cannot spread {pages} pages evenly over {hosts} hosts; take a multiple of hosts.")
        return cls(page_counts=(pages // hosts,) * hosts)

    @property
    def pages(self) -> int:
        """Pages of all hosts together."""
        return sum(self.page_counts)

    @property
    def addresses(self) -> tuple[str, ...]:
        """The loopback address of each host."""
        return tuple(address(host) for host in range(len(self.page_counts)))

    def bases(self, port: int) -> tuple[str, ...]:
        """The address of each host's page 0."""
        return tuple(f"http://{name}:{port}/" for name in self.addresses)

    @property
    def stamp(self) -> str:
        """Text that differs whenever the files on disk would."""
        return f"edition {_EDITION}, pages per host {','.join(map(str, self.page_counts))}\n"


def address(host: int) -> str:
    """The loopback address that plays a host: 127.0.1.1, 127.0.1.2 and so on."""
    network, place = divmod(host, _HOSTS_PER_NETWORK)
    return f"127.0.{network + 1}.{place + 1}"


def write_site(plan: SitePlan, folder: Path) -> None:
    """Puts one folder of pages per host into `folder`, unless this very site is there already."""
    stamp = folder / "stamp.txt"
    if stamp.is_file() and stamp.read_text() == plan.stamp:
        return

    stamp.unlink(missing_ok=True)
    for host, page_count in enumerate(plan.page_counts):
        root = folder / address(host)
        (root / "jobs").mkdir(parents=True, exist_ok=True)
        _write(root / "robots.txt", ROBOTS)
        for page in range(page_count):
            _write(root / _file_of(page), page_html(host=host, page=page, page_count=page_count))
    stamp.write_text(plan.stamp)


def link_all(plan: SitePlan, folder: Path) -> None:
    """Has the first page of each host of a written site link to all others of its host."""
    for host, page_count in enumerate(plan.page_counts):
        links = "".join(f'<p><a href="{_path_of(page)}">Page {page}</a></p>\n' for page in range(1, page_count))
        top = f"<!doctype html><title>Host {host}</title><h1>Pages of host {host}</h1>\n{links}"
        _write(folder / address(host) / _file_of(0), top)


def _write(path: Path, text: str) -> None:
    path.write_text(text)
    # nginx makes the ETag of the time of writing and the length: fixed, so that two machines send the same.
    os.utime(path, (_MODIFIED_AT, _MODIFIED_AT))


def _file_of(page: int) -> str:
    return "index.html" if page == 0 else f"jobs/{ROLES[page % len(ROLES)]}-{page:06d}.html"


def _path_of(page: int) -> str:
    return "/" if page == 0 else f"/{_file_of(page)}"


def page_html(*, host: int, page: int, page_count: int) -> str:
    """One page: about 29 KB, some 40 links, one JobPosting."""
    job = posting(host=host, page=page)
    text = paragraphs(host=host, page=page, count=42)
    body = (*_header(page, page_count), *_article(page, page_count, job, text), *_footer(page_count))
    return "\n".join((*_head(job, text[0]), *body))


def _head(job: Posting, summary: str) -> Iterator[str]:
    yield f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{escape(job.title)}</title>'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f'<meta name="description" content="{escape(summary[:150])}">'
    yield f'<meta property="og:title" content="{escape(job.title)}">'
    yield f"<style>\n{_STYLE}\n</style>"
    yield f'<script type="application/ld+json">\n{job.json_ld(summary)}\n</script>\n</head>'


def _link(target: int, label: str, page_count: int) -> str:
    return f'<a href="{_path_of(target % page_count)}" class="c{target % 40}">{label}</a>'


def _header(page: int, page_count: int) -> Iterator[str]:
    yield '<body>\n<header id="top" class="c1">\n<nav aria-label="Main">\n<ul>'
    yield from (f'<li class="c2">{_link(target, f"Section {target}", page_count)}</li>' for target in range(7))
    yield "</ul>\n</nav>\n</header>"
    # Written relative to the document, as some sites do: "../" leads to the root both from "/" and from "/jobs/…".
    parent = _path_of((page - 1) // 2 % page_count)
    yield f'<nav aria-label="Breadcrumb">{_link(0, "Start", page_count)} / <a href="..{parent}">Up</a></nav>'


def _article(page: int, page_count: int, job: Posting, text: list[str]) -> Iterator[str]:
    yield f'<main>\n<article class="c3">\n<h1>{escape(job.title)}</h1>\n<p class="c4"><b>{escape(job.employer)}</b></p>'
    for number, paragraph in enumerate(text):
        if number % 8 == 0:
            yield f'<h2 class="c5">Part {number // 8 + 1}</h2>'
        yield f'<div class="c{number}"><p>{paragraph}</p></div>'
    yield from _table(job)
    yield f'<p><a href="#top">Back to the top</a> <a href="{_path_of(page)}#apply">How to apply</a></p>\n</article>'
    yield '<aside class="c6">\n<h2>Similar jobs</h2>\n<ol>'
    yield from (_card(target, page_count) for target in _neighbours(page, page_count))
    yield "</ol>\n</aside>\n</main>"


def _table(job: Posting) -> Iterator[str]:
    yield "<table>\n<tbody>"
    for name, value in (("Reference", job.reference), ("Town", job.town), ("Terms", job.terms), ("Salary", job.salary)):
        yield f'<tr class="c7"><th scope="row">{name}</th><td>{escape(str(value))}</td></tr>'
    yield "</tbody>\n</table>"


def _neighbours(page: int, page_count: int) -> Iterator[int]:
    yield from (target for target in (2 * page + 1, 2 * page + 2) if target < page_count)
    yield page - 1
    yield page + 1
    yield from (page * 7 + 13 * number + 1 for number in range(_RELATED))


def _card(target: int, page_count: int) -> str:
    label = _link(target, f"Job {target % page_count}", page_count)
    return f'<li class="c8"><div class="c9"><h3>{label}</h3><span>new</span><span class="c10">on site</span></div></li>'


def _footer(page_count: int) -> Iterator[str]:
    yield '<footer class="c11">\n<ul>'
    yield from (f"<li>{_link(target, f'About {target}', page_count)}</li>" for target in range(6))
    yield '<li><a href="https://partner.example/jobs" rel="external">Partner</a></li>'
    yield '<li><a href="https://social.example/share" rel="nofollow external">Share</a></li>'
    yield '<li><a href="mailto:jobs@site.example">Write to us</a></li>'
    yield "</ul>\n<p>All jobs here are made up.</p>\n</footer>\n</body>\n</html>\n"
