"""What does the robots.txt that we keep say of a URL or a host, and in which line?"""

from dataclasses import dataclass
from datetime import datetime

from lamplighter.fetch.gate import judge_robots
from lamplighter.fetch.robots_cache import Compiled
from lamplighter.model.host import RobotsFile, RobotsState
from lamplighter.model.visit import Refused
from lamplighter.operations import robots as known_robots
from lamplighter.rules import robots, urls
from lamplighter.store import robots_files
from lamplighter.store.database import Connection

#: lines that are shown; the one that decided is among them
MOST_LINES = 400
#: characters of a line that are shown
LONGEST_LINE = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsLines:
    """The text of a robots.txt for people."""

    #: number, from 1, and what stands there
    lines: tuple[tuple[int, str], ...]
    #: how many lines the whole has
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsStanding:
    """What a robots.txt says, as last seen."""

    file: RobotsFile
    text: RobotsLines
    #: None where no URL was asked about
    allowed: bool | None
    #: in words: the rule, or why there is none
    why: str
    #: the line that decided; None when none did
    line: int | None
    #: whose rules those are: our own, or those for everybody
    group: str | None

    def is_out_of_date(self, now: datetime) -> bool:
        """Whether it would be asked for again before anything else is."""
        return self.file.expires_at <= now


async def of_url(db: Connection, url: str, *, token: str) -> RobotsStanding | None:
    """What is said of a URL; None when the robots.txt of its origin was never asked for."""
    target = urls.parse(url)
    file = await robots_files.get(db, target.origin)
    if file is None:
        return None
    compiled = Compiled(file=file, rules=robots.compile_robots(file.body))
    answer = judge_robots(compiled, token=token, url=target.href)
    verdict = compiled.verdict(token, target.href) if file.state is not RobotsState.UNREACHABLE else None
    line = verdict.line if verdict is not None else None
    return RobotsStanding(
        file=file,
        text=_text(file.body, around=line),
        allowed=not isinstance(answer, Refused),
        why=answer.detail if isinstance(answer, Refused) else answer.rule,
        line=line,
        group=verdict.group if verdict is not None else None,
    )


async def of_host(db: Connection, key: str, *, token: str) -> RobotsStanding | None:
    """What is said on a host to us; of its two origins, that which was asked last."""
    found = await known_robots.known(db, key, token=token)
    if found is None:
        return None
    count = len(found.disallow)
    rules = f"{count} path{'s' * (count != 1)} closed to us" if count else "nothing closed to us"
    return RobotsStanding(file=found.file, text=_text(found.file.body), allowed=None, why=rules, line=None, group=None)


def _text(body: bytes, *, around: int | None = None) -> RobotsLines:
    """The lines as the parser counts them, those around one of them where there are too many."""
    lines = body.splitlines()
    first = max(0, min((around or 1) - MOST_LINES // 2, len(lines) - MOST_LINES))
    shown = enumerate(lines[first : first + MOST_LINES], start=first + 1)
    return RobotsLines(
        lines=tuple((number, line.decode("utf-8", "replace")[:LONGEST_LINE]) for number, line in shown),
        total=len(lines),
    )
