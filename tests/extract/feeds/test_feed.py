"""Feeds of every kind, however broken; never a hostile one."""

import time
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.extract.feeds.feed import Feed, is_json_feed, read_feed, read_json_feed
from lamplighter.model.record import RecordKind
from tests.extract.fields import values

URL = "https://a.example/feeds/news.xml"
NAMESPACES = (
    "xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:content='http://purl.org/rss/1.0/modules/content/' "
    "xmlns:media='http://search.yahoo.com/mrss/' xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd' "
    "xmlns:sy='http://purl.org/rss/1.0/modules/syndication/'"
)
ITEM = "<item><title>One</title><link>/1</link><media:keywords>a</media:keywords></item>"


def rss(*items: str) -> str:
    channel = f"<channel><title>T</title>{''.join(items)}</channel>"
    return f"<?xml version='1.0'?><rss version='2.0' {NAMESPACES}>{channel}</rss>"


def read(xml: str) -> Feed:
    return read_feed(xml, url=URL, kind=RecordKind.ARTICLE)


def test_an_rss_entry_is_read() -> None:
    feed = read(
        rss(
            "<item><title>One &amp;amp; all</title><link>/1?utm_source=rss</link><guid isPermaLink='false'>g1</guid>"
            "<pubDate>Mon, 02 Mar 2026 12:00:00 +0200</pubDate><author>ann@a.example (Ann)</author>"
            "<category>x</category>"
            "<description><![CDATA[<p>Hello <b>you</b></p>]]></description></item>"
        )
    )

    assert (feed.title, feed.warnings) == ("T", ())
    assert values(feed.records[0]) == {
        "title": "One & all",
        "url": "https://a.example/1",
        "guid": "g1",
        "published_at": "2026-03-02T10:00:00+00:00",
        "author": "Ann",
        "tags": ["x"],
        "description": "Hello you",
    }


def test_an_atom_entry_is_read_and_xml_base_respected() -> None:
    xml = """<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://b.example/x/"><entry><title>One</title>
    <link href="1"/><id>urn:1</id><updated>2026-03-02T10:00:00Z</updated>
    <content type="html">&lt;p&gt;C&lt;/p&gt;</content></entry></feed>"""

    assert values(read(xml).records[0]) == {
        "title": "One",
        "url": "https://b.example/x/1",
        "guid": "urn:1",
        "updated_at": "2026-03-02T10:00:00+00:00",
        "description": "C",
        "text": "C",
    }


def test_an_rdf_entry_is_read() -> None:
    xml = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
    <item rdf:about="https://a.example/1"><title>One</title><link>https://a.example/1</link></item></rdf:RDF>"""

    assert values(read(xml).records[0])["url"] == "https://a.example/1"


@pytest.mark.parametrize(
    "xml",
    [
        pytest.param(rss("<item><title>One\x08</title></item>"), id="illegal characters"),
        pytest.param(rss("<item><title>One&nbsp;&foo;</title></item>"), id="undefined entities"),
        pytest.param(rss("<item><title>One</title></item>")[:-20], id="cut off"),
        pytest.param(rss("<item><title>One</title><b></item>"), id="an unclosed tag"),
    ],
)
def test_d1_broken_xml_is_read_with_a_warning(xml: str) -> None:
    feed = read(xml)

    assert values(feed.records[0])["title"].startswith("One")
    assert feed.warnings[0].startswith("feed is not well-formed")


@pytest.mark.parametrize("flaw", ["&#x110000;", "&#99999999;", "</title><link>http://[</link><title>"])
def test_d1_one_impossible_value_does_not_cost_the_feed(flaw: str) -> None:
    feed = read(rss(f"<item><title>One {flaw}</title></item>", "<item><title>Two</title></item>"))

    assert values(feed.records[1])["title"] == "Two"


def test_d2_a_billion_laughs_are_not_heard() -> None:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    bomb = (
        f'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY l0 "ha">{laughs}]><rss><channel><item><title>&l9;</title></item>'
    )
    started = time.process_time()

    feed = read(bomb)

    assert feed.records == ()
    assert feed.warnings == ("feed refused: it declares XML entities",)
    assert time.process_time() - started < 5


def test_d2_an_external_dtd_is_not_loaded() -> None:
    xml = '<!DOCTYPE rss SYSTEM "http://127.0.0.1:1/x.dtd">' + rss("<item><title>One</title></item>").split("?>")[1]

    assert values(read(xml).records[0]) == {"title": "One"}


