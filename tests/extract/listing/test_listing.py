"""Which records a page lists, read from nothing but what repeats on it. Each page is one family met on the web."""

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.extract.bounds import excess
from lamplighter.extract.html_page import parse_page
from lamplighter.extract.listing.records import find_listing
from lamplighter.model.record import Method, RawRecord, RecordKind

HOST = "https://site.example"
PROSE = (
    "The committee met on Tuesday to weigh the proposals that the three regions had sent in before the summer, and "
    "after a long debate it asked for further figures. "
)
TITLES = (
    "Senior Programme Officer",
    "Water and Sanitation Specialist",
    "Driver",
    "Finance and Administration Assistant",
    "Consultant, Gender Equality",
    "Head of Field Office",
    "Communications Intern",
    "Data Analyst (Nutrition)",
    "Regional Legal Adviser",
    "Logistics Coordinator",
)
NAV = (
    "<header><nav><ul>"
    + "".join(f"<li><a href='/{w.lower()}'>{w}</a></li>" for w in "Home About Projects Partners Donate Contact".split())
    + "</ul></nav></header>"
)
PLAIN_MENU = "<div><div>" + "".join(f"<a href='/{n}'>Section {n}</a> " for n in "abcdefghijklmnopqrst") + "</div></div>"
FOOTER = "<footer><ul>" + "".join(f"<li><a href='/f{n}'>Legal notice {n}</a></li>" for n in range(8)) + "</ul></footer>"


def read(body: str, *, path: str = "/list", title: str = "", wanted: RecordKind | None = None) -> list[RawRecord]:
    page = parse_page(f"<html><head><title>{title}</title></head><body>{body}</body></html>", HOST + path)
    return find_listing(page, wanted).records


def column(records: Iterable[RawRecord], name: str) -> list[str | None]:
    return [record.fields[name].value if name in record.fields else None for record in records]


def framed(main: str) -> str:
    return f"{NAV}<main>{main}</main>{FOOTER}"


def repeated(template: str, rows: int = 5) -> str:
    """The template once for each row: TITLE, N and DAY are filled in."""
    return "".join(
        template.replace("N", str(n + 1))
        .replace("DAY", f"{n % 28 + 1:02}")
        .replace("TITLE", TITLES[n % len(TITLES)] + (f" {n}" if n >= len(TITLES) else ""))
        for n in range(rows)
    )


def titles(rows: int = 5) -> list[str]:
    return [TITLES[n % len(TITLES)] + (f" {n}" if n >= len(TITLES) else "") for n in range(rows)]


def urls(rows: int = 5, path: str = "/jobs/{}") -> list[str]:
    return [HOST + path.format(n + 1) for n in range(rows)]


