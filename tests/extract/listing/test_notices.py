"""The one nameless day beside each title is that of the notice, where the newest stand first."""

import pytest

from lamplighter.extract.html_page import parse_page
from lamplighter.extract.listing.records import find_listing

FALLING = ("2031-05-16", "2031-05-12", "2031-05-12", "2031-05-08", "2031-04-30")
MIXED = ("2031-05-16", "2031-05-12", "2031-06-02", "2031-05-08", "2031-04-30")
RISING = tuple(reversed(FALLING))


def days(dates: tuple[str, ...], lead: str = "") -> list[str | None]:
    rows = "".join(
        f"<li><span>{lead}{date}</span><a href='/info/{n}.htm'>Lecturer in subject number {n}</a></li>"
        for n, date in enumerate(dates)
    )
    html = f"<html><title>Vacancies</title><body><h1>Vacancies</h1><ul>{rows}</ul></body></html>"
    found = find_listing(parse_page(html, "https://site.example/jobs/"), None).records
    return [record.fields["published_at"].value if "published_at" in record.fields else None for record in found]


def test_days_that_fall_are_days_of_notices() -> None:
    assert days(FALLING) == list(FALLING)


def test_days_written_day_first_are_compared_as_days() -> None:
    written = ("02.06.2031", "31.05.2031", "12.05.2031", "08.05.2031", "30.04.2031")

    assert days(written) == list(written)


@pytest.mark.parametrize(
    ("dates", "lead"),
    [(RISING, ""), (MIXED, ""), (FALLING[:3], ""), (("2031-05-16",) * 5, ""), (FALLING, "Closes ")],
    ids=["rising", "in no order", "too few", "all on one day", "named as the last day"],
)
def test_days_in_any_other_order_stay_unknown(dates: tuple[str, ...], lead: str) -> None:
    assert set(days(dates, lead)) == {None}
