"""Every page with running text can be read, whatever it is."""

from lamplighter.extract.single.article import as_article
from lamplighter.model.record import RawRecord
from tests.extract.single.article_pages import FOOTER, MENU, document, p, paragraphs

TEXTS = paragraphs(count=4)


def read(html: str, content_type: str = "text/html") -> RawRecord | None:
    return as_article(html.encode(), url="https://a.example/about", content_type=content_type)


def test_a_page_about_its_site_is_read_like_an_article() -> None:
    found = read(document(f"{MENU}<main><h1>About us</h1>{p(TEXTS)}</main>{FOOTER}", title="About us"))

    assert found is not None
    assert found.fields["title"].value == "About us"
    assert found.fields["text"].value == "\n".join(TEXTS)


def test_a_page_without_running_text_says_nothing() -> None:
    assert read(document(f"{MENU}<h1>About us</h1>{FOOTER}", title="About us")) is None


def test_what_is_no_page_is_not_read() -> None:
    assert read('{"title": "About us"}', "application/json") is None
