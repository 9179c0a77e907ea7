"""How promising is a discovered link as a source of its own? Up to a hundred points, in parts that people can check."""

from dataclasses import dataclass
from datetime import datetime, timedelta

#: after this long a link that nobody heard of says nothing
STALE_AFTER = timedelta(days=30)
#: sources beyond which one more says nothing
MOST_SOURCES = 5
_READABLE = ("html", "xml", "json", "rss", "atom")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One reason, and what it is worth."""

    points: int
    most: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The parts together."""

    parts: tuple[Part, ...]

    @property
    def points(self) -> int:
        """0 to 100."""
        return sum(part.points for part in self.parts)


def score(
    *, status: int | None, content_type: str | None, source_count: int, heard_of_at: datetime, now: datetime
) -> Score:
    """It answers, it can be read, several sources know it, and it was heard of lately."""
    return Score(
        parts=(
            _answers(status),
            _readable(content_type),
            _known(source_count),
            _recent(max(now - heard_of_at, timedelta(0))),
        )
    )


def _answers(status: int | None) -> Part:
    if status is None:
        return Part(points=0, most=30, why="was not asked for yet")
    is_good = 200 <= status < 300 or status == 304
    return Part(points=30 if is_good else 0, most=30, why=f"answers with {status}")


def _readable(content_type: str | None) -> Part:
    if content_type is None:
        return Part(points=0, most=30, why="its type is not known")
    kind = content_type.partition(";")[0].strip().lower()
    can_read = any(word in kind for word in _READABLE)
    return Part(points=30 if can_read else 0, most=30, why=f"{kind} can{'' if can_read else 'not'} be read for records")


def _known(sources: int) -> Part:
    counted = min(sources, MOST_SOURCES)
    return Part(
        points=4 * counted, most=20, why=f"{sources} source{'s' * (sources != 1)} know{'s' * (sources == 1)} it"
    )


def _recent(age: timedelta) -> Part:
    share = max(0.0, 1 - age / STALE_AFTER)
    when = "today" if age < timedelta(days=1) else f"{age.days} d ago"
    return Part(points=round(20 * share), most=20, why=f"last heard of {when}")
