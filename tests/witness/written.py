"""Access logs as people write them down: a line for each request, `when path status name=value …`."""

import shlex
from collections.abc import Iterator

from tests.origin import Hit

SITE = "site.example"
AGENT = "LamplighterBot/1.0 (+https://operator.example/bot)"
#: seconds that an answer takes unless a line says how long it `took`
TOOK = 0.1
_OF_REQUESTS = {"host", "user-agent", "if-none-match", "if-modified-since", "authorization", "cookie"}


def log(text: str) -> list[Hit]:
    """The lines of a text; `-` for a status means that there was no proper answer."""
    return list(_hits(text))


def _hits(text: str) -> Iterator[Hit]:
    for number, line in enumerate(filter(None, map(str.strip, text.splitlines()))):
        at, path, status, *more = shlex.split(line.replace('"', '\\"'))
        said = dict(each.split("=", 1) for each in more)
        method, end = said.pop("method", "GET"), float(at) + float(said.pop("took", TOOK))
        headers = {"host": SITE, "user-agent": AGENT}
        headers |= {name: said.pop(name) for name in _OF_REQUESTS & said.keys()}
        is_proper = status != "-"
        yield Hit(
            number=number,
            method=method,
            path=path,
            headers=headers,
            arrived=float(at),
            in_flight=1,
            answered=end if is_proper else None,
            finished=end,
            status=int(status) if is_proper else 200,
            sent=said,
        )
