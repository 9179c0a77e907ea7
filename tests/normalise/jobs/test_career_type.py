"""The terms of a job have one word each, whatever language or code says them."""

import pytest

from lamplighter.normalise.jobs.career_type import career_type_in_title, read_career_type
from lamplighter.normalise.vocabulary import words_of


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("FULL_TIME", "full_time"),
        ("CONTRACTOR", "contract"),
        ("INTERN", "internship"),
        ("PER_DIEM", "per_diem"),
        ("Part-time", "part_time"),
        ("Full time, permanent", "full_time, permanent"),
        ("Permanent contract", "permanent"),
        ("Fixed-term contract, 12 months", "fixed_term"),
        ("Vollzeit, unbefristet", "full_time, permanent"),
        ("befristet", "fixed_term"),
        ("CDI", "permanent"),
        ("Temps plein", "full_time"),
        ("Tiempo parcial", "part_time"),
        ("Pełny etat", "full_time"),
        ("Полная занятость", "full_time"),
        ("全职", "full_time"),
        ("Individual Contract", "contract"),
        ("Consultancy", "consultancy"),
        ("OTHER", None),
        ("to be agreed", None),
    ],
)
def test_terms_in_a_field_about_them(text: str, terms: str | None) -> None:
    assert read_career_type(text) == terms
    assert terms is None or read_career_type(terms) == terms


@pytest.mark.parametrize(
    ("title", "terms"),
    [
        ("Intern, Data Science", "internship"),
        ("Praktikant (m/w/d) Marketing", "internship"),
        ("Stage de fin d'études", "internship"),
        ("Trainee Accountant", "internship"),
        ("实习生", "internship"),
        ("Apprentice Electrician", "apprenticeship"),
        ("Volunteer", "volunteer"),
        ("Part-time Nurse", "part_time"),
        ("International Consultant, WASH", "consultancy"),
        ("Consultant - Evaluation of a programme", "consultancy"),
    ],
)
def test_terms_in_a_title(title: str, terms: str) -> None:
    assert career_type_in_title(title, words_of(title)) == terms


@pytest.mark.parametrize(
    "title",
    [
        "Internship Coordinator",
        "Volunteer Coordinator",
        "Internal Auditor",
        "Stage Technician",
        "Consultant Psychiatrist",
        "Sales Consultant",
        "Contract Manager",
        "Temporary Exhibitions Curator",
    ],
)
def test_titles_about_such_people_say_nothing(title: str) -> None:
    assert career_type_in_title(title, words_of(title)) is None
