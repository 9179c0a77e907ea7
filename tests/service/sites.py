"""Sites for tests to crawl."""

import json

from tests.origin import Origin


def posting_html(number: int, *, title: str | None = None) -> str:
    """A posting with its structured data."""
    data = {
        "@context": "https://schema.org",
        "@type": "JobPosting",
        "title": title or f"Posting {number:02}",
        "hiringOrganization": {"@type": "Organization", "name": "Lantern Works"},
        "datePosted": "2026-03-01",
        "description": f"Keep lamp {number} lit.",
    }
    return (
        f"<html lang=en><head><title>{data['title']}</title>"
        f'<script type="application/ld+json">{json.dumps(data)}</script></head>'
        f'<body><h1>{data["title"]}</h1><a href="/jobs">All jobs</a></body></html>'
    )


def amid_prose(href: str, text: str) -> str:
    """A link in a sentence."""
    return f'There is a way <a href="{href}">{text}</a> which somebody may want to take when the lamps are lit again.'


def links_html(*hrefs: str, head: str = "", text: str = "") -> str:
    """A page of links in sentences, so that it is no list of records."""
    anchors = "".join(f"<p>{amid_prose(href, f'to {href}')}</p>" for href in hrefs)
    return f"<html><head>{head}</head><body>{text}{anchors}</body></html>"


def job_board(origin: Origin, *, postings: int, per_page: int, secrets: bool = False) -> None:
    """A board at /jobs, its postings at /job/N, each with validators; with `secrets`, links to /secret/N as well.

    The board tells of its postings in sentences, so that records come from the postings alone.
    """
    count = -(-postings // per_page)
    for index in range(count):
        numbers = range(index * per_page, min(postings, (index + 1) * per_page))
        links = "".join(f"<li>{amid_prose(f'/job/{number}', f'Posting {number:02}')}</li>" for number in numbers)
        if secrets:
            links += "".join(f"<li>{amid_prose(f'/secret/{number}', 'Secret')}</li>" for number in numbers)
        following = f'<a rel="next" href="/jobs?page={index + 2}">Next</a>' if index + 1 < count else ""
        path = "/jobs" if index == 0 else f"/jobs?page={index + 1}"
        origin.page(path, f"<html><body><ul>{links}</ul>{following}</body></html>", etag=f'"list-{index}"')
    for number in range(postings):
        origin.page(f"/job/{number}", posting_html(number), etag=f'"job-{number}"')


LISTING = "".join(
    f'<li><a href="/job/{n}">Lamplighter of district {n}</a> <span>Deadline: {n} March 2027</span></li>'
    for n in range(1, 8)
)
