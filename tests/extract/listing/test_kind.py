"""What the rows of a listing are, and what a date in them then means."""

import pytest

from lamplighter.extract.html_page import parse_page
from lamplighter.extract.listing.records import find_listing
from lamplighter.model.record import RawRecord, RecordKind


def read(row: str, *, path: str, heading: str) -> list[RawRecord]:
    rows = "".join(row.replace("NO", str(n)) for n in range(11, 17))
    page = parse_page(f"<body><main><h1>{heading}</h1><ul>{rows}</ul></main></body>", f"https://site.example{path}")
    return find_listing(page, None).records


TENDER = "<li><a href='/tenders/NO'>Supply of NO water pumps</a><p>Deadline: NO May 2031</p></li>"
EVENT = "<li><h3><a href='/events/NO'>Open day number NO</a></h3><time datetime='2031-05-NO'>NO May</time></li>"
JOB = "<li><a href='/vacancies/NO'>Driver for depot NO</a><p>Deadline: NO May 2031</p></li>"
NOTICE = "<li><a href='/vacancies/NO'>Driver for depot NO</a> <span class=list-date>NO.05.2031</span></li>"
FORM = "<li><h3>Driver for depot NO</h3><a class=b href='/x/NO'>More</a><a class=b href='/form/NO'>Apply now</a></li>"


@pytest.mark.parametrize(
    ("row", "path", "heading", "kind"),
    [
        pytest.param(TENDER, "/procurement", "Open tenders", RecordKind.OTHER, id="tenders have closing dates too"),
        pytest.param(EVENT, "/events", "Events", RecordKind.OTHER, id="events are no articles"),
        pytest.param(JOB, "/vacancies", "Vacancies", RecordKind.JOB, id="jobs"),
        pytest.param(FORM, "/team", "Acme", RecordKind.JOB, id="what one can apply for is a job"),
        pytest.param(FORM, "/grants", "Grants", RecordKind.OTHER, id="or a grant where it is called one"),
    ],
)
def test_the_page_tells_what_its_rows_are(row: str, path: str, heading: str, kind: RecordKind) -> None:
    records = read(row, path=path, heading=heading)

    assert len(records) == 6
    assert {record.kind for record in records} == {kind}


@pytest.mark.parametrize(
    "heading",
    [
        *("Trabaja con nosotros", "Carrières", "Offene Stellen", "Werken bij ons", "Lavora con noi", "Pracuj z nami"),
        *("채용공고", "採用情報", "Trabalhe conosco", "Join our team", "انضم إلى فريقنا"),
    ],
)
def test_who_looks_for_colleagues_lists_jobs_whatever_the_rows_look_like(heading: str) -> None:
    row = "<li><h3><a href='/p/NO-driver-for-depot'>Driver for depot NO</a></h3><p>NO May 2031</p></li>"

    assert {record.kind for record in read(row, path="/p", heading=heading)} == {RecordKind.JOB}


def test_the_day_of_an_event_is_not_the_day_of_its_publication() -> None:
    assert not any("published_at" in record.fields for record in read(EVENT, path="/events", heading="Events"))


def test_the_only_date_of_a_job_that_is_called_just_that_is_the_day_of_posting() -> None:
    records = read(NOTICE, path="/vacancies", heading="Vacancies")

    assert [record.fields["published_at"].value for record in records][:2] == ["11.05.2031", "12.05.2031"]


@pytest.mark.parametrize(
    ("beside", "field", "value"),
    [
        pytest.param("<i class='fa fa-map-marker'></i> Rome", "location", "Rome", id="pictogram of a place"),
        pytest.param("<span itemprop=jobLocation>Rome</span>", "location", "Rome", id="microdata"),
        pytest.param("<a href='/companies/acme'>Acme</a>", "organisation", "Acme", id="link to a company"),
        pytest.param("<a href='/search?country=IT'>Italy</a>", "country", "Italy", id="link to a country"),
        pytest.param("<p>Posted today</p>", "published_at", "today", id="today"),
    ],
)
def test_a_value_without_a_label_is_known_by_what_stands_around_it(beside: str, field: str, value: str) -> None:
    row = (
        f"<li><h3><a href='/vacancies/NO'>Driver for depot NO</a></h3><p>{beside}</p><p>Deadline: NO May 2031</p></li>"
    )

    assert read(row, path="/vacancies", heading="Vacancies")[0].fields[field].value == value
