"""The Lantern: a news site with an RSS feed. An article every few minutes, some of them corrected later."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import format_datetime
from html import escape

from lamplighter.demo import markup
from lamplighter.demo.page import RSS, DemoPage, DemoRequest, Site
from lamplighter.demo.timeline import draw, latest_post, pick, published_at

_EVERY = timedelta(minutes=4)
_SHOWN = 20
#: after this the article is taken from the site
_KEPT = 500
_CORRECTED_SHARE = 0.2
_CORRECTED_AFTER = timedelta(minutes=30)
_LOOK = markup.SiteStyle(
    name="The Lantern",
    motto="News from a town that is on no map",
    accent="#9a3b1f",
    footer='<a href="/feed.xml">RSS</a> · <a href="/newsroom/">Newsroom</a>',
    head='<link rel="alternate" type="application/rss+xml" title="The Lantern" href="/feed.xml">\n',
)
_ROBOTS = """User-agent: *
Disallow: /newsroom/
Disallow: /search
"""
_SUBJECTS = (
    "The harbour council",
    "A night ferry crew",
    "The town's bakers",
    "The lighthouse museum",
    "Two schools on the hill",
    "The tram workshop",
    "The fish market",
    "A choir of retired sailors",
)
_DEEDS = (
    "votes for longer opening hours",
    "finds a letter from 1911",
    "asks for quieter mornings",
    "plans a festival of small lamps",
    "repairs the old clock in one night",
    "counts more swifts than ever",
    "moves to the former customs house",
    "wins the regional prize",
)
_SECTIONS = ("Town", "Culture", "Business", "Weather")
_AUTHORS = ("Ines Okafor", "Tomas Lind", "Maya Ferreira", "Jon Halvorsen")
_SENTENCES = (
    "Neighbours had talked about it for weeks before anyone wrote it down.",
    "The decision was taken late in the evening, after the last tram had left.",
    "Nobody was hurt, and the tea was still warm.",
    "According to the town clerk it will cost less than the fountain did.",
    "A second meeting is planned for the coming week.",
    "Children from the hill have already painted the first posters.",
    "The weather office expects no objection.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """One published article."""

    number: int
    title: str
    section: str
    author: str
    text: tuple[str, ...]
    published_at: datetime
    changed_at: datetime

    @property
    def path(self) -> str:
        """Its path on the site."""
        return f"/articles/{self.number}"


def content_at(now: datetime) -> tuple[Article, ...]:
    """The articles of the front page, newest first."""
    newest = latest_post(now, "lantern", _EVERY)
    return tuple(_article(newest - back, now) for back in range(_SHOWN))


def _article(number: int, now: datetime) -> Article:
    published = published_at("lantern", number, _EVERY)
    corrected = published + _CORRECTED_AFTER
    has_correction = draw("lantern", number, "corrected") < _CORRECTED_SHARE and corrected <= now
    text = tuple(pick(_SENTENCES, "lantern", number, "sentence", n) for n in range(5))
    if has_correction:
        text = (*text, "Correction: an earlier version of this article had the wrong street.")
    return Article(
        number=number,
        title=f"{pick(_SUBJECTS, 'lantern', number, 'subject')} {pick(_DEEDS, 'lantern', number, 'deed')}",
        section=pick(_SECTIONS, "lantern", number, "section"),
        author=pick(_AUTHORS, "lantern", number, "author"),
        text=text,
        published_at=published,
        changed_at=corrected if has_correction else published,
    )


def _page(ask: DemoRequest) -> DemoPage | None:
    if ask.path == "/":
        return _front_page(ask)
    if ask.path == "/feed.xml":
        return _feed(ask)
    number = ask.path.removeprefix("/articles/")
    if number == ask.path or not number.isascii() or not number.isdigit():
        return None
    newest = latest_post(ask.now, "lantern", _EVERY)
    if not newest - _KEPT < int(number) <= newest:
        return None
    article = _article(int(number), ask.now)
    return DemoPage(body=_article_page(ask, article), changed_at=article.changed_at)


def _front_page(ask: DemoRequest) -> DemoPage:
    articles = content_at(ask.now)
    items = ((a.path, a.title, f"{a.section} · {a.published_at:%H:%M} UTC · {a.author}") for a in articles)
    body = "<h1>Latest</h1>\n" + markup.cards(items)
    return DemoPage(body=markup.document(_LOOK, "Latest", body), changed_at=articles[0].published_at)


def _article_page(ask: DemoRequest, article: Article) -> str:
    block = markup.json_ld(
        {
            "@type": "NewsArticle",
            "url": ask.base + article.path,
            "headline": article.title,
            "articleSection": article.section,
            "author": {"@type": "Person", "name": article.author},
            "publisher": {"@type": "Organization", "name": "The Lantern"},
            "datePublished": article.published_at.isoformat(),
            "dateModified": article.changed_at.isoformat(),
            "articleBody": " ".join(article.text),
            "inLanguage": "en",
        }
    )
    body = (
        f"<article><h1>{escape(article.title)}</h1>\n"
        f'<p class="meta">By {article.author}, {markup.spoken_date(article.published_at)}</p>\n'
        f"{markup.paragraphs(article.text)}</article>\n"
    )
    return markup.document(_LOOK, article.title, body, head=block)


def _feed(ask: DemoRequest) -> DemoPage:
    articles = content_at(ask.now)
    items = "".join(
        f"<item><title>{escape(a.title)}</title><link>{ask.base}{a.path}</link>"
        f'<guid isPermaLink="true">{ask.base}{a.path}</guid><category>{a.section}</category>'
        f"<pubDate>{format_datetime(a.published_at, usegmt=True)}</pubDate>"
        f"<description>{escape(a.text[0])}</description></item>\n"
        for a in articles
    )
    body = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel>\n'
        f"<title>The Lantern</title><link>{ask.base}/</link><description>{escape(_LOOK.motto)}</description>\n"
        f"<language>en</language>\n{items}</channel></rss>\n"
    )
    return DemoPage(body=body, changed_at=articles[0].published_at, media_type=RSS)


SITE = Site(name="The Lantern", robots=_ROBOTS, page=_page)
