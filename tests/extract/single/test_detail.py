"""Detail pages: one record where there is evidence of one thing, none where there is not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.extract.html_page import parse_page
from lamplighter.extract.single.detail import detail_records
from lamplighter.model.record import Method, RawRecord, RecordKind
from tests.extract.single.article_pages import COMMENTS, FOOTER, MENU, PAGES, document, p, paragraphs

URL = "https://a.example/vacancies/nurse-17"
TEXTS = paragraphs(count=4)
FACTS = "<dl><dt>Location</dt><dd>Nairobi</dd><dt>Closing date</dt><dd>5 May 2026</dd><dt>Grade</dt><dd>P-3</dd></dl>"
JOB = f'<h1>Nurse</h1>{FACTS}{p(TEXTS)}<a href="/apply?id=17">Apply now</a>'
SHOP = "https://a.example/p/lamp"


def records(
    main: str, *, wanted: RecordKind | None = None, url: str = URL, title: str = "Nurse | Acme", head: str = ""
) -> list[RawRecord]:
    body = f"<header><a href='/'>Acme</a>{MENU}</header><main>{main}</main>{FOOTER}"
    return detail_records(parse_page(document(body, title=title, head=head), url), wanted)


def values(main: str, **given: object) -> dict[str, object]:
    (record,) = records(main, **given)  # type: ignore[arg-type]
    return {name: found.value for name, found in record.fields.items()}


def test_a_posting_is_read_from_its_heading_labels_link_and_text() -> None:
    found = values(JOB)

    assert found == {
        "title": "Nurse",
        "location": "Nairobi",
        "deadline": "5 May 2026",
        "level": "P-3",
        "apply_url": "https://a.example/apply?id=17",
        "description": "\n".join(TEXTS),
    }


def test_every_field_says_how_it_was_found() -> None:
    (record,) = records(JOB)

    assert record.kind is RecordKind.JOB
    assert {found.method for found in record.fields.values()} == {Method.LABELS}
    assert all(0 < found.confidence <= 0.65 for found in record.fields.values())


def test_a_posting_in_german_is_read() -> None:
    main = (
        "<h1>Pflegefachkraft (m/w/d)</h1><ul><li><strong>Einsatzort</strong><span>Berlin</span></li>"
        "<li><strong>Bewerbungsfrist:</strong> 31.12.2026</li></ul><a href='https://b.example/f'>Jetzt bewerben</a>"
    )

    found = values(main, title="Pflegefachkraft (m/w/d) - Klinik", url="https://a.example/stellen/7")

    assert (found["location"], found["deadline"], found["apply_url"]) == ("Berlin", "31.12.2026", "https://b.example/f")


def test_what_needs_no_label_is_read_near_the_heading() -> None:
    found = values(f"<h1>Nurse</h1><p><span>P-3</span> <span>Full-time</span> <span>Remote</span></p>{JOB[14:]}")

    assert (found["career_type"], found["work_modality"]) == ("Full-time", "Remote")


def test_facts_in_an_aside_are_read() -> None:
    found = values(f"<h1>Nurse</h1>{p(TEXTS)}<aside>{FACTS}</aside>")

    assert found["location"] == "Nairobi"


def test_a_title_that_only_a_label_gives_is_taken_when_the_heading_is_unknown_to_the_head() -> None:
    found = values(f"<h1>Vacancy announcement</h1><p>Job title: Nurse</p>{FACTS}", title="Acme")

    assert found["title"] == "Nurse"


def test_similar_jobs_below_do_not_change_the_facts() -> None:
    others = "".join(f"<li><a href='/v/{n}'>Cook {n}</a> <b>Location:</b> Town {n}</li>" for n in range(5))

    assert values(f"{JOB}<h2>More</h2><ul>{others}</ul>")["location"] == "Nairobi"


def test_a_posting_says_when_it_was_posted_without_a_label() -> None:
    assert values(f"<p>Publicado el 4 de mayo de 2026</p>{JOB}")["published_at"] == "4 de mayo de 2026"


def test_the_reference_of_a_product_is_its_number_and_a_link_below_its_name_its_maker() -> None:
    main = (
        "<h1>Lamp</h1><p>by <a href='/b/lumen'>Lumen</a></p><p>€ 39</p><p>Reference: L-17</p><button>Buy now</button>"
    )

    found = values(main, url=SHOP, title="Lamp | Shop")

    assert (found["brand"], found["sku"]) == ("Lumen", "L-17")


def test_a_product_is_read_with_its_new_price() -> None:
    main = (
        "<h1>Lamp</h1><div><del>€ 49,90</del> <span>€ 39,90</span></div><p>In stock</p><p>SKU: L-17</p>"
        f"<p>Brand: Lumen</p><button>Add to cart</button>{p(TEXTS[:1])}"
    )

    found = values(main, url=SHOP, title="Lamp | Shop")

    assert found == {
        "title": "Lamp",
        "price": "39.90",
        "currency": "€",
        "availability": "InStock",
        "sku": "L-17",
        "brand": "Lumen",
        "description": TEXTS[0],
    }


def test_an_article_is_known_by_its_byline_or_date() -> None:
    (record,) = records(f"<h1>A pier</h1><p>By Jane Doe</p>{p(TEXTS)}", title="A pier", url="https://a.example/n/1")

    assert record.kind is RecordKind.ARTICLE
    assert record.fields["author"].value == "Jane Doe"
    assert "text" not in record.fields


@pytest.mark.parametrize(
    ("main", "url"),
    [
        pytest.param(f"<h1>About us</h1>{p(TEXTS)}<p>By the board</p>", "https://a.example/about", id="about us"),
        pytest.param(f"<h1>Our story</h1>{p(TEXTS)}", "https://a.example/company", id="prose without date or byline"),
        pytest.param(
            f"<h1>Privacy policy</h1><p>Last updated: 3 March 2026</p>{p(TEXTS)}", "https://a.example/x", id="privacy"
        ),
        pytest.param(
            f"<h1>Terms for partners</h1><p>Last updated: 3 March 2026</p>{p(TEXTS)}", "https://a.example/x", id="terms"
        ),
        pytest.param(
            "<h1>Contact</h1><p>Location: 1 Quay</p><p>Organisation: Acme</p>",
            "https://a.example/contact",
            id="contact",
        ),
        pytest.param("<h1>Login</h1><form><input type=password></form>", "https://a.example/login", id="login"),
        pytest.param(
            "<h1>Results for nurse</h1>"
            + "".join(
                f"<div><a href='/{n}'>Nurse {n}</a><p>Location: X</p><p>Deadline: 5 May</p></div>" for n in range(9)
            ),
            "https://a.example/search?q=nurse",
            id="search results",
        ),
        pytest.param(
            "<h1>Stories from the sea</h1>"
            + f"<article><h2><a href='/1'>Story</a></h2><time datetime='2026-01-01'></time>{p(TEXTS[:1])}</article>"
            * 9,
            "https://a.example/category/sea",
            id="category",
        ),
        pytest.param(f"<h1>Spring fair</h1><p>Location: Nairobi</p>{p(TEXTS)}", "https://a.example/e/1", id="event"),
    ],
)
def test_a_page_about_no_one_thing_gives_nothing(main: str, url: str) -> None:
    assert records(main, url=url, title="Acme") == []


@pytest.mark.parametrize("wanted", list(RecordKind))
@pytest.mark.parametrize(
    "main",
    [
        pytest.param("", id="nothing"),
        pytest.param("<h1>Current vacancies</h1><p>There are no vacancies at the moment.</p>", id="an empty listing"),
        pytest.param("<h1>Nurse</h1>", id="a heading alone"),
    ],
)
def test_a_page_without_content_gives_nothing_whatever_is_wanted(main: str, wanted: RecordKind) -> None:
    assert records(main, wanted=wanted, title="") == []


@pytest.mark.parametrize(
    ("wanted", "main"),
    [
        (RecordKind.JOB, f"<h1>Nurse</h1><p>Location: Nairobi</p>{p(TEXTS)}"),
        (RecordKind.JOB, f"<h1>Nurse</h1>{p(TEXTS)}"),
        (RecordKind.PRODUCT, "<h1>Lamp</h1><p>€ 39,90</p>"),
        (RecordKind.ARTICLE, f"<h1>A pier</h1>{p(TEXTS)}"),
        (RecordKind.OTHER, f"<h1>A pier</h1>{p(TEXTS)}"),
    ],
)
def test_less_evidence_is_enough_when_the_kind_is_known(wanted: RecordKind, main: str) -> None:
    (record,) = records(main, wanted=wanted)

    assert record.kind is wanted


def test_comments_and_footer_are_no_part_of_the_description() -> None:
    description = str(values(f"{JOB}{COMMENTS}")["description"])

    assert "nonsense" not in description
    assert "rights reserved" not in description


def test_at_most_one_record_comes_of_any_page() -> None:
    for page in PAGES:
        for wanted in (None, *RecordKind):
            assert len(detail_records(parse_page(page.html, URL), wanted)) <= 1


_PIECES = """
    <h1>|</h1>|<dl><dt>|</dt><dd>|<table><tr><th>|<td>|Location:|Deadline|€ 5|<b>|</b>|<br>|<form>|</form>
    |<time datetime='|'>|<a href='http://[|Apply|<!--|<script>|By |<p>|<body hidden>|<del>|<div class=label>|</div>|\x00
