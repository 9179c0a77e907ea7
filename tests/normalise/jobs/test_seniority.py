"""A word counts as a rank where it qualifies the role, and only there."""

import pytest

from lamplighter.normalise.jobs.seniority import rank_in_level, rank_in_title
from lamplighter.normalise.vocabulary import words_of


@pytest.mark.parametrize(
    ("title", "rank"),
    [
        ("Senior Nurse", "senior"),
        ("Sr. Developer", "senior"),
        ("Nurse, Senior", "senior"),
        ("Developer (Junior)", "junior"),
        ("Mid-level Developer", "mid"),
        ("Analista Sênior", "senior"),
        ("Ingénieur senior (H/F)", "senior"),
        ("Старший специалист", "senior"),
        ("Młodszy programista", "junior"),
        ("高级工程师", "senior"),
        ("Tech Lead", "lead"),
        ("Team Leader", "lead"),
        ("Principal Scientist", "lead"),
        ("Chief Technical Advisor", "lead"),
        ("Head of Finance", "director"),
        ("Country Director", "director"),
        ("Leiter Finanzen (m/w/d)", "director"),
        ("Directrice financière", "director"),
        ("Executive Director", "executive"),
        ("Chief Financial Officer", "executive"),
        ("Vice President, Sales", "executive"),
        ("CEO", "executive"),
    ],
)
def test_the_roles_rank(title: str, rank: str) -> None:
    assert rank_in_title(title, words_of(title)) == rank


@pytest.mark.parametrize(
    "title",
    [
        "Senior Citizens' Centre Assistant",
        "Senior Living Advisor",
        "Junior High School Teacher",
        "Lead Poisoning Prevention Officer",
        "Lead Generation Specialist",
        "Head Start Teacher",
        "Head Office Accountant",
        "School Principal",
        "Executive Assistant",
        "Sales Executive",
        "Assistant to the Director",
        "Director's Office Assistant",
        "高级中学教师",
        "Nurse",
    ],
)
def test_other_words_are_no_ranks(title: str) -> None:
    assert rank_in_title(title, words_of(title)) is None


@pytest.mark.parametrize(
    ("text", "rank"),
    [
        ("Entry level", "junior"),
        ("Mid-Senior level", "mid"),
        ("Director", "director"),
        ("Berufserfahren", "mid"),
        ("A", None),
    ],
)
def test_a_level_may_use_more_words(text: str, rank: str | None) -> None:
    assert rank_in_level(text) == rank


@pytest.mark.parametrize("rank", ["junior", "mid", "senior", "lead", "director", "executive"])
def test_reading_a_rank_again_gives_the_same(rank: str) -> None:
    assert rank_in_level(rank) == rank