FAMILIES = {
    "bare list": "<ul>" + repeated("<li><a href='/jobs/N'>TITLE</a></li>") + "</ul>",
    "links and line breaks": "<p>" + repeated("<a href='/jobs/N'>TITLE</a><br>") + "</p>",
    "links with text and line breaks": "<div>" + repeated("<a href='/jobs/N'>TITLE</a> - Geneva<br>") + "</div>",
    "definition list": "<dl>" + repeated("<dt><a href='/jobs/N'>TITLE</a></dt><dd>Geneva. Closes soon.</dd>") + "</dl>",
    "headings and paragraphs": repeated("<h3><a href='/jobs/N'>TITLE</a></h3><p>Based in Geneva, for two years.</p>"),
    "cards": repeated(
        "<article class='card'><h2><a href='/jobs/N'>TITLE</a></h2><p>Geneva</p><a href='/jobs/N'>Read more</a>"
        "</article>"
    ),
    "cards in a grid of columns": "<div class=row>"
    + repeated("<div class=col><div class=card><h4><a href='/jobs/N'>TITLE</a></h4><span>Rome</span></div></div>")
    + "</div>",
    "one link around each card": "<div>"
    + repeated("<a class=card href='/jobs/N'><h3>TITLE</h3><p>Geneva</p><span>Full time</span></a>")
    + "</div>",
    "one link around spans": "<ul>"
    + repeated("<li><a href='/jobs/N'><span>TITLE</span><span>Geneva</span><span>View</span></a></li>")
    + "</ul>",
    "picture first": "<ul>"
    + repeated(
        "<li><a href='/jobs/N'><img src=x.png alt=''></a><a href='/jobs/N'>TITLE</a><a href='/jobs/N'>more</a></li>"
    )
    + "</ul>",
    "organisation link first": "<ul>"
    + repeated("<li><a href='/orgs/who'>WHO</a> <a href='/jobs/N'>TITLE</a> <a href='/apply/N'>Apply</a></li>")
    + "</ul>",
    "category link first": "<div>"
    + repeated("<div><a href='/category/health'>Health</a><h3><a href='/jobs/N'>TITLE</a></h3><p>Rome</p></div>")
    + "</div>",
    "headless table": "<table>" + repeated("<tr><td><a href='/jobs/N'>TITLE</a></td><td>Rome</td></tr>") + "</table>",
    "title is plain, the link says view": "<table>"
    + repeated("<tr><td>TITLE</td><td>Rome</td><td><a href='/jobs/N'>View</a></td></tr>")
    + "</table>",
    "odd and even": "<div>"
    + repeated("<div class='row rN'><span><a href='/jobs/N'>TITLE</a></span><span>Rome</span></div>")
    + "</div>",
    "ads between rows": "<ul>"
    + repeated("<li class=job><a href='/jobs/N'>TITLE</a></li><li class=ad>Advertisement</li>")
    + "</ul>",
    "spoken words in the link": "<ul>"
    + repeated("<li><a href='/jobs/N'>TITLE<span class='sr-only'>(opens in a new window)</span></a> Rome</li>")
    + "</ul>",
    "badges": "<ul>" + repeated("<li><h3><a href='/jobs/N'>TITLE</a> <span class=b>New</span></h3></li>") + "</ul>",
    "cut off": "<ul>"
    + repeated("<li><a href='/jobs/N' title='TITLE'>TITLE</a></li>").replace(
        ">Senior Programme Officer", ">Senior Prog…"
    )
    + "</ul>",
    "twice, for two sizes of screen": "<div class=desk>"
    + repeated("<div><a href='/jobs/N'>TITLE</a><i>Rome</i></div>")
    + "</div><div class=mob>"
    + repeated("<p><a href='/jobs/N'>TITLE</a></p>")
    + "</div>",
    "nested layout tables": "<table><tr><td><table><tr><td><a href=/a>Menu</a></td></tr></table></td><td><table>"
    + repeated("<tr><td><font><a href='/jobs/N'>TITLE</a></font></td><td>Rome</td></tr>")
    + "</table></td></tr></table>",
    "bold titles of some rows": "<ul>"
    + repeated("<li><a href='/jobs/N'>TITLE</a></li>").replace(">Driver<", "><b>Driver</b><")
    + "</ul>",
    "query addresses": "<ul>"
    + repeated("<li><a href='/jobs/N'>TITLE</a></li>")
    + "</ul><p>1 2 3 <a href='?page=2'>2</a>",
    "two lists side by side": "<div><ul>"
    + repeated("<li><a href='/jobs/N'>TITLE</a></li>", 3)
    + "</ul><ul>"
    + "".join(f"<li><a href='/jobs/{n}'>{TITLES[n - 1]}</a></li>" for n in (4, 5))
    + "</ul></div>",
    "grouped under headings": "".join(
        f"<section><h2>{place}</h2><ul>"
        + "".join(f"<li><a href='/jobs/{n}'>{TITLES[n - 1]}</a></li>" for n in numbers)
        + "</ul></section>"
        for place, numbers in (("Geneva", (1, 2)), ("Rome", (3,)), ("Vienna", (4, 5)))
    ),
    "rows by script": "<table>"
    + repeated("<tr data-href='/jobs/N'><td>TITLE</td><td>Rome</td><td>3 May 2031</td></tr>")
    + "</table>",
}


@pytest.mark.parametrize("family", FAMILIES)
def test_titles_and_addresses_of_rows_are_read(family: str) -> None:
    records = read(framed(f"<h1>Vacancies</h1>{FAMILIES[family]}"))

    assert column(records, "title") == titles()
    assert column(records, "url") == urls()


@pytest.mark.parametrize("family", FAMILIES)
def test_a_menu_without_a_name_does_not_hide_the_listing(family: str) -> None:
    assert column(read(PLAIN_MENU + FAMILIES[family]), "url") == urls()


@pytest.mark.parametrize("rows", [3, 40, 200, 500])
def test_rows_of_any_number_are_read(rows: int) -> None:
    body = framed("<ul>" + repeated("<li><h3><a href='/jobs/N'>TITLE</a></h3><p>Rome</p></li>", rows) + "</ul>")

    assert column(read(body), "url") == urls(rows)


