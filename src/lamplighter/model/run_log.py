"""The log of runs: its actions, levels, and how much of it is kept."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple, Self


class LogLevel(StrEnum):
    """The level of a line, the lowest first."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"

    @property
    def and_above(self) -> tuple["LogLevel", ...]:
        """This level and the higher ones."""
        levels = tuple(LogLevel)
        return levels[levels.index(self) :]


class Category(StrEnum):
    """What a line is about."""

    LIFECYCLE = "lifecycle"
    FETCH = "fetch"
    ROBOTS = "robots"
    GATE = "gate"
    COOKIES = "cookies"
    PARSE = "parse"
    RECORD = "record"
    FRONTIER = "frontier"


class LogAction(StrEnum):
    """What happened, in words that programs may rely on: they are never renamed."""

    category: Category
    #: the default level of its lines
    level: LogLevel
    #: for operators, in one sentence
    meaning: str

    def __new__(cls, word: str, category: Category, level: LogLevel, meaning: str) -> Self:
        """An action with its category, level and meaning."""
        member = str.__new__(cls, word)
        member._value_ = word
        member.category, member.level, member.meaning = category, level, meaning
        return member

    RUN_OPENED = "run.opened", Category.LIFECYCLE, LogLevel.INFO, "A run started."
    RUN_FINISHED = (
        *("run.finished", Category.LIFECYCLE, LogLevel.INFO),
        "A run ended by itself: its result, how long it took, when the next one is and why; a warning when "
        "there were problems, an error when it failed.",
    )
    RUN_CANCELLED = "run.cancelled", Category.LIFECYCLE, LogLevel.INFO, "An operator stopped a run."
    LINES_LEFT_OUT = (
        *("lines.left_out", Category.LIFECYCLE, LogLevel.WARNING),
        "The log became too long: so many lines are not kept.",
    )
    DRIFT_FOUND = (
        *("drift.found", Category.LIFECYCLE, LogLevel.WARNING),
        "The run found far fewer records than before: the extractor may be broken.",
    )
    TURN_WAITED = "turn.waited", Category.FETCH, LogLevel.DEBUG, "A request waited for its host's turn."
    PAGE_FETCHED = "page.fetched", Category.FETCH, LogLevel.DEBUG, "A page was fetched and waits to be parsed."
    PAGE_UNCHANGED = "page.unchanged", Category.FETCH, LogLevel.DEBUG, "A page is unchanged: 304, or the same bytes."
    PAGE_RETRIED = "page.retried", Category.FETCH, LogLevel.WARNING, "A page could not be fetched and is retried later."
    PAGE_FAILED = "page.failed", Category.FETCH, LogLevel.WARNING, "A page could not be fetched in this run."
    REDIRECT_FOLLOWED = "redirect.followed", Category.FETCH, LogLevel.DEBUG, "A page redirects; its target is fetched."
    SOURCE_MOVED = (
        *("source.moved", Category.FETCH, LogLevel.WARNING),
        "The start page redirects permanently (301, 308): the source should get the new URL.",
    )
    REDIRECT_REFUSED = (
        *("redirect.refused", Category.FETCH, LogLevel.WARNING),
        "A page redirects in a loop or away from the source's sites; the redirect is not followed.",
    )
    ROBOTS_REFUSED = (
        *("robots.refused", Category.ROBOTS, LogLevel.WARNING),
        "robots.txt forbids a page, or could not be fetched: the page was not fetched.",
    )
    GATE_REFUSED = (
        *("gate.refused", Category.GATE, LogLevel.WARNING),
        "A page was not fetched for another reason: takedown, breaker, address, a missing secret.",
    )
    COOKIES_IGNORED = "cookies.ignored", Category.COOKIES, LogLevel.INFO, "Cookies of a site were not kept, and why."
    PAGE_READ = "page.read", Category.PARSE, LogLevel.DEBUG, "A page was parsed: how many records and links it has."
    PAGE_UNREADABLE = "page.unreadable", Category.PARSE, LogLevel.WARNING, "A page could not be parsed or stored."
    PAGE_OBSTRUCTED = (
        *("page.obstructed", Category.PARSE, LogLevel.WARNING),
        "A page came with something else instead of its content: a login page, a bot challenge.",
    )
    PARSE_NOTED = "parse.noted", Category.PARSE, LogLevel.WARNING, "Parsing a page found something odd."
    RECORDS_SKIPPED = "records.skipped", Category.RECORD, LogLevel.WARNING, "Records were not kept, and why."
    LINKS_LEFT = (
        *("links.left", Category.FRONTIER, LogLevel.DEBUG),
        "Links were not followed, because the run's page limit was reached.",
    )


class LogRetention(NamedTuple):
    """The lines of a run that are kept."""

    lines: list[dict[str, Any]]
    #: lines written, kept or not
    written: int

    @property
    def left_out(self) -> int:
        """How many were not kept."""
        return self.written - len(self.lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Keeping:
    """How much of its log a run keeps."""

    #: lines below this level are not written; a run's beginning and end always are
    level: LogLevel = LogLevel.INFO
    #: of one run; beyond it only warnings and errors are kept, up to as many again
    lines: int = 2000

    def wants(self, level: LogLevel) -> bool:
        """Whether lines of this level are written."""
        return level in self.level.and_above

    def kept(self, lines: Iterable[dict[str, Any]], *, written: int, left_out: int) -> LogRetention:
        """Which of a run's new lines are kept, given the lines written and left out before."""
        wanted = [line for line in lines if self.wants(LogLevel(line["level"]))]
        kept: list[dict[str, Any]] = []
        for place, line in enumerate(wanted, written):
            is_telling = line["level"] in _TELLING
            room = 2 * self.lines - (written - left_out) - len(kept)
            if place < self.lines or (is_telling and room > 0):
                kept.append(line)
        return LogRetention(kept, len(wanted))


_TELLING = frozenset(LogLevel.WARNING.and_above)
