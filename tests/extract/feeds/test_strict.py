"""The fast way to read a feed says what feedparser says, or leaves the feed to it."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.extract.feeds.entry import FeedEntry, ParsedFeed, author_in
from lamplighter.extract.feeds.loose import parse_loose
from lamplighter.extract.feeds.names import Unusual
from lamplighter.extract.feeds.strict import parse_strict
from lamplighter.extract.html_page import plain

NAMESPACES = (
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/" '
    'xmlns:media="http://search.yahoo.com/mrss/" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" '
    'xmlns:sy="http://purl.org/rss/1.0/modules/syndication/" xmlns:slash="http://purl.org/rss/1.0/modules/slash/" '
    'xmlns:dcterms="http://purl.org/dc/terms/" xmlns:x="https://x.example/ns" '
    'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:a="http://www.w3.org/2005/Atom"'
)
ATOM = "http://www.w3.org/2005/Atom"


def rss(items: str, channel: str = "<title>T</title>") -> str:
    return f'<?xml version="1.0"?><rss version="2.0" {NAMESPACES}><channel>{channel}{items}</channel></rss>'


def atom(entries: str, channel: str = "<title>T</title>") -> str:
    return f'<feed xml:lang="en_GB" xmlns="{ATOM}" {NAMESPACES}>{channel}{entries}</feed>'


def rdf(items: str, channel: str = "<title>T</title>") -> str:
    return f'<rdf:RDF xmlns="http://purl.org/rss/1.0/" {NAMESPACES}><channel>{channel}</channel>{items}</rdf:RDF>'


def said(feed: ParsedFeed) -> dict[str, Any]:
    """What of a feed can be told apart in its records."""
    return {**feed._asdict(), "title": plain(feed.title), "entries": [said_by(entry) for entry in feed.entries]}


def said_by(entry: FeedEntry) -> dict[str, Any]:
    texts = {name: plain(getattr(entry, name)) for name in ("title", "summary", "content")}
    authors = [author_in(plain(author)) for author in entry.authors if author]
    tags = list(dict.fromkeys(plain(tag) for tag in entry.tags if tag))
    return {**entry._asdict(), **texts, "authors": authors, "tags": tags}


WORDPRESS = """<item><title>One &#8211; two</title><link>https://a.example/1/?a=1&amp;b=2</link>
<comments>https://a.example/1/#comments</comments><dc:creator><![CDATA[Ann]]></dc:creator>
<pubDate>Mon, 02 Mar 2026 12:00:00 +0000</pubDate><category><![CDATA[News]]></category><category>More</category>
<guid isPermaLink="false">https://a.example/?p=1</guid><description><![CDATA[<p>Short &hellip;</p>]]></description>
<content:encoded><![CDATA[<p>Long <b>text</b></p>]]></content:encoded><slash:comments>0</slash:comments>
<post-id xmlns="com-wordpress:feed-additions:1">7</post-id></item>"""
PODCAST = """<item><title>E1</title><description>D</description><itunes:summary>S is longer</itunes:summary>
<itunes:author>Ann</itunes:author><itunes:image href="https://a.example/e.png"/><itunes:duration>1:00</itunes:duration>
<enclosure url="https://a.example/e.mp3" type="audio/mpeg" length="1"/><itunes:keywords>a, b</itunes:keywords>
<guid>https://a.example/e1</guid></item>"""
YOUTUBE = """<entry><id>yt:video:1</id><title>Film</title><link rel="alternate" href="https://a.example/w?v=1"/>
<author><name>Ann</name><uri>https://a.example/ann</uri></author><published>2026-03-02T12:00:00+00:00</published>
<updated>2026-03-03T12:00:00+00:00</updated><media:group><media:title>Film!</media:title>
<media:content url="https://a.example/1.swf" type="application/x-shockwave-flash" width="1"/>
<media:thumbnail url="https://a.example/1.jpg" width="1"/><media:description>About
it</media:description><media:community><media:statistics views="7"/></media:community></media:group></entry>"""
BLOG = """<entry><title type="html">One &amp;amp; two</title><id>tag:a.example,2026:1</id>
<link rel="self" href="https://a.example/self"/><link rel="alternate" type="text/html" href="https://a.example/1"/>
<link rel="enclosure" type="image/png" href="https://a.example/1.png"/>
<category term="x" label="X"/><category term="y"/><updated>2026-03-02T12:00:00Z</updated>
<summary type="text">Short</summary><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Long<br/>
<img src="x"/>text</p></div></content><author><name>Ann</name><email>ann@a.example</email></author>
<author><name>Bob</name></author><source><title>Elsewhere</title><id>s</id></source></entry>"""
SLASHDOT = """<item rdf:about="https://a.example/1"><title>One</title><link>https://a.example/1</link>
<dc:date>2026-03-02T12:00:00+00:00</dc:date><dc:creator>ann</dc:creator><dc:subject>x</dc:subject>
<description>D</description><x:section>s</x:section></item>"""
CHANNEL = """<title>T &amp; U</title><a:link href="https://a.example/feed" rel="self" type="application/rss+xml"/>
<link>https://a.example</link><description>D</description><language>en-US</language><ttl>60</ttl>
<sy:updatePeriod> hourly </sy:updatePeriod><sy:updateFrequency>2</sy:updateFrequency><generator>G</generator>
<image><url>https://a.example/i.png</url><title>Picture</title><link>https://a.example</link></image>"""