HEADED = (
    "<table><thead><tr><th>Ref. no.</th><th>Job title</th><th>Duty station</th><th>Grade</th><th>Closing date</th>"
    "<th></th></tr></thead><tbody>"
    + repeated(
        "<tr><td>VA/N</td><td><a href='/jobs/N'>TITLE</a></td><td>Geneva</td><td>P-3</td><td>DAY May 2031</td>"
        "<td><a href='/apply/N'>Apply</a></td></tr>"
    )
    + "</tbody></table>"
)


def test_columns_are_named_by_their_heads() -> None:
    records = read(framed(HEADED))

    assert column(records, "title") == titles()
    assert column(records, "guid") == ["VA/1", "VA/2", "VA/3", "VA/4", "VA/5"]
    assert column(records, "location") == ["Geneva"] * 5
    assert column(records, "level") == ["P-3"] * 5
    assert column(records, "deadline")[:2] == ["01 May 2031", "02 May 2031"]
    assert records[0].fields["deadline"][1:] == (Method.LISTING, 0.70)
    assert {record.kind for record in records} == {RecordKind.JOB}


@pytest.mark.parametrize(
    ("heads", "names"),
    [
        pytest.param("Stelle Arbeitgeber Ort Bewerbungsschluss", "title organisation location deadline", id="German"),
        pytest.param("Poste Organisme Lieu Date_limite", "title organisation location deadline", id="French"),
        pytest.param("Puesto Empresa Ciudad Fecha_límite", "title organisation location deadline", id="Spanish"),
        pytest.param(
            "Должность Организация Город Дата_публикации", "title organisation location published_at", id="Russian"
        ),
        pytest.param("职位名称 公司 工作地点 截止日期", "title organisation location deadline", id="Chinese"),
        pytest.param(
            "المسمى_الوظيفي الشركة الموقع الموعد_النهائي", "title organisation location deadline", id="Arabic"
        ),
    ],
)
def test_heads_are_understood_in_many_languages(heads: str, names: str) -> None:
    head = "".join(f"<td><b>{word.replace('_', ' ')}</b></td>" for word in heads.split())
    rows = repeated("<tr><td><a href='/x/N'>TITLE</a></td><td>ACME</td><td>Rome</td><td>DAY.05.2031</td></tr>")

    records = read(framed(f"<table><tr>{head}</tr>{rows}</table>"))

    assert len(records) == 5
    assert [records[0].fields[name].value for name in names.split()] == [TITLES[0], "ACME", "Rome", "01.05.2031"]


def test_a_table_without_links_is_read_by_its_heads() -> None:
    rows = repeated("<tr><td>TITLE</td><td>Geneva</td><td><a href='javascript:go(N)'>Open</a></td></tr>")

    records = read(framed(f"<table><tr><th>Position</th><th>Location</th><th></th></tr>{rows}</table>"))

    assert column(records, "title") == titles()
    assert column(records, "url") == [None] * 5


def test_heads_that_are_repeated_and_rows_that_are_headings_are_no_records() -> None:
    head = "<tr><th>Position</th><th>Location</th><th>Deadline</th></tr>"
    rows = repeated("<tr><td><a href='/jobs/N'>TITLE</a></td><td>Rome</td><td>DAY/05/2031</td></tr>")
    between = "<tr><td colspan=3>International posts</td></tr>"

    records = read(framed(f"<table>{head}{between}{rows}{head}</table>"))

    assert column(records, "title") == titles()


def test_elements_with_the_roles_of_a_table_are_a_table() -> None:
    cell = "<div role=cell>{}</div>"
    head = (
        "<div role=row>"
        + "".join(f"<div role=columnheader>{w}</div>" for w in ("Title", "Employer", "Apply by"))
        + "</div>"
    )
    rows = repeated(
        "<div role=row>"
        + cell.format("<a href='/jobs/N'>TITLE</a>")
        + cell.format("FAO")
        + cell.format("DAY/05/2031")
        + "</div>"
    )

    records = read(framed(f"<div role=table>{head}{rows}</div>"))

    assert column(records, "title") == titles()
    assert column(records, "organisation") == ["FAO"] * 5
    assert column(records, "deadline")[4] == "05/05/2031"


def test_a_list_laid_out_like_a_table_has_heads_too() -> None:
    head = "<li class=head><span>Position</span><span>Location</span><span>Closing date</span></li>"
    rows = repeated("<li><span><a href='/jobs/N'>TITLE</a></span><span>Rome</span><span>DAY May 2031</span></li>")

    records = read(framed(f"<ul>{head}{rows}</ul>"))

    assert column(records, "title") == titles()
    assert column(records, "location") == ["Rome"] * 5
    assert column(records, "deadline")[0] == "01 May 2031"


