"""What was read, as places on the page."""

from lamplighter.extract import ladder
from lamplighter.extract.teaching.marks import marks_of
from lamplighter.extract.teaching.places import numbered, outline_of

HTML = (
    "<html lang=en><body><nav><a href=/about>About</a></nav><h1>Vacancies</h1><ul>"
    + "".join(
        f"<li><a href=/job/{n}>Keeper of lamp {n}</a> <span>Deadline: {n} May 2027</span></li>" for n in range(1, 6)
    )
    + '</ul><a rel=next href="/jobs?page=2">Next</a></body></html>'
)
URL = "https://example.org/jobs"


def _said() -> list[tuple[str, str]]:
    page = numbered(HTML)
    reading = ladder.read(HTML.encode(), url=URL, content_type="text/html")
    marks = marks_of(page, reading.records, url=URL, next_page=reading.next_page)
    return [(mark.meaning, page.at(mark.place).text) for mark in marks]


def test_titles_dates_rows_and_the_next_page_are_found_where_they_stand() -> None:
    said = _said()

    assert ("title", "Keeper of lamp 3") in said
    assert ("deadline", "Deadline: 3 May 2027") in said
    assert ("row", "Keeper of lamp 3 Deadline: 3 May 2027") in said
    assert ("next", "Next") in said


def test_the_outline_has_a_line_for_every_text() -> None:
    lines = [(line.tag, line.text) for line in outline_of(numbered(HTML))]

    assert lines[:3] == [("a", "About"), ("h1", "Vacancies"), ("a", "Keeper of lamp 1")]
    assert len(lines) == 13
