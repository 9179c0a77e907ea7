"""Boards, fronts, shops and forums as they are built on the web: which rows they have, and what each row says."""

import pytest

from lamplighter.extract.html_page import parse_page
from lamplighter.extract.listing.records import find_listing
from lamplighter.model.record import RawRecord, RecordKind
from tests.extract.fields import column

NAMES = ("Senior Officer", "Nurse", "Water Specialist", "Driver", "Legal Adviser", "Head of Office")
PROSE = "The committee met on Tuesday to weigh the proposals that the three regions had sent in before the summer. "
#: a menu with a second level that nothing marks as one
MENU = (
    "<div id=top><ul>"
    + "".join(
        f"<li><a href='/{word}'>{word}</a><ul><li><a href='/{word}/one'>Sub page one of {word}</a></li>"
        f"<li><a href='/{word}/two'>Another sub page</a></li></ul></li>"
        for word in ("about-us", "our-work", "news", "careers", "contact-us")
    )
    + "</ul></div>"
)


def rows(template: str, count: int = 6, start: int = 0) -> str:
    """The template once for each row, with its NAME, its NO and its DAY."""
    return "".join(
        template.replace("NAME", NAMES[n]).replace("NO", str(1000 + n)).replace("DAY", f"{n + 1:02}")
        for n in range(start, start + count)
    )


def read(body: str, wanted: RecordKind | None = None) -> list[RawRecord]:
    return find_listing(parse_page(f"<body>{MENU}{body}", "https://site.example/list"), wanted).records


BOARDS = {
    "groups by department": "".join(
        f"<section><h3>{team}</h3>"
        + rows("<div class=opening><a href='/jobs/NO'>NAME</a><br><span class=location>Bonn</span></div>", 2, start)
        + "</section>"
        for team, start in (("Operations", 0), ("Finance", 2), ("People", 4))
    ),
    "one link with heading and facts, and a button": rows(
        "<div class=posting><div><a href='/jobs/NO'>Apply</a></div><a href='/jobs/NO'><h5>NAME</h5>"
        "<div><span class='location'>Bonn</span><span>Full-time</span></div></a></div>"
    ),
    "a cell for each size of screen": "<table><tr><th><a href='/list?sort=t'>Title</a></th><th>Location</th></tr>"
    + rows(
        "<tr><td><span class=wide><a href='/jobs/NO'>NAME</a></span><div class=narrow><a href='/jobs/NO'>NAME</a>"
        "<span>Bonn, DE</span></div></td><td><span>Bonn</span></td></tr>"
    )
    + "</table>",
    "rows with a row of details": "<table><tr><th>Job title</th><th>Location</th></tr>"
    + rows("<tr><td><a href='/jobs/NO'>NAME</a></td><td>Bonn</td></tr><tr><td colspan=2>A post in the field.</td></tr>")
    + "</table>",
    "labelled boxes that scripts make links": rows(
        "<div onclick=\"window.location.href='/jobs/NO'\"><div><span>Job Title</span><span>NAME</span></div>"
        "<div><span>Duty Station</span><span>Bonn</span></div></div>"
    ),
    "a link that only screen readers can read": "<ul>"
    + rows(
        "<li><div><a href='/jobs/NO'><span class=sr-only>NAME</span></a><h3>NAME</h3>"
        "<h4><a href='/company/x'>Acme</a></h4>"
        "<span class=job-location>Bonn</span></div></li>"
    )
    + "</ul>",
    "cells that span rows": "<table><tr><th>Team</th><th>Position</th><th>Location</th></tr>"
    + "".join(
        "<tr><td rowspan=2>Operations</td>"
        + rows("<td><a href='/jobs/NO'>NAME</a></td><td>Bonn</td></tr>", 1, start)
        + rows("<tr><td><a href='/jobs/NO'>NAME</a></td><td>Bonn</td></tr>", 1, start + 1)
        for start in (0, 2, 4)
    )
    + "</table>",
    "many links, each with its own query": rows(
        "<div><a href='/jobs/NO?from=logo'><img alt='Acme logo'></a><h3><a href='/jobs/NO'>NAME</a></h3>"
        "<a href='/company/acme'>Acme</a><span class=location>Bonn</span><a href='/jobs/NO#apply'>Apply</a></div>"
    ),
    "formatting instead of elements": "<ul>"
    + rows("<li><a href='/jobs/NO'><strong>NAME</strong><em>Location: Bonn</em><small>3 days ago</small></a></li>")
    + "</ul>",
    "facts in one line": rows(
        "<div><div>NAME</div><div>Location: Bonn · Full-time · 3 days ago</div><a href='/jobs/NO'>View job</a></div>"
    ),
    "beside a column of news": "<div class=left><h1>Vacancies</h1>"
    + rows("<div><h3><a href='/jobs/NO'>NAME</a></h3><p>Location: Bonn</p></div>")
    + "</div><div class=right><h3>Latest news</h3><ul>"
    + rows("<li><a href='/news/NO'>NAME wins the prize of the year</a> <small>DAY May 2031</small></li>")
    + "</ul></div>",
}