LABELLED = {
    "in one text": "<li><a href='/jobs/N'>TITLE</a><p>Location: Rome</p><p>Apply by: DAY May 2031</p></li>",
    "bold": "<li><a href='/jobs/N'>TITLE</a><p><b>Location:</b> Rome<br><b>Apply by:</b> DAY May 2031</p></li>",
    "spans": "<li><a href='/jobs/N'>TITLE</a><div><span>Location</span><span>Rome</span></div>"
    "<div><span>Deadline</span><span>DAY May 2031</span></div></li>",
    "definition list": "<li><h3><a href='/jobs/N'>TITLE</a></h3><dl><dt>Location</dt><dd>Rome</dd><dt>Closing date</dt>"
    "<dd>DAY May 2031</dd></dl></li>",
    "one line": "<li><a href='/jobs/N'>TITLE</a><p>Location: Rome | Deadline: DAY May 2031</p></li>",
    "spoken": "<li><span class=visually-hidden>Job title:</span><a href='/jobs/N'>TITLE</a>"
    "<span class=visually-hidden>Location:</span><span>Rome</span><span class=visually-hidden>Closes:</span>"
    "<span>DAY May 2031</span></li>",
    "inside one link": "<li><a href='/jobs/N'><span>Job Title:</span> <span>TITLE</span> <span>Apply by:</span>"
    " <span>DAY May 2031</span> <span>Location:</span> <span>Rome</span></a></li>",
}


@pytest.mark.parametrize("labels", LABELLED)
def test_labels_name_the_values_after_them(labels: str) -> None:
    records = read(framed(f"<ul>{repeated(LABELLED[labels])}</ul>"))

    assert column(records, "title") == titles()
    assert column(records, "location") == ["Rome"] * 5
    assert column(records, "deadline")[1] == "02 May 2031"
    assert records[0].fields["location"].confidence == 0.65


def test_cells_that_carry_their_label_need_no_head() -> None:
    rows = repeated(
        "<tr><td data-label='Vacancy'><a href='/jobs/N'>TITLE</a></td><td data-label='Land'>Kenya</td>"
        "<td data-label='Frist'>DAY.05.2031</td></tr>"
    )

    records = read(framed(f"<table>{rows}</table>"))

    assert column(records, "title") == titles()
    assert column(records, "country") == ["Kenya"] * 5
    assert column(records, "deadline")[0] == "01.05.2031"


NEWS = (
    "<article><h2><a href='/news/2031/05/item-N'>TITLE</a></h2><time datetime='2031-05-DAY'>today</time><p>"
    + PROSE
    + "</p></article>"
)


def test_articles_have_their_date_and_a_description() -> None:
    records = read(framed(repeated(NEWS)), title="News")

    assert column(records, "published_at")[0] == "2031-05-01"
    assert column(records, "description")[0] == PROSE.strip()
    assert {record.kind for record in records} == {RecordKind.ARTICLE}


@pytest.mark.parametrize(
    ("words", "field", "value"),
    [
        pytest.param("Posted 3 days ago", "published_at", "3 days ago", id="so long ago"),
        pytest.param("Posted on 3 May 2031", "published_at", "3 May 2031", id="posted"),
        pytest.param("Closes 3 May 2031", "deadline", "3 May 2031", id="closes"),
        pytest.param("5 days left", "deadline", "5 days left", id="so long to go"),
        pytest.param("<span class=closing-date>3 May 2031</span>", "deadline", "3 May 2031", id="by class"),
        pytest.param("<time datetime=2031-05-03>3 May</time>", "published_at", "2031-05-03", id="time element"),
    ],
)
def test_a_date_says_what_it_is(words: str, field: str, value: str) -> None:
    rows = repeated(f"<li><h3><a href='/jobs/N'>TITLE</a></h3><p>{words}</p></li>")

    assert column(read(framed(f"<ul>{rows}</ul>"), wanted=RecordKind.JOB), field) == [value] * 5


def test_a_bare_date_of_a_job_stays_unknown() -> None:
    rows = repeated("<li><a href='/jobs/N'>TITLE</a> <span>DAY May 2031</span></li>")

    fields = read(framed(f"<ul>{rows}</ul>"), wanted=RecordKind.JOB)[0].fields

    assert not {"deadline", "published_at"} & fields.keys()


