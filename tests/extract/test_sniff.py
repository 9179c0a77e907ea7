"""The first bytes decide what a body is; Content-Type only breaks ties."""

import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.extract.sniff import BodyType, sniff


@pytest.mark.parametrize(
    ("body", "content_type", "expected"),
    [
        pytest.param(b"<!doctype html><p>x", "text/html", BodyType.HTML, id="a page"),
        pytest.param(b"<p>only a fragment", None, BodyType.HTML, id="a fragment without a type"),
        pytest.param(b"  \n<html>", "application/rss+xml", BodyType.HTML, id="d6: a feed turned into a page"),
        pytest.param(b'<?xml version="1.0"?><html xmlns="x">', "application/xhtml+xml", BodyType.HTML, id="XHTML"),
        pytest.param(b"words of an error", "text/html", BodyType.HTML, id="a page without any tag"),
        pytest.param(b'<?xml version="1.0"?><rss version="2.0">', "text/html", BodyType.FEED, id="RSS called HTML"),
        pytest.param(b'<!-- x --><feed xmlns="a">', None, BodyType.FEED, id="Atom after a comment"),
        pytest.param(b"<?xml version='1.0'?><rdf:RDF xmlns='x'>", None, BodyType.FEED, id="RDF"),
        pytest.param(b"<?xml version='1.0'?><r:rss xmlns:r='x'>", None, BodyType.FEED, id="RSS under a prefix"),
        pytest.param(b"<?xml version='1.0'?><CHANNEL HREF='x'>", None, BodyType.FEED, id="CDF"),
        pytest.param(b"<?xml version='1.0'?><tv><channel id='1'>", None, BodyType.XML, id="a guide to channels"),
        pytest.param(b"\xef\xbb\xbf<rss>", None, BodyType.FEED, id="behind a byte order mark"),
        pytest.param("\ufeff<rss>".encode("utf-16-le"), None, BodyType.FEED, id="in UTF-16"),
        pytest.param(b"<br />Warning<rss >", "application/xml", BodyType.FEED, id="below a warning of the server"),
        pytest.param(b"<?xml version='1.0'?><urlset>", "text/xml", BodyType.SITEMAP, id="a sitemap"),
        pytest.param(b"<sitemapindex>", "text/html", BodyType.SITEMAP, id="a sitemap index called HTML"),
        pytest.param(b"<x:urlset>", None, BodyType.SITEMAP, id="a sitemap with a prefix"),
        pytest.param(gzip.compress(b"<urlset>"), "application/gzip", BodyType.SITEMAP, id="a gzipped sitemap"),
        pytest.param(gzip.compress(b"https://a.example/1\n"), None, BodyType.SITEMAP, id="a gzipped list of addresses"),
        pytest.param(gzip.compress(b"<html>"), "text/html", BodyType.BINARY, id="another gzipped thing"),
        pytest.param(b"https://a.example/1\nhttps://a.exa", "text/plain", BodyType.SITEMAP, id="a list of addresses"),
        pytest.param(b"https://a.example/1 is\n", "text/plain", BodyType.TEXT, id="a text about an address"),
        pytest.param(b"https://a.example/1\nhello\n", "text/plain", BodyType.TEXT, id="a list with something else"),
        pytest.param(b"<?xml version='1.0'?><svg>", "text/xml", BodyType.XML, id="any other XML"),
        pytest.param(b' {"a": 1}', "text/html", BodyType.JSON, id="b9: JSON called HTML"),
        pytest.param(b"[]", None, BodyType.JSON, id="an empty list"),
        pytest.param(b"[Draft] <html>", None, BodyType.HTML, id="a page that starts with a bracket"),
        pytest.param(b"plain words", "text/plain", BodyType.TEXT, id="text"),
        pytest.param(b"", "text/html", BodyType.TEXT, id="nothing at all"),
        pytest.param(b"%PDF-1.7 <html>", "text/html", BodyType.BINARY, id="b9: PDF called HTML"),
        pytest.param(b"PK\x03\x04abc", "text/html", BodyType.BINARY, id="a ZIP archive"),
        pytest.param(b"\x1f\x8b\x08", None, BodyType.BINARY, id="gzip"),
        pytest.param(b"\x89PNG\r\n\x1a\n", "text/html", BodyType.BINARY, id="an image"),
        pytest.param(b"\x00\x00\x00\x18ftypmp42", None, BodyType.BINARY, id="a film"),
        pytest.param(b"<p>a\x00b", "text/html", BodyType.BINARY, id="NUL bytes"),
        pytest.param(b"ab\x01\x02", None, BodyType.BINARY, id="control characters"),
        pytest.param(b"words", "image/png", BodyType.BINARY, id="nothing speaks against the declared image"),
    ],
)
def test_a_body_is_what_its_bytes_say(body: bytes, content_type: str | None, expected: BodyType) -> None:
    assert sniff(body, content_type) is expected


@settings(deadline=None, max_examples=200)
@given(st.binary(max_size=200), st.none() | st.text(max_size=40))
def test_any_bytes_are_something(body: bytes, content_type: str | None) -> None:
    assert sniff(body, content_type) in BodyType
