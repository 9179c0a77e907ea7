"""The small pages of these tests with what they list: the weights of the listing are fitted on them as well."""

from collections.abc import Iterator
from typing import NamedTuple

from tests.extract.listing import test_boards as boards
from tests.extract.listing import test_listing as listings
from tests.extract.listing import test_sections as sections
from tests.extract.listing import test_ways as ways

SITE = "https://site.example"


class SmallPage(NamedTuple):
    """A page of one of the tests."""

    html: str
    url: str
    #: titles and addresses of its rows
    rows: list[tuple[str, str]]


def small_pages() -> Iterator[SmallPage]:
    """Every page once."""
    yield from _boards()
    jobs = list(zip(listings.titles(), listings.urls(), strict=True))
    for family in listings.FAMILIES.values():
        yield SmallPage(f"<body>{listings.framed(f'<h1>Vacancies</h1>{family}')}", f"{SITE}/list", jobs)
        yield SmallPage(f"<body>{listings.PLAIN_MENU}{family}", f"{SITE}/list", jobs)
    for labels in listings.LABELLED.values():
        yield SmallPage(f"<body>{listings.framed(f'<ul>{listings.repeated(labels)}</ul>')}", f"{SITE}/list", jobs)
    yield from _sections()
    yield from _ways()


def _boards() -> Iterator[SmallPage]:
    rows = [(name, f"{SITE}/jobs/{1000 + number}") for number, name in enumerate(boards.NAMES)]
    for board in boards.BOARDS.values():
        yield SmallPage(f"<body>{boards.MENU}{board}", f"{SITE}/list", rows)
    for structure in boards.STRUCTURES.values():
        body = f"<main><h1>Vacancies</h1><ul>{boards.rows(structure)}</ul></main>"
        yield SmallPage(f"<body>{boards.MENU}{body}", f"{SITE}/list", rows)
    for other in boards.OTHERS.values():
        yield SmallPage(f"<body>{boards.MENU}{other}", f"{SITE}/list", [])


def _sections() -> Iterator[SmallPage]:
    rows = [(title, f"{SITE}/jobs/{number}") for number, title in enumerate(sections.TITLES, 10)]
    for linked in sections.LINKED.values():
        body = f"<h1>Vacancies</h1><p>{sections.PROSE}</p>{sections.rows(linked)}<h2>How to apply</h2>"
        yield SmallPage(f"<body><main>{body}<p>{sections.PROSE}</p></main>", f"{SITE}/about/us", rows)
    for none in sections.NOT_LISTINGS.values():
        body = f"<h1>About us</h1><p>{sections.PROSE}</p>{sections.rows(none)}"
        yield SmallPage(f"<body><main>{body}</main>", f"{SITE}/about/us", [])


def _ways() -> Iterator[SmallPage]:
    tiles = f"<h1>Collections</h1><ul>{ways.tiles('/collections')}</ul>"
    yield SmallPage(f"<body><main>{tiles}</main>", f"{SITE}/collections", [])
    for line in ("/month", "par mois"):
        yield SmallPage(f"<body><main><h1>Pricing</h1>{ways.plans(line)}</main>", f"{SITE}/pricing", [])