def test_a_shop_grid_is_products_with_prices() -> None:
    rows = repeated(
        "<div class=product><a href='/shop/p-N'><img src=x alt='TITLE'></a><a href='/shop/p-N'>TITLE</a>"
        "<span class=rating>4.5</span><span>€ N9,90</span><button>Add to cart</button></div>"
    )

    records = read(framed(f"<div>{rows}</div>"), title="Shop")

    assert column(records, "title") == titles()
    assert column(records, "price")[0] == "€ 19,90"
    assert {record.kind for record in records} == {RecordKind.PRODUCT}


@pytest.mark.parametrize(
    ("price", "first"),
    [
        pytest.param("N9,<sup>90</sup> €", "19,90 €", id="raised"),
        pytest.param("N9<sup>90</sup> €", "19.90 €", id="raised, without a mark"),
        pytest.param("N9<sup>€90</sup>", "19.90 €", id="raised with the sign"),
        pytest.param("N9 €<sup>90</sup>", "19.90 €", id="raised behind the sign"),
        pytest.param("$N9<small>90</small>", "$19.90", id="small"),
        pytest.param("<b>N9</b><i class=cents>90</i><span>€</span>", "19.90 €", id="called so"),
        pytest.param("N9,<sup>-</sup> €", "19,- €", id="none"),
    ],
)
def test_the_cents_of_a_price_may_stand_apart(price: str, first: str) -> None:
    rows = repeated(f"<div class=product><a href='/shop/p-N'>TITLE</a><div>{price}</div></div>")

    records = read(framed(f"<div>{rows}</div>"), title="Shop")

    assert column(records, "price")[0] == first


def test_a_price_shown_in_pieces_is_taken_as_it_is_read_out() -> None:
    rows = repeated(
        "<div class=product><a href='/shop/p-N'>TITLE</a><span class=a-offscreen>$N9.90</span>"
        "<span aria-hidden=true><sup>$</sup><b>N9</b><sup>90</sup></span></div>"
    )

    records = read(framed(f"<div>{rows}</div>"), title="Shop")

    assert column(records, "price")[0] == "$19.90"


def test_what_a_shop_says_of_its_stock_needs_no_label() -> None:
    rows = repeated("<div class=product><a href='/shop/p-N'>TITLE</a><b>€ N9,90</b><p>Auf Lager</p><i>Neu</i></div>")

    records = read(framed(f"<div>{rows}</div>"), title="Shop")

    assert set(column(records, "availability")) == {"InStock"}


def test_pictures_without_words_are_named_by_their_alternative_text() -> None:
    rows = repeated("<div><a href='/shop/p-N'><img src=x alt='TITLE'></a><span>$ N0.00</span></div>")

    assert column(read(framed(rows)), "title") == titles()


def test_a_news_front_of_unequal_blocks_is_read_whole() -> None:
    front = (
        "<div class=hero><a href='/world/a-big-story-today'><h1>A big story today in the world</h1></a></div>"
        "<div class=two>"
        + "".join(
            f"<div><h3><a href='/politics/vote-number-{n}'>The vote number {n} is taken</a></h3></div>"
            for n in range(3)
        )
        + "</div><ul>"
        + "".join(
            f"<li><p>12 May</p><h4><a href='/sport/match-day-{n}'>Match day number {n} report</a></h4></li>"
            for n in range(4)
        )
        + "</ul>"
    )

    assert len(read(framed(front))) == 8


def test_search_results_have_title_and_snippet() -> None:
    rows = repeated(
        f"<div class=r><div><cite>site.example</cite></div><h3><a href='https://o.example/N'>TITLE</a></h3><p>{PROSE}</p></div>"
    )

    records = read(framed(rows))

    assert column(records, "title") == titles()
    assert column(records, "description") == [PROSE.strip()] * 5


def test_the_wanted_kind_is_given_to_the_records() -> None:
    assert {r.kind for r in read(framed(FAMILIES["cards"]), wanted=RecordKind.OTHER)} == {RecordKind.OTHER}