@pytest.mark.parametrize("board", BOARDS)
def test_a_board_is_read(board: str) -> None:
    records = read(BOARDS[board])

    assert column(records, "title") == list(NAMES)
    assert column(records, "url") == [f"https://site.example/jobs/{1000 + n}" for n in range(6)]
    assert set(column(records, "location")) == {"Bonn"}


def test_the_same_post_in_many_towns_is_many_records() -> None:
    towns = ("Bonn", "Köln", "Ulm", "Trier")

    records = read(
        "".join(f"<li><a href='/jobs/{n}'>Verkäufer (m/w/d)</a> <i>{t}</i></li>" for n, t in enumerate(towns))
    )

    assert column(records, "title") == ["Verkäufer (m/w/d)"] * 4


def test_pairs_of_table_rows_are_one_record() -> None:
    pair = (
        "<tr><td>1.</td><td><a href='/vote?id=NO'></a></td>"
        "<td><a href='https://hNO.example/'>NAME explains it all</a></td></tr>"
        "<tr><td colspan=2></td><td>17 points by <a href='/user?id=u'>u</a> <a href='/item?id=NO'>3 hours ago</a> | "
        "<a href='/item?id=NO'>12 comments</a></td></tr>"
    )

    records = read(f"<table>{rows(pair)}</table>")

    assert column(records, "title") == [f"{name} explains it all" for name in NAMES]
    assert set(column(records, "published_at")) == {"3 hours ago"}


def test_a_blog_is_read_without_its_side_bar() -> None:
    post = (
        "<article><header><h2><a href='/2031/05/post-NO/'>NAME</a></h2><span>Posted on <a href='/2031/05/post-NO/'>"
        "<time datetime='2031-05-DAY'>May DAY</time></a></span> <span>by <a href='/author/jane'>Jane Doe</a></span>"
        "</header>"
        f"<p>{PROSE}<a href='/2031/05/post-NO/'>Continue reading</a></p><a href='/category/x'>X</a></article>"
    )
    recent = rows("<li><a href='/2031/05/post-NO/'>NAME</a></li><li><a href='/2030/01/old-NO/'>Old NAME</a></li>")

    records = read(f"<div>{rows(post)}</div><aside><h2>Recent posts</h2><ul>{recent}</ul></aside>")

    assert column(records, "title") == list(NAMES)
    assert column(records, "published_at")[0] == "2031-05-01"
    assert set(column(records, "author")) == {"Jane Doe"}


def test_a_date_in_pieces_is_one_date() -> None:
    row = "<div><p><i>DAY</i><span>May</span><span>2031</span></p><h4><a href='/news/NO'>NAME elected</a></h4></div>"

    assert column(read(rows(row)), "published_at")[1] == "02 May 2031"


def test_the_price_that_holds_is_read_from_its_pieces() -> None:
    row = (
        "<li><a href='/product/NO'><img><h2>NAME</h2><del><bdi><span>£</span>12.00</bdi></del> "
        "<ins><bdi><span>£</span>10.00</bdi></ins></a><a href='?add=NO'>Add to basket</a></li>"
    )

    records = read(f"<ul>{rows(row)}</ul>")

    assert set(column(records, "price")) == {"£10.00"}
    assert {record.kind for record in records} == {RecordKind.PRODUCT}


def test_a_short_table_with_heads_is_a_listing() -> None:
    row = "<tr><td><a href='/jobs/NO'>NAME</a></td><td>DAY May 2031</td></tr>"

    assert column(read(f"<table><tr><th>Position</th><th>Date</th></tr>{rows(row, 1)}</table>"), "title") == [
        "Senior Officer"
    ]


def test_the_wanted_kind_decides_between_two_listings() -> None:
    jobs = rows("<div><h3><a href='/jobs/NO'>NAME</a></h3><p>1 May 2031</p></div>", 4)
    news = rows("<div><h3><a href='/news/NO'>NAME is elected</a></h3><p>1 May 2031</p></div>", 5)

    body = f"<div><ul>{jobs}</ul></div><section><div>{news}</div></section>"

    assert len(read(body, RecordKind.JOB)) == 4


