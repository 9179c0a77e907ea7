"""Public pages: about this crawler, style sheets and scripts."""

from datetime import timedelta

from fastapi import Request, Response

from lamplighter.errors import NotFound
from lamplighter.rules.robots.robots_parse import product_token
from lamplighter.web.rendering import page, theme_of
from lamplighter.web.routes import PUBLIC, Pages
from lamplighter.web.static_files import static_files
from lamplighter.web.view import View

ROUTES = Pages()
_MEDIA_TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
_FOR_GOOD = "public, max-age=31536000, immutable"
#: another version's digest: not cached
_NOT_AT_ALL = "no-store"


@ROUTES.get("/bot", role=PUBLIC)
async def bot_page(request: Request, view: View) -> Response:
    """The page about this crawler, for site owners who found it in their log."""
    settings = view.settings
    agent = settings.resolved_user_agent
    same = ("contact_url", "contact_email", "max_concurrency", "max_pages", "max_page_kb", "robots_ttl_hours")
    return page(
        "bot.html",
        agent=agent,
        token=product_token(agent),
        min_delay_seconds=settings.min_delay_ms / 1000,
        least=timedelta(minutes=settings.min_interval_minutes),
        most=timedelta(days=settings.max_interval_days),
        keep_days=settings.archive_keep_days,
        keep_versions=settings.archive_keep_versions,
        theme=theme_of(request.cookies),
        **{name: getattr(settings, name) for name in same},
    )


@ROUTES.get("/static/{digest}/{name:path}", role=PUBLIC)
async def static_file(request: Request, digest: str, name: str) -> Response:
    """Serves a style sheet, a script or an image."""
    served = static_files()
    ending = name[name.rfind(".") :]
    if name not in served.plain or ending not in _MEDIA_TYPES:
        raise NotFound(f"there is no file {name[:100]!r}")
    headers = {"Cache-Control": _FOR_GOOD if digest == served.digest else _NOT_AT_ALL, "Vary": "Accept-Encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers["Content-Encoding"] = "gzip"
        return Response(served.packed[name], media_type=_MEDIA_TYPES[ending], headers=headers)
    return Response(served.plain[name], media_type=_MEDIA_TYPES[ending], headers=headers)
