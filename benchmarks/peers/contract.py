"""What every contender is given, and what it must print."""

import argparse
import json
from dataclasses import asdict, dataclass


@dataclass(slots=True, kw_only=True)
class Tally:
    """What a contender did; printed as one line of JSON, the last on its standard output."""

    #: Pages fetched with status 200 and read.
    pages: int = 0
    #: JSON-LD postings (records) found.
    items: int = 0
    #: `a[href]` values read, before any choice among them.
    links: int = 0

    def report(self) -> None:
        """Prints the line."""
        print(json.dumps(asdict(self)), flush=True)


def bases() -> list[str]:
    """The first page of each host, from the command line: `--base URL [URL ...]`."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--base", nargs="+", required=True, metavar="URL", help="first page of each host")
    arguments = parser.parse_args()
    return list(arguments.base)