STORY = f"<div class=left><h1>We won</h1><p>{PROSE * 2}</p></div>"
OTHERS = {
    "a home page with its fields of work": f"<h1>Clean water</h1><p>{PROSE}</p>"
    + "".join(f"<div><h3><a href='/{w}'>{w}</a></h3><p>{PROSE[:60]}</p></div>" for w in ("water", "health", "schools")),
    "a job with more jobs": f"<h1>Driver</h1><ul>{f'<li>{PROSE}</li>' * 6}</ul><h2>More jobs at Acme</h2>"
    + rows("<div><h3><a href='/jobs/NO'>NAME</a></h3><p>Bonn</p></div>"),
    "a short story beside the latest news": STORY
    + "<div class=right><h3>Latest news</h3>"
    + rows("<p><a href='/news/NO'>NAME wins the prize</a> DAY May 2031</p>")
    + "</div>",
    "a discussion": "<h1>How to do it?</h1>"
    + rows(f"<div><a href='/u/uNO'>userNO</a><span>May DAY, 2031</span><p>{PROSE * 2}</p></div>"),
    "a reference work": "".join(f"<p>A <a href='/wiki/A{n}'>lamp {n}</a> is {PROSE * 3}</p>" for n in range(6))
    + "<ol>"
    + "".join(f"<li>Smith. <a href='https://doi.example/10.{n}/a'>On lamps, part {n}</a>. 2011.</li>" for n in range(6))
    + "</ol>",
    "a guide with its chapters": "<ul>"
    + "".join(f"<li><a href='/docs/chapter-{n}-of-guide'>Chapter {n} of the guide</a></li>" for n in range(9))
    + f"</ul><div><h1>Introduction</h1>{f'<p>{PROSE * 4}</p>' * 5}</div>",
    "the team": "<h1>Our team</h1>" + rows("<div><img><h3><a href='/team/x'>NAME</a></h3><p>Director</p></div>"),
    "no vacancies": "<h1>Vacancies</h1><p>There are currently no vacancies. Please check back later.</p>",
}


@pytest.mark.parametrize("page", OTHERS)
@pytest.mark.parametrize("wanted", [None, RecordKind.JOB], ids=["any kind", "jobs wanted"])
def test_a_page_about_something_else_lists_nothing(page: str, wanted: RecordKind | None) -> None:
    assert read(OTHERS[page], wanted) == []


STRUCTURES = {
    "labels moved off the screen": "<li><span class=offscreen>Requisition title</span><h3>"
    "<a href='/jobs/NO'>NAME</a></h3><p>Rome</p></li>",
    "labels moved off the screen by a style": "<li><span style='position:absolute;left:-9999px'>Job title</span>"
    "<a href='/jobs/NO'>NAME</a> <i>Rome</i></li>",
    "bullets": "<li><a href='/jobs/NO'>\u00b7 NAME</a> <i>Rome</i></li>",
    "sections before headlines": "<li><h3><span class=kicker>Sport</span> <a href='/jobs/NO'>NAME</a></h3>"
    "<p>Rome</p></li>",
    "an empty link over each card": "<li><a class=overlay href='/jobs/NO' aria-label='NAME'></a><h3><span>Sport</span>"
    "<span>NAME</span></h3></li>",
    "rows by onclick": "<li onclick=\"location.href='/jobs/NO'\"><b>NAME</b><span>Rome</span>"
    "<span>3 May 2031</span></li>",
    "addresses with a name and a query": "<li><a href='/orgs/acme'>Acme</a> <a href='/jobs/NO?pos=NO'>NAME</a></li>",
}


@pytest.mark.parametrize("structure", STRUCTURES)
def test_the_title_is_what_a_reader_takes_for_it(structure: str) -> None:
    records = read(f"<main><h1>Vacancies</h1><ul>{rows(STRUCTURES[structure])}</ul></main>")

    assert column(records, "title") == list(NAMES)


def test_cards_outside_the_main_element_are_not_rows() -> None:
    jobs = rows("<div><h3><a href='/jobs/NO'>NAME</a></h3><p>Closing date: 3 May 2031</p></div>", 3)
    cards = rows("<div><h3><a href='/help/way-to-give-NO'>Give your NAME</a></h3><p>To the marsh.</p></div>", 5)

    records = read(f"<main><h1>Work for us</h1>{jobs}</main><section>{cards}</section>")

    assert column(records, "title") == list(NAMES[:3])


def test_tiles_without_the_facts_of_the_others_are_not_rows() -> None:
    goods = rows("<li><a href='/products/NO'><p>NAME</p><p>\uffe5NO,800</p></a></li>")
    tiles = "".join(f"<li><a href='/help/{n}'><p>About number {n}</p></a></li>" for n in range(3))

    assert column(read(f"<ul>{goods}</ul><ul>{tiles}</ul>"), "title") == list(NAMES)


