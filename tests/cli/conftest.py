"""The command line in this process, with a data folder of its own, and a site to crawl."""

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from lamplighter.cli.main import app
from tests.origin import ThreadedOrigin

JOB = """<html><head><title>{title}</title><script type="application/ld+json">
{{"@context": "https://schema.org", "@type": "JobPosting", "title": {title_json},
"hiringOrganization": {{"name": "Quay"}}, "datePosted": "2026-01-05", "description": "Guides ships into the harbour."}}
</script></head><body><h1>{title}</h1></body></html>"""


@dataclass(frozen=True)
class Answer:
    """What a command answered."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Its standard output as JSON."""
        return json.loads(self.out)


Lamplighter = Callable[..., Answer]


def job_page(title: str) -> str:
    """A page with one job posting that says so itself."""
    return JOB.format(title=title, title_json=json.dumps(title))


@pytest.fixture
def site() -> Iterator[ThreadedOrigin]:
    """A site with a listing of two jobs and one page that robots.txt forbids."""
    with ThreadedOrigin() as origin:
        origin.robots("User-agent: *\nDisallow: /private\n")
        origin.page("/jobs", '<title>Jobs</title><a href="/jobs/1">Pilot</a><a href="/jobs/2">Curator</a>', etag='"1"')
        origin.page("/jobs/1", job_page("Harbour pilot"), etag='"2"')
        origin.page("/jobs/2", job_page("Museum curator"), etag='"3"')
        yield origin


@pytest.fixture
def environment(tmp_path: Path, site: ThreadedOrigin) -> dict[str, str]:
    """What the program is told from outside: nothing of this machine's own settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LAMPLIGHTER_")}
    return kept | {
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "LAMPLIGHTER_DATA_DIR": str(tmp_path / "data"),
        "LAMPLIGHTER_ALLOW_HOSTS": site.address,
        "LAMPLIGHTER_MIN_DELAY_MS": "10",
        "COLUMNS": "200",
    }


@pytest.fixture
def lamplighter(environment: dict[str, str]) -> Lamplighter:
    """Runs a command: `lamplighter("crawl", url)`."""

    def run(*words: str | Path, **extra: str) -> Answer:
        result = CliRunner().invoke(app, [str(word) for word in words], env=environment | extra)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Answer(result.exit_code, result.stdout, result.stderr)

    return run
