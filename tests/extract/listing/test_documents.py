"""Documents in a list have the date under which they are cited, wherever the list shows it."""

import pytest

from lamplighter.extract.html_page import parse_page
from lamplighter.extract.listing.records import find_listing

CASES = (
    "Marsh v. Tide",
    "Ferry Board v. Oar",
    "In re Lantern",
    "Hill v. Valley Council",
    "Baker v. Miller",
    "Reed v. Sedge",
)


def dates(body: str, title: str = "Opinions") -> list[object]:
    page = parse_page(f"<title>{title}</title><body><h1>{title}</h1>{body}</body>", "https://court.example/opinions")
    return [
        record.fields["published_at"].value if "published_at" in record.fields else None
        for record in find_listing(page, None).records
    ]


def link(number: int, text: str = "") -> str:
    return f"<a href='/opinions/2031-{number:03}.pdf'>{text or CASES[number]}</a>"


@pytest.mark.parametrize(
    ("head", "other"),
    [
        ("Decided", "Posted"),
        ("Date Filed", "Posted"),
        ("Opinion Date", "Updated"),
        ("Date de la décision", "Publié le"),
    ],
)
def test_the_day_of_a_decision_counts_before_that_of_its_appearance(head: str, other: str) -> None:
    rows = "".join(f"<tr><td>{link(n)}<td>0{n + 1}/20/2031<td>0{n + 1}/28/2031</tr>" for n in range(6))

    found = dates(f"<table><tr><th>Title<th>{head}<th>{other}</tr>{rows}</table>")

    assert found == [f"0{n + 1}/20/2031" for n in range(6)]


def test_a_date_is_named_by_a_word_in_the_line_of_its_row() -> None:
    rows = "".join(
        f"<p>{link(n)}, Case No. 2031{n:04}, Filed October {n + 10}, 2031, 2031 EX {n}</p>" for n in range(6)
    )

    assert dates(rows) == [f"October {n + 10}, 2031" for n in range(6)]


def test_a_date_with_a_name_counts_before_one_without() -> None:
    rows = "".join(
        f"<li>{link(n)} <span>Argued May {n + 1}, 2031</span> <span>Decided July {n + 1}, 2031</span></li>"
        for n in range(6)
    )

    assert dates(f"<ul>{rows}</ul>") == [f"July {n + 1}, 2031" for n in range(6)]


def test_a_date_of_figures_alone_is_known_by_its_label() -> None:
    rows = "".join(
        f"<tr><td><h4>{link(n)}</h4><b>Opinion Date:</b> 0{n + 1}112031<br><b>Parish:</b> Reedham</tr>"
        for n in range(6)
    )

    assert dates(f"<table>{rows}</table>") == [f"0{n + 1}112031" for n in range(6)]


def test_a_line_before_the_link_belongs_to_its_row_where_empty_lines_separate_rows() -> None:
    rows = "".join(f"<br>Filed 05/{n + 10}/2031, No. 30-{n}<br>{link(n)}<br>Harbour Agency<br>" for n in range(6))

    assert dates(f"<h3>As of May 27, 2031 06:30:02 PM</h3><hr>{rows}") == [f"05/{n + 10}/2031" for n in range(6)]


def test_dates_in_titles_are_dates_of_documents_where_that_is_the_rule() -> None:
    rows = "".join(f"<li>{link(n, f'May {n + 3}, 2031 — Op. No. 16-{n} on {CASES[n]}')}</li>" for n in range(6))

    assert dates(f"<ul>{rows}</ul>") == [f"May {n + 3}, 2031" for n in range(6)]


def test_a_date_in_one_title_is_what_the_title_is_about() -> None:
    rows = "".join(f"<li>{link(n)} and some more words</li>" for n in range(5))
    about = link(5, "The great flood of May 3, 2019 remembered")

    assert set(dates(f"<ul>{rows}<li>{about}</li></ul>", "News")) == {None}


def test_a_date_above_a_table_of_rows_is_theirs() -> None:
    groups = "".join(
        f"<div><time datetime='2031-07-0{day}'>July {day}, 2031</time></div><table><tr><th>Case Number<th>Title</tr>"
        + "".join(f"<tr><td>S-{day}-{n}<td>{link(n + day)}</tr>" for n in range(2))
        + "</table>"
        for day in (4, 2)
    )

    assert dates(groups) == ["July 4, 2031"] * 2 + ["July 2, 2031"] * 2


@pytest.mark.parametrize("stamp", ["As of May 27, 2031", "May 27, 2031 06:30 PM", "Last updated: May 27, 2031"])
def test_a_date_about_the_page_is_not_that_of_its_rows(stamp: str) -> None:
    rows = "".join(f"<li>{link(n)} and some more words</li>" for n in range(6))

    assert set(dates(f"<h3>{stamp}</h3><ul>{rows}</ul>", "News")) == {None}
