"""Pages from templates: rendered here, without a script, everything escaped."""

from typing import Any

from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader

from lamplighter import __version__
from lamplighter.web import words

_TEMPLATES = Environment(loader=PackageLoader("lamplighter.web"), autoescape=True, trim_blocks=True, lstrip_blocks=True)
_TEMPLATES.filters |= {
    "ago": words.ago,
    "stamp": words.stamp,
    "web_link": words.web_link,
    "thousands": words.thousands,
    "code_spans": words.code_spans,
}


def page(template: str, *, status: int = 200, **shown: Any) -> HTMLResponse:
    """A page for people; nobody else is to keep it."""
    html = _TEMPLATES.get_template(template).render(version=__version__, **shown)
    return HTMLResponse(html, status_code=status, headers={"Cache-Control": "no-store"})
