"""Times, links and numbers as a person reads them: the filters of the templates."""

import re
from collections.abc import Iterable
from datetime import datetime, timedelta

from markupsafe import Markup, escape

#: as reasons and messages have a time in them
_STAMP = re.compile(r"\b(\d{4}-\d\d-\d\d) (\d\d:\d\d(?::\d\d)?) UTC\b")
_NEXT_TRY = re.compile(rf"; next try {_STAMP.pattern}$")
_UNITS = ((86400, "d"), (3600, "h"), (60, "min"))


def ago(moment: datetime | None, now: datetime) -> str:
    """How long ago something was, or how soon it will be."""
    if moment is None:
        return "-"
    away = moment - now
    seconds = int(abs(away).total_seconds())
    if not seconds:
        return "now"
    words = next((f"{seconds // size} {unit}" for size, unit in _UNITS if seconds >= 2 * size), f"{seconds} s")
    return f"in {words}" if away > timedelta(0) else f"{words} ago"


def stamp(moment: datetime | None) -> str:
    """The exact time, for a tooltip."""
    # Not by strftime, which takes ten times as long; a page has a hundred of them.
    return f"{moment.isoformat(' ', 'seconds')[:19]} UTC" if moment is not None else ""


def time_ago(moment: datetime, now: datetime) -> Markup:
    """The same as an element: how long ago, the exact time on hover; a script shows it in the viewer's zone."""
    # Made here and not in a template, as one of them may have a hundred. There is nothing in it to be escaped.
    return Markup(f'<time datetime="{moment.isoformat()}" title="{stamp(moment)}" data-ago>{ago(moment, now)}</time>')


def timed(text: str) -> Markup:
    """Text whose times become elements, which a script shows in the viewer's zone; everything is escaped."""
    element = r'<time datetime="\1T\2+00:00" title="\1 \2 UTC" data-clock>\1 \2 UTC</time>'
    return Markup(_STAMP.sub(element, str(escape(text))))


def but_for_next_try(text: str) -> str:
    """A reason that stands beside the time when it ends: without the time that held when it was written down."""
    return _NEXT_TRY.sub("", text)


def web_link(url: str) -> str | None:
    """The URL if a browser may follow it, None for anything that is not http or https."""
    return url if url.startswith(("http://", "https://")) else None


def thousands(number: int) -> str:
    """12 345, so that it can be read."""
    return f"{number:,}".replace(",", "\u202f")


def counted(number: int, word: str) -> str:
    """1 run, 2 runs, 3 entries."""
    plural = f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"
    return f"{thousands(number)} {word if number == 1 else plural}"


def up_to(number: int, most: int) -> str:
    """A number that was counted no further than `most`: 1 000+ for all beyond it."""
    return f"{thousands(most)}+" if number > most else thousands(number)


def code_spans(text: str) -> Markup:
    """Text in which `this` is shown as code; everything is escaped."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def spaced(word: object) -> str:
    """A word that programs write with underscores."""
    return str(word).replace("_", " ")


def percent(part: float | None) -> str:
    """A share of one: 0.942 is 94 %, and what is nearly all is not all."""
    if part is None:
        return "-"
    shown = 100 * part
    if 99.5 <= shown < 100 or 0 < shown < 0.5:
        return f"{shown:.1f}\u202f%" if 0.1 <= shown <= 99.9 else ("< 0.1\u202f%" if shown < 1 else "> 99.9\u202f%")
    return f"{shown:.0f}\u202f%"


def lasting(time: timedelta | float | None) -> str:
    """How long something took or is to take: 340 ms, 12 s, 5 min, 3 h, 2 d; a number is of seconds."""
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
    """How much that is: 812 B, 14 KB, 3.2 MB."""
    if count is None:
        return "-"
    size = float(count)
    for unit in ("B", "KB", "MB", "GB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} TB"


def seconds(moments: Iterable[datetime]) -> list[int]:
    """Times as scripts count them: seconds since 1970."""
    return [round(moment.timestamp()) for moment in moments]