"""
FRAGMENTS = st.sampled_from(_PIECES.strip().split("|")) | st.text(max_size=12)


@settings(deadline=None, max_examples=150)
@given(st.lists(FRAGMENTS, max_size=40), st.sampled_from([None, *RecordKind]))
def test_no_page_makes_it_raise(parts: list[str], wanted: RecordKind | None) -> None:
    html = "".join(parts).encode("utf-8", "replace").decode()

    assert len(detail_records(parse_page(html, URL), wanted)) <= 1


def test_a_date_of_a_posting_is_that_of_its_publication() -> None:
    dated = JOB.replace("</dl>", "<dt>Date</dt><dd>4 March 2026</dd></dl>")

    assert values(dated)["published_at"] == "4 March 2026"


def test_the_employer_and_the_place_need_no_labels_under_the_heading() -> None:
    main = f"<h1>Nurse</h1><h4>Harbour Clinic</h4><h5>Toronto, Ontario, Canada</h5>{p(TEXTS)}"

    found = values(main, title="Job search - Nurse - Harbour Clinic - Toronto - Acme")

    assert (found["organisation"], found["location"]) == ("Harbour Clinic", "Toronto, Ontario, Canada")


def test_who_a_book_is_by_is_its_author() -> None:
    main = "<h1>The pier</h1><p>By <a href=/a/1>Jane Doe</a></p><p>$9.99</p><p>ISBN: 1400316430</p>"

    found = values(f"{main}<button>Add to cart</button>", url=SHOP, title="The pier | Shop")

    assert found["author"] == "Jane Doe"
    assert "brand" not in found
