"""Renders Jinja templates with autoescape."""

from collections.abc import Mapping
from typing import Any

from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined

from lamplighter import __version__
from lamplighter.web import words
from lamplighter.web.run_strip import run_strip
from lamplighter.web.static_files import static_files

#: the cookie with the chosen theme
THEME = "lamplighter_theme"
THEMES = ("light", "dark")
_TEMPLATES = Environment(
    loader=PackageLoader("lamplighter.web"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    # A misspelt name in a template is an error, not an empty string.
    undefined=StrictUndefined,
)
#: functions of `words` that are filters of the same name
_FILTERS = (
    "ago beyond_counts but_for_next_try code_spans counted duration percent plot_data spaced stamp thousands time_ago "
    "timed up_to web_link without_noughts"
).split()
_TEMPLATES.filters |= {name: getattr(words, name) for name in _FILTERS} | {
    "bytes": words.byte_size,
    "run_strip": run_strip,
}
_TEMPLATES.globals |= {"version": __version__, "static": static_files()}


def page(template: str, *, status: int = 200, headers: Mapping[str, str] | None = None, **shown: Any) -> HTMLResponse:
    """Renders a page or a part of one as a response that caches must not store."""
    html = _TEMPLATES.get_template(template).render(**shown)
    return HTMLResponse(html, status_code=status, headers={"Cache-Control": "no-store", **(headers or {})})


def theme_of(cookies: Mapping[str, str]) -> str:
    """The theme that the visitor chose; empty without a choice: then the system's theme applies."""
    chosen = cookies.get(THEME, "")
    return chosen if chosen in THEMES else ""
