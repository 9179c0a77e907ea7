"""Times, links and numbers as a person reads them: the filters of the templates."""

import re
from datetime import datetime, timedelta

from markupsafe import Markup, escape

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
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC" if moment is not None else ""


def web_link(url: str) -> str | None:
    """The URL if a browser may follow it, None for anything that is not http or https."""
    return url if url.startswith(("http://", "https://")) else None


def thousands(number: int) -> str:
    """12 345, so that it can be read."""
    return f"{number:,}".replace(",", "\u202f")


def code_spans(text: str) -> Markup:
    """Text in which `this` is shown as code; everything is escaped."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))
