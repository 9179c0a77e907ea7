"""The site of the real crawl, where the real pages are not there."""

from pathlib import Path

import pytest

from benchmarks.site import real_site
from benchmarks.site.real_site import RealSite


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RealSite:
    """Twenty pages of our own on three hosts."""
    monkeypatch.setattr(real_site, "REAL_PAGES", tmp_path / "nowhere")
    return RealSite.written(tmp_path / "site", hosts=3, pages=20)


def _pages(site: RealSite) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in site.folder.glob("*/page/*.html")}


def test_pages_of_our_own_differ_and_are_as_large_as_real_ones(site: RealSite) -> None:
    pages = _pages(site)

    sizes = [len(body) for body in pages.values()]
    assert len(set(pages.values())) == 20
    assert 150_000 < sum(sizes) / len(sizes) < 300_000


def test_every_page_is_linked_from_the_first_page_of_its_host(site: RealSite) -> None:
    for path in site.folder.glob("*/page/*.html"):
        first = (path.parents[1] / "index.html").read_text()

        assert f'href="/page/{path.name}"' in first


def test_a_tenth_of_the_pages_says_something_new(site: RealSite) -> None:
    before = _pages(site)

    changed = site.change_some(1)

    after = _pages(site)
    assert [name for name in sorted(after) if after[name] != before[name]] == ["0.html", "10.html"]
    assert changed == 2
