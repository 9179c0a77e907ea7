"""What runs write down for their operators: which actions there are, and how much of it all is kept."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple, Self


class Level(StrEnum):
    """How much a line matters, the least first."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"

    @property
    def and_above(self) -> tuple["Level", ...]:
        """This level and those that matter more."""
        levels = tuple(Level)
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


class Action(StrEnum):
    """What happened, in words that programs may rely on: they are never renamed, and mean the same for ever."""

    category: Category
    #: unless the line itself says otherwise
    level: Level
    #: for people, in one sentence
    meaning: str

    def __new__(cls, word: str, category: Category, level: Level, meaning: str) -> Self:
        """A word with all that is declared of it."""
        member = str.__new__(cls, word)
        member._value_ = word
        member.category, member.level, member.meaning = category, level, meaning
        return member

    RUN_OPENED = "run.opened", Category.LIFECYCLE, Level.INFO, "A run began."
    RUN_FINISHED = (
        *("run.finished", Category.LIFECYCLE, Level.INFO),
        "A run ended by itself: what it came to, how long it took, when the next one is and why; a warning when "
        "not all went well, an error when it failed.",
    )
    RUN_CANCELLED = "run.cancelled", Category.LIFECYCLE, Level.INFO, "Somebody stopped a run."
    LINES_LEFT_OUT = (
        *("lines.left_out", Category.LIFECYCLE, Level.WARNING),
        "The log grew too long: so many lines are not kept.",
    )
    DRIFT_FOUND = (
        *("drift.found", Category.LIFECYCLE, Level.WARNING),
        "The pages show far fewer records than before: the extractor may be broken.",
    )
    TURN_WAITED = "turn.waited", Category.FETCH, Level.DEBUG, "A request waited for its host's turn."
    PAGE_FETCHED = "page.fetched", Category.FETCH, Level.DEBUG, "A page came and is to be read."
    PAGE_UNCHANGED = "page.unchanged", Category.FETCH, Level.DEBUG, "A page is as it was: 304, or the very same bytes."
    PAGE_RETRIED = "page.retried", Category.FETCH, Level.WARNING, "A page was not had, and is asked for again later."
    PAGE_FAILED = "page.failed", Category.FETCH, Level.WARNING, "A page was not had in this run."
    REDIRECT_FOLLOWED = "redirect.followed", Category.FETCH, Level.DEBUG, "A page redirects; its target is asked for."
    SOURCE_MOVED = (
        *("source.moved", Category.FETCH, Level.WARNING),
        "The start page redirects for good (301, 308): its source is better given the new URL.",
    )
    REDIRECT_REFUSED = (
        *("redirect.refused", Category.FETCH, Level.WARNING),
        "A page redirects in a circle or away from the source's sites, and is not followed.",
    )
    ROBOTS_REFUSED = (
        *("robots.refused", Category.ROBOTS, Level.WARNING),
        "robots.txt forbids a page, or could not be had: it was not asked for.",
    )
    GATE_REFUSED = (
        *("gate.refused", Category.GATE, Level.WARNING),
        "We did not ask for a page for another reason: takedown, breaker, address, a secret that is missing.",
    )
    COOKIES_IGNORED = "cookies.ignored", Category.COOKIES, Level.INFO, "Cookies of a site were not taken, and why."
    PAGE_READ = "page.read", Category.PARSE, Level.DEBUG, "A page was read: how many records and links it shows."
    PAGE_UNREADABLE = "page.unreadable", Category.PARSE, Level.WARNING, "A page could not be read, or not be stored."
    PAGE_OBSTRUCTED = (
        *("page.obstructed", Category.PARSE, Level.WARNING),
        "Something else stood where the content should be: a login page, a bot challenge.",
    )
    PARSE_NOTED = "parse.noted", Category.PARSE, Level.WARNING, "Something about reading a page was odd."
    RECORDS_SKIPPED = "records.skipped", Category.RECORD, Level.WARNING, "Records were not kept, and why."
    LINKS_LEFT = (
        *("links.left", Category.FRONTIER, Level.DEBUG),
        "Links were not followed, because the run may ask for no more pages.",
    )


class Kept(NamedTuple):
    """What is kept of the lines that a run writes."""

    lines: list[dict[str, Any]]
    #: how many were to be written, kept or not
    written: int

    @property
    def left_out(self) -> int:
        """How many were not kept."""
        return self.written - len(self.lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Keeping:
    """How much of its log a run keeps."""

    #: lines below this level are not even written; a run's beginning and end always are
    level: Level = Level.INFO
    #: of one run; beyond it only warnings and errors are kept, up to as many again
    lines: int = 2000

    def wants(self, level: Level) -> bool:
        """Whether lines of this level are written."""
        return level in self.level.and_above

    def kept(self, lines: Iterable[dict[str, Any]], *, written: int, left_out: int) -> Kept:
        """Those of a run's new lines that are kept, when it had `written` so many before, some of them left out."""
        wanted = [line for line in lines if self.wants(Level(line["level"]))]
        kept: list[dict[str, Any]] = []
        for place, line in enumerate(wanted, written):
            is_telling = line["level"] in _TELLING
            room = 2 * self.lines - (written - left_out) - len(kept)
            if place < self.lines or (is_telling and room > 0):
                kept.append(line)
        return Kept(kept, len(wanted))


_TELLING = frozenset(Level.WARNING.and_above)