RELATED = (
    "<h2>Related articles</h2><div>"
    + repeated("<div><h3><a href='/news/item-N'>TITLE</a></h3><p>3 May 2031</p></div>")
    + "</div>"
)
ARTICLE = f"<article><h1>The vote</h1>{'<p>' + PROSE * 2 + '</p>'}{'<p>' + PROSE * 3 + '</p>'}</article>"
NOT_LISTINGS = {
    "article with related items": f"{ARTICLE}{RELATED}",
    "article with more items and no heading": ARTICLE
    + "<div>"
    + repeated("<div><a href='/news/item-N'>TITLE</a></div>")
    + "</div>",
    "article with links in its text": f"<h1>The vote</h1><p>{PROSE}<a href='/a'>the law</a> {PROSE}"
    "<a href='/b-c-d'>the act of 1998</a></p>"
    f"<p>{PROSE}<a href='/e-f-g'>the other</a>{PROSE}{PROSE}</p>",
    "about page": f"<h1>About us</h1><p>{PROSE}</p><p>{PROSE * 3}</p>",
    "product with others": f"<h1>Lamp</h1><p>€ 20,00</p><button>Add to cart</button><p>{PROSE * 3}</p>"
    "<h2>You may also like</h2>" + repeated("<div><a href='/shop/p-N'><h3>TITLE</h3></a><span>€ N,00</span></div>", 4),
    "tag cloud": "<div class=cloud>"
    + "".join(f"<a href='/tag/{w}'>{w}</a> " for w in "water food law aid war sea".split())
    + "</div>",
    "letters": "<p>" + "".join(f"<a href='/az/{c}'>{c.upper()}</a> " for c in "abcdefghijkl") + "</p>",
    "page numbers": "<p>" + "".join(f"<a href='?page={n}'>{n}</a> " for n in range(2, 12)) + "</p>",
    "languages": "<ul>"
    + "".join(f"<li><a href='/{w[:2]}'>{w}</a></li>" for w in "English Deutsch Italiano Polski".split())
    + "</ul>",
    "archive by month": "<ul>"
    + "".join(
        f"<li><a href='/2031/{n:02}'>{m} 2031</a> (3)</li>"
        for n, m in enumerate("January February March April May June".split(), 1)
    )
    + "</ul>",
    "table of numbers": "<table>"
    + "".join(f"<tr><td>{n}</td><td>{n * 7}</td><td>{n * 13}</td></tr>" for n in range(9))
    + "</table>",
    "nothing": "",
}


@pytest.mark.parametrize("page", NOT_LISTINGS)
def test_a_page_about_something_else_lists_nothing(page: str) -> None:
    assert read(framed(NOT_LISTINGS[page])) == []


def test_a_job_page_with_similar_jobs_lists_nothing() -> None:
    similar = (
        "<h3>Similar jobs</h3><ul>"
        + repeated("<li><a href='/jobs/N'>TITLE</a> <span>Closes DAY May 2031</span></li>")
        + "</ul>"
    )

    assert read(framed(f"<h1>Driver</h1><p>{PROSE * 4}</p>{similar}"), wanted=RecordKind.JOB) == []


def test_a_long_introduction_does_not_hide_vacancies() -> None:
    rows = repeated("<li><a href='/vacancies/N-job'>TITLE</a> <span>Closing date: DAY May 2031</span></li>", 3)
    intro = f"<h1>Work with us</h1><p>{PROSE * 4}</p><p>{PROSE * 4}</p>"

    records = read(framed(f"{intro}<h2>Current vacancies</h2><ul>{rows}</ul>"), title="Work with us")

    assert column(records, "title") == titles(3)


def test_e2_a_hostile_page_is_read_in_bounds() -> None:
    records = read(
        "<ul>" + "".join(f"<li><a href='/jobs/{n}'>Officer number {n}</a></li>" for n in range(50_000)) + "</ul>"
    )

    assert len(records) <= 1_000


_PIECES = st.sampled_from(
    "<ul> </ul> <li> <a_href=/x> <a_href=/y/1> <a_href='//['> </a> <table> <tr> <td> <td_colspan=99> <th> </table> "
    "<h2> <dl> <dt> <dd> <br> <time_datetime> <div_hidden> <div_role=row> </div> <img_alt=x> Location: Title "
    "3_May_2031 <p_class=job-title> | : … \x00 <b> </b>".split()
)


@settings(deadline=None, max_examples=150)
@given(st.lists(_PIECES, max_size=60))
def test_no_page_makes_it_raise(pieces: list[str]) -> None:
    html = " ".join(piece.replace("_", " ") for piece in pieces)

    if not excess(html):
        find_listing(parse_page(html, HOST), None)


@settings(deadline=None, max_examples=50)
@given(st.text(max_size=200))
def test_any_text_in_a_row_is_survived(text: str) -> None:
    records = read(f"<ul>{'<li><a href=/x/1>' + text + '</a></li>' + repeated(FAMILIES['bare list'])}</ul>")

    assert isinstance(records, list)
