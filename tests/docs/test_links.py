"""Every link inside the documentation leads somewhere, and everything is linked from the map."""

import re
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.docs.pages import PAGES
from tests.repository import ROOT

#: the address of a link or a picture of this repository, with what follows its "#"
LINK = re.compile(r"\]\((?!https?://|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)")
FENCED = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)


def links_of(name: str) -> list[tuple[Path, str]]:
    """Where a page leads: the file, and the place in it or ''."""
    page = ROOT / name
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    found = ((unquote(path), place) for path, place in LINK.findall(text))
    return [((page.parent / path).resolve() if path else page, place) for path, place in found]


@cache
def places_of(page: Path) -> frozenset[str]:
    """What can stand behind the "#" in a link to a page: its headings, as GitHub spells them."""
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    counted: dict[str, int] = {}
    places = set()
    for heading in HEADING.findall(text):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        spelt = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        number = counted.get(spelt, 0)
        counted[spelt] = number + 1
        places.add(f"{spelt}-{number}" if number else spelt)
    return frozenset(places)


@pytest.mark.parametrize("name", [*PAGES, "CHANGELOG.md"])
def test_a_link_leads_to_a_file_and_to_a_place_in_it(name: str) -> None:
    links = links_of(name)

    broken = [str(target) for target, _ in links if not target.exists()]
    lost = [f"{target}#{place}" for target, place in links if place and place not in places_of(target)]

    assert broken + lost == []


def test_every_page_can_be_reached_from_the_map() -> None:
    reached: set[Path] = set()
    waiting = [ROOT / "docs" / "README.md"]
    while waiting:
        page = waiting.pop()
        reached.add(page)
        nearby = {target for target, _ in links_of(str(page.relative_to(ROOT))) if target.suffix == ".md"}
        waiting += nearby - reached

    decisions = ROOT / "docs" / "adr"
    unknown = {ROOT / name for name in PAGES} - reached - {ROOT / "README.md"}

    assert {page for page in unknown if page.parent != decisions} == set()
