"""What a row tells when nothing names its texts: places, prices, two buttons, cells that span rows, strange blocks."""

from time import process_time

import pytest

from lamplighter.extract.html_page import parse_page
from lamplighter.extract.listing.records import find_listing
from lamplighter.model.record import RawRecord, RecordKind
from tests.extract.fields import column

TITLES = ("Driver", "Field Office Manager", "Nurse", "Legal Adviser", "Data Analyst", "Logistics Assistant")
PLACES = ("Rome, Italy", "Nairobi, Kenya", "Lyon, France", "Rome, Italy", "Remote", "Quito, Ecuador")
TOWNS = ("Kiel", "Husum", "Kiel", "Ulm", "Husum", "Kiel")


def read(body: str, *, path: str = "/vacancies", heading: str = "Vacancies") -> list[RawRecord]:
    page = parse_page(f"<body><main><h1>{heading}</h1>{body}</main></body>", f"https://site.example{path}")
    return find_listing(page, None).records


def repeated(row: str) -> str:
    return "".join(
        row.replace("NO", str(at + 11)).replace("NAME", name).replace("PLACE", PLACES[at]).replace("TOWN", TOWNS[at])
        for at, name in enumerate(TITLES)
    )


BUTTONS = [
    pytest.param(
        "<a class=btn href='/roles/NO'>En savoir plus</a><a class=btn href='https://f.example/NO'>Postuler</a>"
    ),
    pytest.param("<a class=btn href='https://f.example/NO'>Apply now</a><a class=btn href='/roles/NO'>Details</a>"),
]


@pytest.mark.parametrize("buttons", BUTTONS)
def test_a_card_with_two_buttons_leads_to_its_details(buttons: str) -> None:
    card = f"<div><div class=card><h5>NAME</h5><p>For two years.</p><p>Until NO May 2031</p>{buttons}</div></div>"

    records = read(f"<div class=row>{repeated(card)}</div>")

    assert column(records, "title") == list(TITLES)
    assert column(records, "url") == [f"https://site.example/roles/{no}" for no in range(11, 17)]
    assert column(records, "apply_url") == [f"https://f.example/{no}" for no in range(11, 17)]
    assert column(records, "deadline")[0] == "11 May 2031"


ROW = "<td>NAME</td><td>NO May 2031</td><td><a href='/vacancies/NO'>View</a></td></tr>"
HEAD = "<tr><th>Organisation</th><th>Position</th><th>Closing date</th><th></th></tr>"


def test_a_cell_that_spans_rows_tells_of_each_and_its_link_of_none() -> None:
    rows = repeated(ROW + "|").split("|")[:6]
    group = "<tr><td rowspan={}><b>{}</b><br><a href='/about/{}'>About the agency</a></td>"
    table = HEAD + group.format(4, "Water", "w") + "<tr>".join(rows[:4])
    table += group.format(1, "Roads", "r") + rows[4] + group.format(1, "Ports", "p") + rows[5]

    records = read(f"<table>{table}</table>")

    assert column(records, "title") == list(TITLES)
    assert column(records, "url") == [f"https://site.example/vacancies/{no}" for no in range(11, 17)]
    assert column(records, "organisation") == ["Water"] * 4 + ["Roads", "Ports"]
    assert column(records, "deadline")[3] == "14 May 2031"


def test_cells_that_all_reach_to_the_end_of_a_long_table_are_read_in_bounded_time() -> None:
    rows = "".join(f"<tr><td rowspan=9999>x<td><a href='/vacancies/{no}'>Driver {no}</a>" for no in range(5_000))

    started = process_time()
    read(f"<table>{rows}</table>")

    assert process_time() - started < 50


def test_a_second_grid_that_tells_no_facts_is_no_part_of_the_listing() -> None:
    card = (
        "<div class=item><div class=card><a href='/vacancies/NO'><h6>NAME</h6><p>Until NO May 2031</p></a></div></div>"
    )
    team = "<div class=item><div class=card><a href='/teams/{0}'><h6>Team {0}</h6><p>Who we are</p></a></div></div>"
    teams = "".join(team.format(name) for name in ("Research", "Sales", "Field"))

    records = read(f"<div class=grid>{repeated(card)}</div><div class=grid>{teams}</div>")

    assert column(records, "title") == list(TITLES)


def test_the_name_of_a_date_and_the_date_may_stand_in_two_elements_without_a_colon() -> None:
    row = (
        "<div class=card><h3><a href='/vacature/NO'>NAME</a></h3><div><div>Reageren kan tot en met</div>"
        "<div>NO mei 2031</div></div></div>"
    )

    records = read(repeated(row), path="/vacatures", heading="Vacatures")

    assert column(records, "deadline")[:2] == ["11 mei 2031", "12 mei 2031"]


def test_a_column_that_is_called_until_has_the_last_day_of_a_job() -> None:
    row = "<tr><td><a href='/vacancies/NO'>NAME</a><td>TOWN<td>NO May 2031</tr>"

    records = read(f"<table><tr><th>Job<th>Where<th>Until</tr>{repeated(row)}</table>")

    assert column(records, "deadline")[0] == "11 May 2031"