def test_d4_a_guid_that_two_entries_share_is_no_identity() -> None:
    feed = read(rss("<item><title>A</title><guid>g</guid></item>" * 2, "<item><title>B</title><guid>h</guid></item>"))

    assert [record.fields["guid"].value if "guid" in record.fields else None for record in feed.records] == [
        None,
        None,
        "h",
    ]


def test_d5_a_date_that_nobody_understands_is_kept_as_it_stands() -> None:
    (record,) = read(rss("<item><title>A</title><pubDate>soon</pubDate></item>")).records

    assert record.fields["published_at"].value == "soon"


def test_d5_a_date_without_a_zone_gets_none_and_an_only_date_of_an_rss_entry_is_that_of_publication() -> None:
    (record,) = read(rss("<item><title>A</title><dc:date>2026-03-02 10:00</dc:date></item>")).records

    assert values(record) == {"title": "A", "published_at": "2026-03-02T10:00:00"}


CONTENT = "<item><title>A</title><description>Short.</description><content:encoded>Long text.</content:encoded></item>"


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        pytest.param(RecordKind.ARTICLE, {"description": "Short.", "text": "Long text."}, id="an article has both"),
        pytest.param(RecordKind.JOB, {"description": "Long text."}, id="a job is described by the fuller one"),
    ],
)
def test_the_full_text_of_an_entry_is_kept(kind: RecordKind, expected: dict[str, str]) -> None:
    (record,) = read_feed(rss(CONTENT), url=URL, kind=kind).records

    assert values(record) == {"title": "A", **expected}


def test_an_entry_without_a_title_is_called_by_its_first_words_with_less_confidence() -> None:
    (record,) = read(rss(f"<item><description>{'word ' * 50}</description></item>")).records

    title = record.fields["title"]
    assert title.value == "word " * 19 + "word…"
    assert title.confidence < record.fields["description"].confidence


def test_an_entry_without_title_and_description_stays_without_a_title() -> None:
    (record,) = read(rss("<item><link>/1</link></item>")).records

    assert values(record) == {"url": "https://a.example/1"}


def test_comments_are_not_the_entrys_address() -> None:
    (record,) = read(rss("<item><title>A</title><comments>/1#comments</comments></item>")).records

    assert values(record) == {"title": "A"}


@pytest.mark.parametrize(
    ("guid", "url"),
    [("<guid>/1</guid>", "https://a.example/1"), ("<guid isPermaLink='false'>/1</guid>", None)],
    ids=["a permanent link", "not one"],
)
def test_d4_a_guid_is_an_address_unless_it_says_otherwise(guid: str, url: str | None) -> None:
    (record,) = read(rss(f"<item><title>A</title>{guid}</item>")).records

    assert values(record).get("url") == url


@pytest.mark.parametrize(
    "element",
    [
        "<media:content url='/i.png' medium='image'/>",
        "<media:group><media:thumbnail url='/i.png'/></media:group>",
        "<enclosure url='/i.png' type='image/png'/>",
        "<itunes:image href='/i.png'/>",
    ],
)
def test_an_entrys_picture_is_found_wherever_feeds_put_it(element: str) -> None:
    (record,) = read(rss(f"<item><title>A</title>{element}</item>")).records

    assert record.fields["image"].value == "https://a.example/i.png"


@pytest.mark.parametrize(
    ("channel", "expected"),
    [
        pytest.param("<ttl>90</ttl>", timedelta(minutes=90), id="minutes"),
        pytest.param("<sy:updatePeriod>daily</sy:updatePeriod>", timedelta(days=1), id="a period"),
        pytest.param("<ttl>soon</ttl>", None, id="no number"),
        pytest.param("", None, id="nothing"),
    ],
)
def test_a_feed_may_say_how_long_it_need_not_be_asked(channel: str, expected: timedelta | None) -> None:
    assert read(rss(channel)).ttl == expected


