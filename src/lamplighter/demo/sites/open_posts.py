"""Open Posts: a paged JSON API, with a "next" address in each page. A new post every twenty minutes or so."""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta

from lamplighter.demo import markup
from lamplighter.demo.page import JSON, DemoPage, DemoRequest, Site
from lamplighter.demo.timeline import latest_post, pick, published_at

_EVERY = timedelta(minutes=20)
_KEPT = 60
_PER_PAGE = 20
_LOOK = markup.SiteStyle(
    name="Open Posts",
    motto="A public notice board with an API",
    accent="#2f6b4f",
    footer='<a href="/api/posts">API</a> · <a href="/moderation/">Moderation</a>',
)
_ROBOTS = """User-agent: *
Allow: /api/posts
Disallow: /api/
Disallow: /moderation/
"""
_OPENINGS = ("Looking for", "Offering", "Lost:", "Found:", "Anyone for", "Thanks for")
_THINGS = ("a wooden ladder", "chess on Thursdays", "a grey umbrella", "tomato seedlings", "a spare key", "a cello")
_AUTHORS = ("amira", "bertil", "chen", "dolores", "eskil")
_TAGS = ("swap", "help", "garden", "music", "street")


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenPost:
    """One notice."""

    number: int
    title: str
    author: str
    tags: tuple[str, ...]
    text: str
    published_at: datetime


def content_at(now: datetime) -> tuple[OpenPost, ...]:
    """The notices on the board, newest first."""
    newest = latest_post(now, "open posts", _EVERY)
    return tuple(_post(newest - back) for back in range(_KEPT))


def _post(number: int) -> OpenPost:
    title = f"{pick(_OPENINGS, 'open posts', number, 'opening')} {pick(_THINGS, 'open posts', number, 'thing')}"
    return OpenPost(
        number=number,
        title=title,
        author=pick(_AUTHORS, "open posts", number, "author"),
        tags=tuple(sorted({pick(_TAGS, "open posts", number, "tag", n) for n in range(2)})),
        text=f"{title}. Ring twice at the green door, or leave a note.",
        published_at=published_at("open posts", number, _EVERY),
    )


def _page(ask: DemoRequest) -> DemoPage | None:
    posts = content_at(ask.now)
    if ask.path == "/":
        body = "<h1>Open Posts</h1>\n" + markup.cards((f"/posts/{p.number}", p.title, p.author) for p in posts[:10])
        return DemoPage(body=markup.document(_LOOK, "Notices", body), changed_at=posts[0].published_at)
    if ask.path == "/api/posts":
        return _api_page(ask, posts)
    for post in posts:
        if ask.path == f"/posts/{post.number}":
            body = f"<article><h1>{post.title}</h1>\n" + markup.paragraphs([post.text]) + "</article>\n"
            return DemoPage(body=markup.document(_LOOK, post.title, body), changed_at=post.published_at)
    return None


def _api_page(ask: DemoRequest, posts: tuple[OpenPost, ...]) -> DemoPage | None:
    number = ask.page_number
    last = -(-len(posts) // _PER_PAGE)
    if not 1 <= number <= last:
        return None
    items = [
        {
            "id": post.number,
            "title": post.title,
            "url": f"{ask.base}/posts/{post.number}",
            "author": {"name": post.author},
            "published_at": post.published_at.isoformat(),
            "tags": list(post.tags),
            "text": post.text,
        }
        for post in posts[(number - 1) * _PER_PAGE : number * _PER_PAGE]
    ]
    following = f"{ask.base}/api/posts?page={number + 1}" if number < last else None
    body = json.dumps({"total": len(posts), "page": number, "items": items, "next": following}, ensure_ascii=False)
    return DemoPage(body=body, changed_at=posts[0].published_at, media_type=JSON)


SITE = Site(name="Open Posts", robots=_ROBOTS, page=_page)