@pytest.mark.parametrize(
    "xml",
    [
        pytest.param(rss(WORDPRESS * 2, CHANNEL), id="a blog in RSS 2.0"),
        pytest.param(rss(PODCAST, CHANNEL), id="a podcast"),
        pytest.param(atom(YOUTUBE), id="a channel of films"),
        pytest.param(atom(BLOG), id="a blog in Atom"),
        pytest.param(atom(BLOG, "<author><name>Ann</name><uri>/ann</uri></author>"), id="a blog of one author"),
        pytest.param(rss(PODCAST, f"{CHANNEL}<itunes:author>Ann</itunes:author>"), id="a podcast of one author"),
        pytest.param(rdf(SLASHDOT, CHANNEL), id="RSS 1.0"),
        pytest.param(atom(BLOG).replace(ATOM, "http://purl.org/atom/ns#"), id="Atom 0.3"),
        pytest.param(rss("").replace("2.0", "0.91"), id="RSS 0.91 without items"),
        pytest.param(rss("<item><title>Ã©t\u0093</title></item>"), id="encoded twice, and windows-1252"),
        pytest.param(rss("<item><guid>https://a.example/1</guid></item>"), id="a permanent link"),
        pytest.param(rss('<item><guid isPermaLink="false">https://a.example/1</guid></item>'), id="none"),
        pytest.param(rss("<item><author>ann@a.example (Ann)</author></item>"), id="an author's address"),
        pytest.param(rss('<item><source url="https://b.example">B</source><title>X</title></item>'), id="a source"),
    ],
)
def test_an_ordinary_feed_is_read_the_fast_way_with_the_same_result(xml: str) -> None:
    assert said(parse_strict(xml)) == said(parse_loose(xml))


@pytest.mark.parametrize(
    "xml",
    [
        pytest.param(rss("<item><title>A</title>"), id="not closed"),
        pytest.param(rss("<item><title>A&nbsp;</title></item>"), id="an undefined entity"),
        pytest.param("<!DOCTYPE rss>" + rss("")[21:], id="a document type"),
        pytest.param(atom('<entry xml:base="https://b.example/"/>'), id="d4: addresses relative to elsewhere"),
        pytest.param(rss("<item><title>A <b>x</b></title></item>"), id="markup that is not escaped"),
        pytest.param(rss("<item><title>A</title><title>B</title></item>"), id="two titles"),
        pytest.param(rss("<item><title xmlns='urn:x'>A</title></item>"), id="a title of another vocabulary"),
        pytest.param(rss("<item><x:box><title>A</title></x:box></item>"), id="a title inside another element"),
        pytest.param(atom('<entry><content type="image/png">eA==</content></entry>'), id="content in base 64"),
        pytest.param("<opml/>", id="no feed"),
    ],
)
def test_whatever_is_not_plain_is_left_to_feedparser(xml: str) -> None:
    with pytest.raises(Unusual):
        parse_strict(xml)


texts = st.sampled_from(
    [
        "", "x", "A &amp; B", "&lt;p&gt;A&lt;/p&gt;", "&amp;lt;", "<![CDATA[<p>B &amp; C</p>]]>", "Ã©", "\u0093x",
        "\n é \n", "https://a.example/1?a=1&amp;b=2", "/relative", "urn:x:1", "ann@a.example (Ann)",
        "Ann &lt;ann@a.org&gt;", "Mon, 02 Mar 2026 12:00:00 +0200", "a, b", "https:///x", "<b>inline</b>",
        "<!-- c -->y",
    ]
)  # fmt: skip
names = st.sampled_from(
    "title link guid id pubDate published updated description summary content author category enclosure comments "
    "source image dc:creator dc:date dc:subject dc:title dc:description dc:language content:encoded media:title "
    "media:description media:thumbnail media:content media:keywords media:category media:group itunes:author "
    "itunes:summary itunes:keywords itunes:image slash:comments x:title x:other dcterms:issued dcterms:modified "
    "contributor Title PUBDATE a:link".split()
)
attributes = st.sampled_from(
    [
        "", "", "", ' type="html"', ' type="text"', ' type="xhtml"', ' href="https://a.example/h"', ' href=""',
        ' isPermaLink="false"', ' rel="self" href="/s"', ' rel="alternate" href="/alt"', ' term="t"', ' domain="d"',
        ' url="https://a.example/i.png" type="image/png"', ' term="t" label="L"', ' url="/u"',
        ' medium="image" url="/m.png"',
    ]
)  # fmt: skip
leaves = st.builds(lambda name, given, text: f"<{name}{given}>{text}</{name}>", names, attributes, texts)
persons = st.builds(
    lambda name, given: f"<author><name>{name}</name>{given}</author>",
    texts,
    st.sampled_from(["", "<email>a@b.org</email>"]),
)
groups = st.builds(
    lambda name, inner: f"<{name}>{''.join(inner)}</{name}>",
    st.sampled_from(["media:group", "media:content", "x:box", "source"]),
    st.lists(leaves, max_size=3),
)
elements = st.lists(leaves | persons | groups, max_size=8).map("".join)
channels = st.lists(
    st.sampled_from(
        ["<title>T</title>", "<title/>", "<language>de</language>", "<ttl>5</ttl>", CHANNEL, "<x:y>z</x:y>"]
    ),
    max_size=3,
).map("".join)


@settings(deadline=None, max_examples=400)
@given(st.sampled_from([rss, atom, rdf]), st.lists(elements, min_size=1, max_size=2), channels)
def test_any_feed_is_read_with_the_same_result_or_left_to_feedparser(
    form: Any, entries: list[str], channel: str
) -> None:
    name = "entry" if form is atom else "item"
    xml = form("".join(f"<{name}>{entry}</{name}>" for entry in entries), channel)

    try:
        fast = parse_strict(xml)
    except Unusual:
        return

    assert said(fast) == said(parse_loose(xml))
