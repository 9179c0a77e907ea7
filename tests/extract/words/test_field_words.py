"""Labels and heads of columns announce fields, in whatever language and dress."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.extract.words.field_words import field_for, is_field_name

LABELS = {
    "deadline": "Apply by|Closes|Live until|"
    "Fecha límite|Bewerbungsschluss|Дата закрытия|Date limite de dépôt|Søknadsfrist|"
    "Angebotsfrist|Date limite de remise des offres|Termin składania ofert|截止日期|마감일|応募締切日",
    "location": "Duty station|Location(s)|Ort|Lieu de travail|Città|Місто|工作地点|الموقع|Primary Location",
    "organisation": "Vergabestelle|Stazione appaltante|"
    "Organisation|Employer name|Arbeitgeber|Entreprise|Työnantaja|Работодатель|会社名",
    "published_at": "Posted|Placed on|Advertised|Listed on|Date listed|Opened|"
    "Date posted|Veröffentlicht am|Publié le|Publicado el|Julkaistu|Дата публикации",
    "updated_at": "Last updated|Zuletzt aktualisiert|Mise à jour",
    "title": "Job Title|Requisition Title|Stellenbezeichnung|Intitulé du poste|"
    "Puesto|Должность|职位名称|المسمى الوظيفي",
    "level": "Grade|Post level|Entgeltgruppe|Nivel",
    "career_type": "Contract type|Type of contract|Vertragsart|Type de contrat|Rodzaj umowy",
    "country": "Country|Land|Pays|País|Страна",
    "guid": "Reference no.|Vacancy announcement no.|Kennziffer|Job ID",
    "salary": "Salary|Gehalt|Wynagrodzenie",
    "price": "Price|Preis|Prix|Цена|价格",
    "author": "Author|By|Auteur|作者",
}


@pytest.mark.parametrize(
    ("label", "field"),
    [pytest.param(label, field, id=label) for field, labels in LABELS.items() for label in labels.split("|")],
)
def test_a_label_names_its_field(label: str, field: str) -> None:
    assert field_for(label) == field


@pytest.mark.parametrize(
    "label",
    ["closing date", "CLOSING DATE", "Closing date:", "Closing date (midnight Geneva time)", " Closing  date : "],
)
def test_the_dress_of_a_label_does_not_matter(label: str) -> None:
    assert field_for(label) == "deadline"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("Date", id="which date?"),
        pytest.param("Posted by", id="a person, not a time"),
        pytest.param("Company size", id="not the company"),
        pytest.param("Read more", id="an action"),
        pytest.param("Senior Programme Officer", id="a title"),
        pytest.param("The closing date for this post has been moved to the end of the year", id="a sentence"),
    ],
)
def test_what_is_no_label_names_nothing(text: str) -> None:
    assert field_for(text) is None


def test_a_field_name_is_a_label_and_nothing_more() -> None:
    assert is_field_name("Location:")
    assert not is_field_name("Location of the head office")


@settings(deadline=None, max_examples=100)
@given(st.text(max_size=80))
def test_no_text_makes_it_raise(text: str) -> None:
    assert field_for(text) is None or isinstance(field_for(text), str)
