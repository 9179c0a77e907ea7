"""Blocks beside a listing that look like it are not joined to it."""

from lamplighter.extract.html_page import parse_page
from lamplighter.extract.listing.records import find_listing, found_regions, links_of
from lamplighter.extract.listing.strays import without_strays
from lamplighter.extract.listing.tree import outline

JOBS = "".join(
    f"<a href='/work-with-us/officer-in-town-{n}'><p>Posted {n + 1} days ago</p><h3>Officer in town {n}</h3>"
    f"<p>Apply by 1{n} June 2031</p></a>"
    for n in range(6)
)
STORIES = "".join(
    f"<a href='/stories/a-day-with-{n}'><img src=a.jpg><h3>A day with colleague number {n}</h3></a>" for n in range(3)
)
NEWS = "".join(
    f"<section><div><h3><a href='/news/town/council-votes-on-plan-{n}'>Council votes on plan number {n}</a></h3>"
    f"<p>What it means.</p><span>1{n} May 2031</span></div></section>"
    for n in range(9)
)
MOST_READ = "".join(
    f"<li><a href='/news/town/dog-walks-home-again-{n}'>Dog walks home again, part {n}</a></li>" for n in range(20, 25)
)


def addresses(body: str) -> list[str]:
    page = parse_page(f"<html><body>{body}</body></html>", "https://site.example/list")
    return [str(record.fields["url"].value) for record in find_listing(page, None).records]


def test_undated_cards_under_a_heading_below_dated_jobs_are_left_out() -> None:
    below = f"<section><h2>Life with us</h2><div>{STORIES}</div></section>"
    found = addresses(f"<main><h1>Open positions</h1><div>{JOBS}</div>{below}</main>")

    assert len(found) == 6
    assert not any("/stories/" in url for url in found)


def test_a_list_of_bare_links_beside_dated_news_is_left_out() -> None:
    found = addresses(f"<h1>News</h1><div>{NEWS}</div><div><h2>Most read</h2><ol>{MOST_READ}</ol></div>")

    assert len(found) == 9
    assert not any("dog-walks" in url for url in found)


def test_a_numbered_link_in_bold_has_the_rest_of_its_paragraph_in_its_row() -> None:
    rows = "".join(
        f"<p><b>{n}. <a href='/posts/2031/4{n}.html'>Lecturer in subject {n}</a></b>, half time.<br>"
        f"Applications until 0{n}.06.2031.<br>Terms: <a href='/posts/2031/4{n}.doc'>download</a>"
        for n in range(1, 6)
    )
    page = parse_page(f"<html><body><h2>Vacancies</h2>{rows}</body></html>", "https://site.example/posts/")
    found = find_listing(page, None).records

    assert [record.fields["deadline"].value for record in found] == [f"0{n}.06.2031" for n in range(1, 6)]


def test_a_sibling_whose_link_is_nested_otherwise_is_a_row_and_one_of_another_class_is_not() -> None:
    rows = [
        f"<li class='post'><h3><a href='/news/{n}-story-about-town'>Story number {n}</a></h3></li>" for n in range(6)
    ]
    rows[2] = "<li class='post pinned'><div><h3><a href='/news/2-story-about-town'>Story number 2</a></h3></div></li>"
    rows.append("<li class='promo'><div><a href='/news/9-subscribe-to-us'>Read all of it on paper</a></div></li>")
    found = addresses(f"<main><h1>News</h1><ul>{''.join(rows)}</ul></main>")

    assert found == [f"https://site.example/news/{n}-story-about-town" for n in range(6)]


def test_a_thread_and_its_last_post_are_one_row() -> None:
    threads = "".join(
        f"<li><div><h3><a href='/boards/garden/{n}-sowing-beans'>Sowing beans, part {n}</a></h3></div>"
        f"<dl><dt>Last post</dt><dd><a href='/boards/garden/{n}-sowing-beans-post-9{n}'>Mine are up {n}</a></dd></dl>"
        for n in range(1, 9)
    )
    page = parse_page(f"<html><body><ol>{threads}</ol></body></html>", "https://site.example/list")
    boxes = outline(page)
    alternating = next(region for region in found_regions(boxes, links_of(page, boxes)) if len(region.rows) == 16)

    assert [row.box.tag for row in without_strays(alternating).rows] == ["div"] * 8


def test_links_in_headings_around_rows_that_have_facts_are_left_out() -> None:
    rows = "".join(
        f"<li><h2><a href='/jobs/78{n}'>Engineer for plant {n}</a></h2><p>Posted {n + 1} days ago</p></li>"
        for n in range(8)
    )
    head = (
        "<div><h3><a href='/jobs/engineer'>Engineer</a></h3></div><div><h3><a href='/jobs/here'>In town</a></h3></div>"
    )
    foot = "<section><h3><a href='/c/a/working-in-the-heat'>Working in the heat</a></h3><p>What holds.</p></section>"
    found = addresses(f"<h1>Jobs</h1>{head}<ol>{rows}</ol>{foot}")

    assert found == [f"https://site.example/jobs/78{n}" for n in range(8)]
