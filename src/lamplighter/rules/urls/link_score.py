"""How promising is a discovered link as a source of its own? Up to a hundred points, in parts that people can check."""

from dataclasses import dataclass
from datetime import datetime, timedelta

#: a link that was last seen longer ago than this gets no points for recency
STALE_AFTER = timedelta(days=30)
#: sources beyond this number add no points
MOST_SOURCES = 5
_READABLE = ("html", "xml", "json", "rss", "atom")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorePart:
    """One reason, and its points."""

    points: int
    most: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The parts together."""

    parts: tuple[ScorePart, ...]

    @property
    def points(self) -> int:
        """0 to 100."""
        return sum(part.points for part in self.parts)


def score(
    *, status: int | None, content_type: str | None, source_count: int, heard_of_at: datetime, now: datetime
) -> Score:
    """The score: the link responds, can be parsed, several sources link to it, and it was seen recently."""
    return Score(
        parts=(
            _answers(status),
            _readable(content_type),
            _known(source_count),
            _recent(max(now - heard_of_at, timedelta(0))),
        )
    )


def _answers(status: int | None) -> ScorePart:
    if status is None:
        return ScorePart(points=0, most=30, why="not fetched yet")
    is_good = 200 <= status < 300 or status == 304
    return ScorePart(points=30 if is_good else 0, most=30, why=f"responds with {status}")


def _readable(content_type: str | None) -> ScorePart:
    if content_type is None:
        return ScorePart(points=0, most=30, why="unknown content type")
    kind = content_type.partition(";")[0].strip().lower()
    can_read = any(word in kind for word in _READABLE)
    why = f"{kind} can{'' if can_read else 'not'} be parsed for records"
    return ScorePart(points=30 if can_read else 0, most=30, why=why)


def _known(sources: int) -> ScorePart:
    counted = min(sources, MOST_SOURCES)
    return ScorePart(
        points=4 * counted, most=20, why=f"{sources} source{'s' * (sources != 1)} link{'s' * (sources == 1)} to it"
    )


def _recent(age: timedelta) -> ScorePart:
    share = max(0.0, 1 - age / STALE_AFTER)
    when = "today" if age < timedelta(days=1) else f"{age.days} d ago"
    return ScorePart(points=round(20 * share), most=20, why=f"last seen {when}")
