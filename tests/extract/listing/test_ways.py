"""Tiles, plans and links out of a site repeat like records and are none."""

import pytest

from lamplighter.extract.html_page import parse_page
from lamplighter.extract.listing.records import find_listing
from lamplighter.model.record import RawRecord, RecordKind

DEPARTMENTS = (
    "Coins and old medals",
    "Maps of the coast",
    "Arms and armour",
    "Asia before 1600",
    "Birds and their eggs",
)


def read(body: str, *, path: str, title: str = "", wanted: RecordKind | None = None) -> list[RawRecord]:
    html = f"<html><head><title>{title}</title></head><body><main>{body}</main></body></html>"
    return find_listing(parse_page(html, f"https://site.example{path}"), wanted).records


def tiles(path: str, line: str = "A line about it.") -> str:
    return "".join(
        f"<li><a href='{path}/{name.lower().replace(' ', '-')}'><img src=a.jpg><h2>{name}</h2><p>{line}</p></a></li>"
        for name in DEPARTMENTS
    )


def plans(line: str, address: str = "/signup?plan=") -> str:
    return "".join(
        f"<div><h2>{name} plan</h2><p>${price} {line}</p><ul><li>{price} projects</li></ul>"
        f"<a href='{address}{name}'>Start with it</a></div>"
        for name, price in (("Small", 9), ("Middle", 29), ("Large", 99))
    )


def test_tiles_of_departments_are_no_records() -> None:
    found = read(f"<h1>Collections</h1><ul>{tiles('/collections')}</ul>", path="/collections")

    assert found == []


@pytest.mark.parametrize(
    ("heading", "path", "line"),
    [
        ("Open positions", "/collections", "A line about it."),
        ("Collections", "/news", "A line about it."),
        ("Collections", "/collections", "Added on 3 May 2031."),
        ("Collections", "/other", "A line about it."),
    ],
    ids=["a heading that says jobs", "an address that says news", "dates", "pages elsewhere on the site"],
)
def test_tiles_are_records_where_the_page_says_more(heading: str, path: str, line: str) -> None:
    below = "/collections" if path == "/other" else path
    found = read(f"<h1>{heading}</h1><ul>{tiles(below, line)}</ul>", path=path)

    assert len(found) == len(DEPARTMENTS)


def test_tiles_are_records_where_the_operator_says_so() -> None:
    body = f"<h1>Collections</h1><ul>{tiles('/collections')}</ul>"

    assert len(read(body, path="/collections", wanted=RecordKind.OTHER)) == len(DEPARTMENTS)


@pytest.mark.parametrize("line", ["/month", "per year", "monatlich", "par mois"])
def test_plans_to_subscribe_to_are_no_records(line: str) -> None:
    assert read(f"<h1>Simple pricing</h1>{plans(line)}", path="/pricing") == []


def test_goods_with_a_page_of_their_own_are_records() -> None:
    found = read(f"<h1>Hire a bicycle</h1>{plans('per month', '/products/bicycle-4')}", path="/hire")

    assert len(found) == 3


def test_a_few_links_to_other_hosts_are_no_records() -> None:
    ways = "".join(
        f"<li><a href='https://maps.example/route?from={n}'>From the station number {n}</a></li>" for n in range(4)
    )

    assert read(f"<h1>Contact</h1><ul>{ways}</ul>", path="/contact") == []


def test_jobs_on_another_host_are_records_where_the_page_announces_jobs() -> None:
    jobs = "".join(f"<li><a href='https://board.example/job/{n}'>Driver of lorry number {n}</a></li>" for n in range(4))

    assert len(read(f"<h1>Open positions</h1><ul>{jobs}</ul>", path="/contact")) == 4
