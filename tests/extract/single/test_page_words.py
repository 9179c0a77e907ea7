"""Kinds of pages, by their words."""

import pytest

from lamplighter.extract.single.page_words import (
    is_in_article_section,
    is_listing_heading,
    is_site_page,
    means_apply,
    means_buy,
    mentions_job,
)


@pytest.mark.parametrize(
    "name", ["Apply", "APPLY NOW »", "Jetzt bewerben", "Postuler", "Candidate-se", "応募する", "지원하기"]
)
def test_names_of_links_to_apply_by_are_known(name: str) -> None:
    assert means_apply(name)


@pytest.mark.parametrize("name", ["Apply filters", "How to apply", "Search", "", "Apply " * 100])
def test_other_names_are_not(name: str) -> None:
    assert not means_apply(name)


def test_buying_is_no_applying() -> None:
    assert means_buy("Add to basket")
    assert not means_apply("Add to basket")


@pytest.mark.parametrize(
    "text",
    [
        "https://a.example/careers/17",
        "/stellenangebote/koch",
        "Вакансия",
        "招聘",
        "채용 공고",
        "Koch (m/w/d)",
        "Agent (H/F)",
    ],
)
def test_postings_are_known_by_their_words(text: str) -> None:
    assert mentions_job(text)


@pytest.mark.parametrize(
    ("url", "heading"),
    [
        ("https://a.example/", "Acme"),
        ("https://a.example/about.html", "Acme"),
        ("https://a.example/de/impressum", "Acme"),
        ("https://a.example/x", "Über uns"),
        ("https://a.example/x", "Cookie policy (EU)"),
        ("https://a.example/x", "Datenschutzerklärung für Bewerber"),
        ("https://a.example/x", "Preguntas frecuentes"),
    ],
)
def test_pages_about_the_site_are_known(url: str, heading: str) -> None:
    assert is_site_page(url, heading)


@pytest.mark.parametrize(
    "url", ["https://a.example/n/about-face", "https://a.example/?p=12", "https://a.example/jobs/contact-centre-agent"]
)
def test_pages_about_something_are_not(url: str) -> None:
    assert not is_site_page(url, "Contact centre agent")


def test_headings_over_many_things_are_known() -> None:
    assert is_listing_heading("Open Positions")
    assert is_listing_heading("Offres d\u2019emploi")
    assert not is_listing_heading("Head of open positions")


@pytest.mark.parametrize(
    "path", ["docs.a.example/retries", "a.example/blog/moss", "a.example/de/nachrichten/2026/mole"]
)
def test_sections_of_texts_to_be_read_are_known_by_their_address(path: str) -> None:
    assert is_in_article_section(f"https://{path}")


@pytest.mark.parametrize("path", ["a.example/blog", "a.example/", "docs.a.example/", "a.example/about/blog"])
def test_a_section_itself_is_no_text(path: str) -> None:
    assert not is_in_article_section(f"https://{path}")
