"""What every contender is given, and what it must print."""

import argparse
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple


@dataclass(slots=True, kw_only=True)
class Tally:
    """What a contender did; printed as one line of JSON, the last on its standard output."""

    #: Pages fetched with status 200 and read.
    pages: int = 0
    #: JSON-LD postings (records) found.
    items: int = 0
    #: `a[href]` values read, before any choice among them.
    links: int = 0
    #: CPU seconds until the first request could be sent.
    started: float = 0.0
    #: CPU ms of reading one page, of all that were read so far; 0 from those who do not measure it
    reading_ms: float = 0.0

    def report(self) -> None:
        """Prints the line."""
        print(json.dumps(asdict(self)), flush=True)


class Given(NamedTuple):
    """What the command line says."""

    #: the first page of each host
    bases: list[str]
    #: where the contender keeps what it found, for its next visit; None if it need not
    state: Path | None
    #: links from the first page that are followed; peers that keep pages follow one
    depth: int


def given() -> Given:
    """`--base URL [URL ...] [--state FOLDER] [--depth 1]`."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--base", nargs="+", required=True, metavar="URL", help="first page of each host")
    parser.add_argument("--state", type=Path, metavar="FOLDER", help="where to keep what is found")
    parser.add_argument("--depth", type=int, default=100, help="links to follow from the first page (100)")
    arguments = parser.parse_args()
    return Given(list(arguments.base), arguments.state, arguments.depth)


def bases() -> list[str]:
    """The first page of each host."""
    return given().bases
