"""A host as a lane on a time axis: a bar for each request, its delay as a line after it, and the next planned turn."""

from collections import Counter
from datetime import datetime

from markupsafe import Markup, escape

from lamplighter.model.fleet import LANE_SPAN
from lamplighter.rules.hosts import lanes
from lamplighter.rules.hosts.lanes import Lane
from lamplighter.web.words import duration

#: how far a lane reaches into the future, a quarter of the past, as the style sheet has it
AHEAD = LANE_SPAN / 4
_WIDTH, _HEIGHT = 1000, 24
_SHORTEST = 2.0
_NOW = round(_WIDTH * (LANE_SPAN / (LANE_SPAN + AHEAD)))


def lane_picture(lane: Lane, now: datetime) -> Markup:
    """The lane as an SVG picture with a text that says the same."""
    # Built here and not in a template, because a lane has up to sixty requests. But for the host's name, which is
    # escaped, there is nothing in it but numbers and our words.
    shapes: dict[str, list[str]] = {}
    delays: list[str] = []
    for past in lane.requests:
        left, right = _x(past.began_at, now), _x(past.ended_at, now)
        if right <= 0:
            continue
        left = max(0.0, left)
        shape = f"M{left:.1f} 3h{max(_SHORTEST, right - left):.1f}v18h-{max(_SHORTEST, right - left):.1f}z"
        shapes.setdefault(past.outcome, []).append(shape)
        end = min(float(_WIDTH), _x(lanes.free_at(past), now))
        if past.delay and end > right:
            delays.append(f"M{right:.1f} 12H{end:.1f}")
    drawn = "".join(f'<path class="{word}" d="{"".join(each)}"/>' for word, each in sorted(shapes.items()))
    waits = f'<path class="delay" d="{"".join(delays)}"/>' if delays else ""
    text = escape(summary(lane))
    head = f'<svg class="lane" viewBox="0 0 {_WIDTH} {_HEIGHT}" preserveAspectRatio="none" role="img"'
    line = f'<path class="now" d="M{_NOW} 0v{_HEIGHT}"/>'
    return Markup(f'{head} aria-label="{text}">{waits}{drawn}{line}{_next_turn(lane, now)}</svg>')


def summary(lane: Lane) -> str:
    """The lane in words: a.example: 3 requests (2 fetched, 1 failed); delay 2 s, shortest gap 2.1 s."""
    counts = Counter(past.outcome for past in lane.requests)
    told = ", ".join(f"{count} {word}" for word, count in sorted(counts.items()))
    requests = f"{len(lane.requests)} request{'s' if len(lane.requests) != 1 else ''}"
    facts = f"; {pace(lane)}" if lane.requests else ""
    return f"{lane.host}: {requests}" + (f" ({told})" if told else "") + facts


def pace(lane: Lane) -> str:
    """The delay of a lane, and the shortest gap that was kept."""
    kept = f", shortest gap {duration(lane.shortest_gap)}" if lane.shortest_gap is not None else ""
    return f"delay {duration(lane.delay)}{kept}" if lane.delay else f"no delay{kept}"


def later_turn(lane: Lane, now: datetime) -> datetime | None:
    """The next turn if it lies beyond the picture."""
    return lane.next_at if lane.next_at is not None and lane.next_at - now > AHEAD else None


def _next_turn(lane: Lane, now: datetime) -> str:
    if lane.next_at is None or later_turn(lane, now) is not None:
        return ""
    return f'<path class="next" d="M{_x(lane.next_at, now):.1f} 2v20"/>'


def _x(moment: datetime, now: datetime) -> float:
    """Where a time lies, from 0."""
    return (moment - now + LANE_SPAN) / (LANE_SPAN + AHEAD) * _WIDTH
