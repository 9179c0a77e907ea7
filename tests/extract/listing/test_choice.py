"""The choice of the list says how sure it is and why, and every number it weighs has its weight."""

from lamplighter.extract import ladder
from lamplighter.extract.html_page import parse_page
from lamplighter.extract.listing.choice import judged
from lamplighter.extract.listing.ground import Ground
from lamplighter.extract.listing.page_evidence import NOTHING_DECLARED, page_evidence
from lamplighter.extract.listing.records import found_regions, links_of
from lamplighter.extract.listing.tree import outline
from lamplighter.extract.listing.weights import OF_PAGE, OF_REGION
from tests.extract.listing.test_listing import HOST, framed, repeated

DATED = framed(
    "<h1>Vacancies</h1><ul>"
    + repeated("<li><h3><a href='/jobs/N'>TITLE</a></h3><p>Closing date: DAY May 2031</p></li>", 8)
    + "</ul>"
)
BARE = framed("<ul>" + repeated("<li><a href='/a/N'>TITLE</a></li>", 4) + "</ul>")


def test_every_piece_of_evidence_has_a_weight_and_every_weight_its_evidence() -> None:
    page = parse_page(DATED, f"{HOST}/jobs")
    boxes = outline(page)
    ground = Ground(page, boxes)

    regions = judged(found_regions(boxes, links_of(page, boxes)), ground, wanted=None)

    assert {name for _, evidence in regions for name in evidence} == OF_REGION.keys()
    assert page_evidence(ground, NOTHING_DECLARED).keys() == OF_PAGE.keys()


def test_a_reading_says_what_decided_for_its_list() -> None:
    reading = ladder.read(DATED.encode(), url=f"{HOST}/jobs", content_type="text/html")

    assert len(reading.records) == 8
    sure, _, evidence = reading.because.partition("% sure; most of all: ")
    assert int(sure) > 90
    assert set(evidence.split(", ")) <= OF_REGION.keys()


def test_records_are_as_sure_as_the_choice_of_their_rows() -> None:
    clear = ladder.read(DATED.encode(), url=f"{HOST}/jobs", content_type="text/html").records
    doubtful = ladder.read(BARE.encode(), url=f"{HOST}/x", content_type="text/html").records

    assert clear[0].fields["title"].confidence == clear[0].fields["url"].confidence == 0.90
    assert all(record.fields["title"].confidence < 0.90 for record in doubtful)


def test_a_number_of_results_that_the_page_shows_speaks_for_as_many_rows() -> None:
    counts = {
        text: Ground(page := parse_page(f"<body><p>{text}</p>", HOST), outline(page)).counts
        for text in ("1 - 24 of 310 results", "24 products", "Seite 2", "Tel. 24 11")
    }

    assert counts == {
        "1 - 24 of 310 results": {24, 310},
        "24 products": {24},
        "Seite 2": frozenset(),
        "Tel. 24 11": frozenset(),
    }
