"""Rows that are named by a heading, a summary or a button, with facts below and no link that is called like them."""

import pytest

from lamplighter.extract.html_page import parse_page
from lamplighter.extract.listing.records import find_listing
from lamplighter.model.record import RawRecord
from tests.extract.fields import column

TITLES = ("Water Engineer", "Paralegal", "Head of Fundraising", "Night Porter")
PROSE = "You will work with people who have waited a long time for an answer, and with colleagues who listen."


def read(body: str) -> list[RawRecord]:
    return find_listing(parse_page(f"<body><main>{body}</main></body>", "https://site.example/about/us"), None).records


def rows(template: str) -> str:
    return "".join(
        template.replace("TITLE", title).replace("NO", str(number)).replace("PROSE", PROSE)
        for number, title in enumerate(TITLES, 10)
    )


LINKED = {
    "heading, labelled lines, read more": "<h3>TITLE</h3><p><b>Location:</b> Rome<br><b>Closing date:</b> NO May 2031"
    "</p><p>PROSE</p><p><a href='/jobs/NO'>Read more and apply</a></p>",
    "heading, rule between": "<h3>TITLE</h3><p>Deadline: NO May 2031</p><p><a href='/jobs/NO'>Download the ToR</a></p>"
    "<hr>",
    "heading and list": "<h4>TITLE</h4><ul><li>Location: Rome</li><li>Closing date: NO May 2031</li></ul>"
    "<a href='/jobs/NO'>Full job description</a>",
    "wrapped": "<div class=x><h3>TITLE</h3><p>Deadline: NO May 2031</p><p>PROSE</p><a href='/jobs/NO'>Apply</a></div>",
    "button in a heading": "<div><h2><button aria-expanded=false>TITLE</button></h2><div><p>Closing date: NO May 2031"
    "</p><p>PROSE</p><a href='/jobs/NO'>Apply</a></div></div>",
    "link that unfolds": "<div><h4><a href='#cNO' data-toggle=collapse>TITLE</a></h4><div id=cNO><p>Closing date: "
    "NO May 2031</p><a href='/jobs/NO'>Apply now</a></div></div>",
    "details": "<details><summary>TITLE</summary><p>Closing date: NO May 2031</p>"
    "<a href='/jobs/NO'>Apply</a></details>",
}


@pytest.mark.parametrize("page", LINKED)
def test_a_section_is_named_by_its_heading_and_led_on_by_its_link(page: str) -> None:
    records = read(f"<h1>Vacancies</h1><p>{PROSE}</p>{rows(LINKED[page])}<h2>How to apply</h2><p>{PROSE}</p>")

    assert column(records, "title") == list(TITLES)
    assert column(records, "url") == [f"https://site.example/jobs/{number}" for number in range(10, 14)]
    assert column(records, "deadline") == [f"{number} May 2031" for number in range(10, 14)]


UNLINKED = {
    "details": "<details><summary>TITLE</summary><p>Closing date: NO May 2031</p><p>PROSE</p></details>",
    "details with a heading": "<details><summary><h3>TITLE</h3></summary><p>Closing date: NO May 2031</p></details>",
    "headings": "<h3>TITLE</h3><p>Salary: € 30,000</p><p>Closing date: NO May 2031</p><p>PROSE</p>",
    "buttons": "<div><button aria-controls=cNO aria-expanded=false>TITLE</button><div id=cNO>Closing date: NO May 2031"
    "</div></div>",
    "definition list": "<dt>TITLE</dt><dd>Location: Rome</dd><dd>Closing date: NO May 2031</dd>",
}


@pytest.mark.parametrize("page", UNLINKED)
def test_a_section_without_a_link_is_a_record_without_an_address(page: str) -> None:
    body = rows(UNLINKED[page])
    records = read(f"<h1>Vacancies</h1>{f'<dl>{body}</dl>' if '<dt>' in body else body}")

    assert column(records, "title") == list(TITLES)
    assert column(records, "url") == [None] * 4
    assert column(records, "deadline")[0] == "10 May 2031"


NOT_LISTINGS = {
    "questions and answers": "<details><summary>How do I return TITLE?</summary><p>PROSE</p></details>",
    "a text with headings": "<h2>TITLE</h2><p>PROSE PROSE</p><p>PROSE</p>",
    "offices": "<h3>TITLE</h3><p>Address: 12 High Street</p><p>Telephone: 00 000 NO</p><p>Office: Rome</p>",
    "cookies": "<h3>TITLE</h3><p>PROSE</p><p>Expiry: NO months</p>",
    "what we do": "<h3>TITLE</h3><p>PROSE</p><a href='/areas/area-NO'>Learn more</a>",
}


@pytest.mark.parametrize("page", NOT_LISTINGS)
def test_sections_without_facts_are_no_listing(page: str) -> None:
    assert read(f"<h1>About us</h1><p>{PROSE}</p>{rows(NOT_LISTINGS[page])}") == []


def test_a_form_for_all_sections_is_no_address_of_theirs() -> None:
    page = rows("<div><h3>TITLE</h3><p>Closing date: NO May 2031</p><a href='/form.pdf'>Download the form</a></div>")

    records = read(f"<h1>Vacancies</h1>{page}")

    assert column(records, "title") == list(TITLES)
    assert column(records, "url") == [None] * len(TITLES)


def test_documents_that_are_called_alike_in_every_row_make_the_rows() -> None:
    page = rows(
        "<li><p><strong>TITLE</strong></p><p>Scadenza: NO/05/2031</p><ul><li><a href='/files/bando-NO.pdf'>"
        "Bando (PDF, 3NO KB)</a></li><li><a href='/files/modulo-NO.pdf'>Modulo (PDF, 90 KB)</a></li></ul></li>"
    )

    records = read(f"<h1>Concorsi</h1><ul>{page}</ul>")

    assert column(records, "title") == list(TITLES)
    assert column(records, "url") == [f"https://site.example/files/bando-{number}.pdf" for number in range(10, 14)]