def test_the_number_of_a_part_is_not_its_name() -> None:
    head = "<tr><th>Part no.</th><th>Description</th><th>Price</th></tr>"
    goods = rows(
        "<tr><td><a href='/item/NO'>HB-NO-A2</a></td><td><a href='/item/NO'>NAME</a></td><td>EUR NO.00</td></tr>"
    )

    records = read(f"<table>{head}{goods}</table>")

    assert column(records, "title") == list(NAMES)
    assert str(column(records, "sku")[0]).startswith("HB-")


def test_a_cell_that_repeats_its_head_as_a_label_is_read() -> None:
    head = "<div role=row><div role=columnheader>Title</div><div role=columnheader>Deadline</div></div>"
    cells = rows(
        "<div role=row><div role=gridcell><i>Title</i><a href='/jobs/NO'>NAME</a></div>"
        "<div role=gridcell><p>Deadline</p><p>3 May 2031</p></div></div>"
    )

    records = read(f"<div role=grid>{head}{cells}</div>")

    assert column(records, "deadline") == ["3 May 2031"] * 6


def test_a_row_of_filters_in_a_table_is_no_record() -> None:
    head = "<tr><th>Title</th><th>Location</th></tr><tr><td><input></td><td><a href='/jobs?q='>Reset</a></td></tr>"
    jobs = rows("<tr><td><a href='/jobs/NO'>NAME</a></td><td>Rome</td></tr>")

    assert column(read(f"<table>{head}{jobs}</table>"), "title") == list(NAMES)


def test_more_than_so_many_days_ago_is_no_date() -> None:
    jobs = rows("<li><h3><a href='/jobs/NO'>NAME</a></h3><p>Posted 30+ days ago</p></li>")

    assert column(read(f"<ul>{jobs}</ul>", RecordKind.JOB), "published_at") == [None] * 6


def test_the_headlines_of_a_front_page_are_read_from_blocks_of_every_build() -> None:
    lead = "<div><h2><a href='/news/2031/05/the-lead-of-the-day'>The lead of the day</a></h2><ul><li>"
    lead += "<a href='/sport/2031/05/a-story-below-the-lead'>A story below the lead</a></li></ul></div>"
    cards = "".join(
        f"<div class=card><a href='/world/2031/05/card-story-no-{n}' aria-label='Card story of number {n}'></a>"
        f"<h3><span class=kicker>World</span><span>Card story of number {n}</span></h3></div>"
        for n in range(5)
    )
    bare = "".join(f"<li><a href='/city/2031/05/bare-story-no-{n}'>Bare story of number {n}</a></li>" for n in range(5))
    sections = "<h2><a href='/opinion'>Opinion</a></h2><h2><a href='/city'>City</a></h2>"

    records = read(f"<main>{lead}{sections}<div>{cards}</div><ul>{bare}</ul></main>")

    assert len(records) == 12
    assert column(records, "title")[2] == "Card story of number 0"


@pytest.mark.parametrize("tag", ["<h3><a href='/news/{n}-story'>{t}</a></h3>", "<a href='/news/{n}-story'>{t}</a>"])
def test_a_headline_that_holds_the_name_of_a_field_is_no_label(tag: str) -> None:
    headlines = (
        "Council votes for a new pier",
        "Brand in Lagerhalle: niemand verletzt",
        "Region in uproar: thousands march",
    )
    teasers = "".join(
        f"<article><span>Local</span>{tag.format(n=n, t=headline)}<p>{PROSE}</p><time>{n} May 2025</time></article>"
        for n, headline in enumerate(headlines, 1)
    )

    assert column(read(f"<h1>News</h1>{teasers}"), "title") == list(headlines)


def test_what_a_page_calls_a_date_for_its_own_scripts_is_heard_also_in_small_print() -> None:
    board = rows(
        "<div><h3><a href='/jobs/NO'>NAME</a></h3><p><small data-automation=posted-date>5/DAY/2026</small></p></div>"
    )

    assert column(read(f"<h1>Jobs</h1>{board}"), "published_at")[0] == "5/01/2026"


def test_the_page_of_a_person_names_the_author() -> None:
    posts = rows("<div><a href='/p/the-NO-story'>NAME</a><time>DAY May 2026</time> • <a href='/@ann'>Ann Poe</a></div>")

    assert set(column(read(f"<h1>Blog</h1>{posts}", RecordKind.ARTICLE), "author")) == {"Ann Poe"}
