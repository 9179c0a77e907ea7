"""What a heading above rows tells of their dates."""

import pytest

from lamplighter.extract.html_page import parse_page
from lamplighter.extract.listing.dates import completed
from lamplighter.extract.listing.records import find_listing


def dates(between: str, row: str) -> list[object]:
    """The dates of two groups of three rows, below 2031 and 2030 in the given element."""
    groups = [
        between.replace("YEAR", str(year))
        + "<ul>"
        + "".join(row.replace("NO", f"{year}{n}").replace("DAY", str(n)) for n in (1, 2, 3))
        + "</ul>"
        for year in (2031, 2030)
    ]
    page = parse_page(f"<body><h1>Press</h1>{''.join(groups)}</body>", "https://site.example/press")
    return [
        record.fields["published_at"].value if "published_at" in record.fields else None
        for record in find_listing(page, None).records
    ]


ROW = "<li><span>DAY March</span> <a href='/press/release-NO'>The release number NO is out</a></li>"


@pytest.mark.parametrize(
    "between",
    ["<h2>YEAR</h2>", "<h3>Press releases YEAR</h3>", "<div class=year>YEAR</div>", "<p><b>YEAR</b></p>",
     "<h4>March YEAR</h4>", "<h2>YEAR (3)</h2>"],
)  # fmt: skip
def test_the_year_above_the_rows_completes_their_dates(between: str) -> None:
    found = dates(between, ROW)

    assert found == ["1 March 2031", "2 March 2031", "3 March 2031", "1 March 2030", "2 March 2030", "3 March 2030"]


def test_the_date_above_the_rows_is_theirs() -> None:
    row = "<li><a href='/press/release-NO'>The release number NO is out today</a></li>"

    assert dates("<h3>5 May YEAR</h3>", row) == ["5 May 2031"] * 3 + ["5 May 2030"] * 3


@pytest.mark.parametrize("date", ["3 March 2029", "03.03.29", "3 days ago", "soon"])
def test_only_dates_without_a_year_are_completed(date: str) -> None:
    assert completed(date, "2031") == date