@pytest.mark.parametrize(
    "xml",
    [
        pytest.param(f"<br /><b>Warning</b>: x in y{rss(ITEM)}", id="junk before the declaration"),
        pytest.param(f"\n\n{rss(ITEM)}", id="lines before the declaration"),
        pytest.param(rss(ITEM.replace("/1", "/1?a=1&b=2")), id="a bare ampersand"),
        pytest.param(rss(ITEM).replace("xmlns:media", "xmlns:other"), id="an undeclared prefix"),
        pytest.param(
            rss(ITEM).replace("version='1.0'", "version='1.0' encoding='utf-16'"), id="a lie about the charset"
        ),
    ],
)
def test_d1_d3_an_entry_survives_what_is_wrong_around_it(xml: str) -> None:
    (record,) = read(xml).records

    assert record.fields["title"].value == "One"
    assert str(record.fields["url"].value).startswith("https://a.example/1")


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=60), st.integers(0, 400), st.integers(0, 40))
def test_d1_no_text_makes_it_raise(junk: str, start: int, length: int) -> None:
    xml = rss(ITEM, CONTENT)

    feed = read(xml[:start] + junk + xml[start + length :])

    assert len(feed.records) <= 4


def test_d7_ten_thousand_entries_are_enough() -> None:
    feed = read_json_feed({"items": [{"title": "x"}] * 10_001}, url=URL, kind=RecordKind.ARTICLE)

    assert len(feed.records) == 10_000
    assert feed.warnings == ("feed has 10001 entries; the first 10000 were read",)


@pytest.mark.parametrize("xml", [rss(), "<rss>", "<feed xmlns='http://www.w3.org/2005/Atom'></feed>"])
def test_an_empty_feed_is_a_warning(xml: str) -> None:
    assert "feed has no entries" in read(xml).warnings


def test_a_json_feed_is_read() -> None:
    data = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": "T",
        "items": [
            {
                "id": 1,
                "url": "/1",
                "title": "One",
                "content_html": "<p>C</p>",
                "authors": [{"name": "Ann"}],
                "tags": ["x"],
            },
            None,
        ],
    }

    assert is_json_feed(data)
    feed = read_json_feed(data, url=URL, kind=RecordKind.ARTICLE)

    assert values(feed.records[0]) == {
        "title": "One",
        "url": "https://a.example/1",
        "guid": "1",
        "description": "C",
        "text": "C",
        "author": "Ann",
        "tags": ["x"],
    }


def test_who_writes_the_whole_feed_writes_each_entry_that_names_nobody_else() -> None:
    entries = "<entry><title>One</title></entry><entry><title>Two</title><author><name>Bo</name></author></entry>"
    atom = f"<feed xmlns='http://www.w3.org/2005/Atom'><author><name>Ann</name></author>{entries}</feed>"
    items = [{"id": "1", "title": "One"}, {"id": "2", "title": "Two", "authors": [{"name": "Bo"}]}]
    data = {"version": "https://jsonfeed.org/version/1.1", "authors": [{"name": "Ann"}], "items": items}

    feeds = (read(atom), read_json_feed(data, url=URL, kind=RecordKind.ARTICLE))

    assert [[values(record)["author"] for record in feed.records] for feed in feeds] == [["Ann", "Bo"], ["Ann", "Bo"]]


@pytest.mark.parametrize("data", [None, [], {"version": 1}, {"version": "2.0"}])
def test_other_json_is_no_json_feed(data: object) -> None:
    assert not is_json_feed(data)


@pytest.mark.parametrize("namespace", ["http://backend.userland.com/rss2", "https://x.example/own"])
def test_rss_may_stand_under_a_prefix(namespace: str) -> None:
    item = "<r:item><r:title>One</r:title><r:link>/1</r:link><r:pubDate>2026-03-02</r:pubDate></r:item>"
    xml = f"<r:rss xmlns:r='{namespace}'><r:channel><r:title>T</r:title>{item}</r:channel></r:rss>"

    feed = read(xml)

    assert feed.title == "T"
    assert values(feed.records[0])["url"] == "https://a.example/1"


def test_a_cdf_feed_is_read() -> None:
    feed = read(
        "<?xml version='1.0'?><CHANNEL HREF='https://a.example/'><TITLE>Harbour</TITLE>"
        "<ITEM HREF='https://a.example/1' LASTMOD='2026-03-02T10:00'><TITLE>A boat</TITLE>"
        "<ABSTRACT>It came</ABSTRACT></ITEM>"
        "<CHANNEL><TITLE>Quay</TITLE><ITEM HREF='https://a.example/2'><TITLE>Another</TITLE></ITEM></CHANNEL></CHANNEL>"
    )

    assert feed.title == "Harbour"
    assert values(feed.records[0]) == {
        "title": "A boat",
        "url": "https://a.example/1",
        "published_at": "2026-03-02T10:00:00",
        "description": "It came",
    }
    assert values(feed.records[1])["url"] == "https://a.example/2"
