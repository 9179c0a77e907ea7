"""Template filters for times, links, numbers and plots."""

import re
from datetime import datetime, timedelta
from typing import Any

from markupsafe import Markup, escape

from lamplighter.model.plot import Plot

#: the format of times in reasons and messages
_STAMP = re.compile(r"\b(\d{4}-\d\d-\d\d) (\d\d:\d\d(?::\d\d)?) UTC\b")
_NEXT_TRY = re.compile(rf"; next try {_STAMP.pattern}$")
#: the counts in a run's message, as crawl/runs/run_finish.py writes them
_COUNTS = re.compile(
    r"\d+ pages? \((?P<pages>\d+ unchanged, \d+ refused, \d+ failed)\), \d+ records?"
    r"(?:: (?P<records>\d+ new, \d+ changed(?:, \d+ as before)?(?:, \d+ skipped)?))?"
)
_UNITS = ((86400, "d"), (3600, "h"), (60, "min"))


def ago(moment: datetime | None, now: datetime) -> str:
    """A relative time: 5 min ago, in 83 s."""
    if moment is None:
        return "-"
    away = moment - now
    seconds = int(abs(away).total_seconds())
    if not seconds:
        return "now"
    words = next((f"{seconds // size} {unit}" for size, unit in _UNITS if seconds >= 2 * size), f"{seconds} s")
    return f"in {words}" if away > timedelta(0) else f"{words} ago"


def stamp(moment: datetime | None) -> str:
    """The exact time in UTC, for a tooltip."""
    # Not by strftime, which takes ten times as long; a page has a hundred times.
    return f"{moment.isoformat(' ', 'seconds')[:19]} UTC" if moment is not None else ""


def time_ago(moment: datetime, now: datetime) -> Markup:
    """A relative time as a <time> element; a script updates it in the viewer's time zone."""
    # Built here and not in a template, because a page may have a hundred. Nothing in it needs escaping.
    return Markup(f'<time datetime="{moment.isoformat()}" title="{stamp(moment)}" data-ago>{ago(moment, now)}</time>')


def timed(text: str) -> Markup:
    """Escaped text whose UTC times become <time> elements; a script shows them in the viewer's time zone."""
    element = r'<time datetime="\1T\2+00:00" title="\1 \2 UTC" data-clock>\1 \2 UTC</time>'
    return Markup(_STAMP.sub(element, str(escape(text))))


def but_for_next_try(text: str) -> str:
    """A reason without its trailing "next try" time, for places that show the current time beside it."""
    return _NEXT_TRY.sub("", text)


def web_link(url: str) -> str | None:
    """The URL if it is http or https, otherwise None."""
    return url if url.startswith(("http://", "https://")) else None


def thousands(number: int) -> str:
    """A number with thousands separators: 12 345."""
    return f"{number:,}".replace(",", "\u202f")


def counted(number: int, word: str) -> str:
    """A number with its noun: 1 run, 2 runs, 3 entries."""
    plural = f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"
    return f"{thousands(number)} {word if number == 1 else plural}"


def up_to(number: int, most: int) -> str:
    """A number with an upper limit: 1 000+ if it exceeds `most`."""
    return f"{thousands(most)}+" if number > most else thousands(number)


def code_spans(text: str) -> Markup:
    """Escaped text with `backticks` shown as code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def spaced(word: object) -> str:
    """A machine word with spaces instead of underscores."""
    return str(word).replace("_", " ")


def percent(part: float | None) -> str:
    """A share as a percentage: 0.942 is 94 %; nearly 100 % is not rounded to 100 %."""
    if part is None:
        return "-"
    shown = 100 * part
    if 99.5 <= shown < 100 or 0 < shown < 0.5:
        return f"{shown:.1f}\u202f%" if 0.1 <= shown <= 99.9 else ("< 0.1\u202f%" if shown < 1 else "> 99.9\u202f%")
    return f"{shown:.0f}\u202f%"


def duration(time: timedelta | float | None) -> str:
    """A duration: 340 ms, 12 s, 5 min, 3 h, 2 d; a plain number means seconds."""
    if time is None:
        return "-"
    seconds = time.total_seconds() if isinstance(time, timedelta) else float(time)
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    for size, unit in _UNITS:
        if seconds >= 2 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"


def byte_size(count: int | None) -> str:
    """A size in bytes: 812 B, 14 KB, 3.2 MB."""
    if count is None:
        return "-"
    size = float(count)
    for unit in ("B", "KB", "MB", "GB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} TB"


def plot_data(plot: Plot) -> dict[str, Any]:
    """A plot for the script that draws it; times are Unix timestamps."""
    return {
        "times": [round(time.timestamp()) for time in plot.times],
        "unit": plot.unit,
        "stacked": plot.is_stacked,
        "series": [{"label": each.label, "values": each.values, "tone": each.tone} for each in plot.series],
    }


def without_noughts(message: str) -> str:
    """The message, its counts shortened: 61 pages (1 refused), 120 records: 48 new, 72 as before."""
    return _COUNTS.sub(_shortened, message)


def beyond_counts(message: str) -> str:
    """The message without its counts; empty when nothing remains."""
    return _COUNTS.sub("", message).strip(" ;,")


def _shortened(found: re.Match[str]) -> str:
    whole, pages, records = found[0], _some(found["pages"]), _some(found["records"] or "")
    head = whole.partition(" (")[0] + (f" ({pages})" if pages else "")
    tail = whole.partition("), ")[2].partition(":")[0] + (f": {records}" if records else "")
    return f"{head}, {tail}"


def _some(counts: str) -> str:
    return ", ".join(each for each in counts.split(", ") if each and not each.startswith("0 "))