def test_the_day_before_the_title_of_a_job_that_has_a_last_day_is_that_of_the_notice() -> None:
    row = "<dt>2031年3月NO日</dt><dd><a href='/saiyo/NO.html'>NAME</a>（締切：令和13年5月NO日）</dd>"

    records = read(f"<dl>{repeated(row)}</dl>", path="/saiyo/", heading="採用情報")

    assert column(records, "published_at")[0] == "2031年3月11日"
    assert column(records, "deadline")[0] == "令和13年5月11日"


def test_texts_that_look_like_places_are_the_locations_of_jobs() -> None:
    row = "<li><a href='/vacancies/NO'>NAME</a><p><span>Operations</span> · <span>PLACE</span></p></li>"

    records = read(f"<ul>{repeated(row)}</ul>")

    assert column(records, "location") == list(PLACES)
    assert {record.fields["location"].confidence for record in records} == {0.55}


def test_texts_that_the_page_lets_its_readers_filter_by_are_locations() -> None:
    row = "<li><a href='/vacancies/NO'>NAME</a><span>Vertrieb</span><span>TOWN</span></li>"
    facet = (
        "<aside><fieldset><legend>Standort</legend><ul><li>Kiel (3)</li><li>Husum (2)</li><li>Ulm</li></ul></fieldset>"
    )

    assert column(read(f"{facet}</aside><ul>{repeated(row)}</ul>"), "location") == list(TOWNS)
    assert column(read(f"<ul>{repeated(row)}</ul>"), "location") == [None] * 6


def test_the_places_of_articles_stay_unknown() -> None:
    row = "<li><a href='/news/NO-NAME'>The NAME was chosen by all</a><span>PLACE</span> <time>NO May 2031</time></li>"

    records = read(f"<ul>{repeated(row)}</ul>", path="/news", heading="News")

    assert {record.kind for record in records} == {RecordKind.ARTICLE}
    assert not any("location" in record.fields for record in records)


@pytest.mark.parametrize(
    ("prices", "expected"),
    [
        pytest.param("<span class=regular-price>49,00 €</span><span>39,00 €</span>", "39,00 €", id="by class"),
        pytest.param("<span aria-label='Prezzo base'>49,00 €</span><span>39,00 €</span>", "39,00 €", id="by its label"),
        pytest.param("<span>statt 49,00 €</span><span>39,00 €</span>", "39,00 €", id="by a word before it"),
        pytest.param("<span>au lieu de</span><span>49,00 €</span><b>39,00 €</b>", "39,00 €", id="by a word of its own"),
        pytest.param("<span>49,00 €</span><i>-20%</i><span>39,00 €</span>", "39,00 €", id="a discount between two"),
        pytest.param("<s>49,00 €</s><span>39,00 €</span>", "39,00 €", id="struck out"),
        pytest.param("<span>39,00 €</span><span class=old-price>49,00 €</span>", "39,00 €", id="the old one last"),
        pytest.param("<span class=regular-price>49,00 €</span>", "49,00 €", id="the only one, whatever it is called"),
        pytest.param("<span class=regular-price>49,00 €</span><i>+ 4,90 €</i>", "49,00 €", id="and postage"),
        pytest.param("<span>49,00 €</span><span>39,00 €</span>", "49,00 €", id="two prices without a sign"),
    ],
)
def test_the_price_of_today_is_not_the_old_one(prices: str, expected: str) -> None:
    row = f"<div class=product><h3><a href='/products/NO'>NAME's bag</a></h3><div>{prices}</div></div>"

    records = read(repeated(row), path="/shop", heading="Shop")

    assert column(records, "price")[0] == expected


def test_a_link_to_a_brand_names_the_brand_of_a_product() -> None:
    row = "<div><a href='/marka/acme'>Acme</a><h3><a href='/urun/NO'>NAME's bag</a></h3><b>49,90 TL</b></div>"

    assert column(read(repeated(row), path="/urunler", heading="Ürünler"), "brand") == ["Acme"] * 6


def test_a_name_with_a_colon_that_is_the_whole_link_is_no_label_with_its_value() -> None:
    names = ["Class Structure: Web 2.0", "Upload a file", "Grade centre: an overview", "Start a forum"]
    rows = "".join(
        f"<li><p><a href='/help/{n}-page'><span><b>{name}</b></span></a></p>A page of the manual. "
        f"<a href='/cache/{n}'>Cached</a></li>"
        for n, name in enumerate(names)
    )

    assert column(read(f"<ol>{rows}</ol>", path="/search", heading="Results"), "title") == names


def test_a_row_without_a_name_is_called_by_its_number_and_not_by_its_label_or_its_folder() -> None:
    rows = "".join(
        f"<tr><td><b>Docket #: </b><a href='/decisions/{n}.pdf'>25-{n}-cv</a></td>"
        "<td><b>Type: </b>/decisions/final</td></tr>"
        for n in range(211, 217)
    )

    assert column(read(f"<table>{rows}</table>", heading="Decisions"), "title") == [
        f"25-{n}-cv" for n in range(211, 217)
    ]
