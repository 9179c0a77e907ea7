"""Grades are read in every spelling, and nothing else is taken for one."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.normalise.jobs.grades import grade_in_level, grade_in_title


@pytest.mark.parametrize(
    ("text", "grade"),
    [
        ("P-3", "P-3"),
        ("P3", "P-3"),
        ("p 4", "P-4"),
        ("P-3 (Fixed term)", "P-3"),
        ("Level: D1", "D-1"),
        ("GS-5", "G-5"),
        ("G6", "G-6"),
        ("NOB", "NO-B"),
        ("NO-2", "NO-B"),
        ("NPO-C", "NO-C"),
        ("FS-4", "FS-4"),
        ("IPSA-9", "IPSA-9"),
        ("NPSA 08", "NPSA-8"),
        ("SB-3", "SB-3"),
        ("SC 6", "SC-6"),
        ("ICS-10", "ICSC-10"),
        ("IICA-2", "IICA-2"),
        ("LICA 5", "LICA-5"),
        ("AD 7", "AD-7"),
        ("AST/SC 2", "AST-SC-2"),
        ("CA FG IV", "FG-IV"),
        ("GF", "GF"),
        ("UNV", "UNV"),
        ("usg", "USG"),
        ("P-1/P-2", "P-1"),
    ],
)
def test_a_level_may_be_terse(text: str, grade: str) -> None:
    assert grade_in_level(text) == grade


@pytest.mark.parametrize(
    "text", ["Senior", "P-9", "G-12", "GS-12", "GS-07", "AD 3", "P", "3", "Grade 7", "Band 5", "UP3"]
)
def test_other_levels_are_no_grades(text: str) -> None:
    assert grade_in_level(text) is None


@pytest.mark.parametrize(
    ("title", "grade"),
    [
        pytest.param("Programme Officer (P-3)", "P-3", id="in brackets"),
        pytest.param("Programme Officer, P3", "P-3", id="after a comma"),
        pytest.param("P-4 Legal Officer", "P-4", id="in front"),
        pytest.param("Programme Officer P-3 Nairobi", "P-3", id="after the role"),
        pytest.param("Driver G2", "G-2", id="after the role, without hyphen"),
        pytest.param("Chief of Section, D-1", "D-1", id="a comma ends the section"),
        pytest.param("National Programme Officer, NOC", "NO-C", id="national officer"),
        pytest.param("Health Officer NO-2", "NO-B", id="national officer by number"),
        pytest.param("LICA 5 Driver", "LICA-5", id="a name that means nothing else"),
        pytest.param("Policy Officer (AD 7)", "AD-7", id="European Union"),
        pytest.param("Economist, Grade GF", "GF", id="World Bank"),
        pytest.param("Assistant Secretary-General, Rule of Law", "ASG", id="spelt out"),
        pytest.param("International UN Volunteer Engineer", "UNV", id="volunteer"),
    ],
)
def test_a_title_sets_its_grade_apart(title: str, grade: str) -> None:
    assert grade_in_title(title) == grade


@pytest.mark.parametrize(
    "title",
    [
        "G20 Summit Officer",
        "D1 visa adviser",
        "D-1 Visa Officer",
        "P3 Physics Teacher",
        "AWS S3 Engineer",
        "Cloud Engineer (AWS, S3)",
        "NOC Engineer",
        "Network Operations Center (NOC)",
        "NO2 Researcher",
        "GE Healthcare Engineer",
        "Nurse, Ward G-4",
        "Vitamin D2 Researcher",
        "MP3 Developer",
        "Special Assistant to the Under-Secretary-General",
        "Support Engineer (L3)",
        "GS-12 Analyst",
    ],
)
def test_what_only_looks_like_a_grade_is_none(title: str) -> None:
    assert grade_in_title(title) is None


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=60) | st.from_regex(r"[PDGSNOA]{1,3}[- ]?[0-9A-E]{1,2}( [a-z]{1,8}){0,3}", fullmatch=True))
def test_reading_a_grade_again_gives_the_same(text: str) -> None:
    grade = grade_in_level(text) or (grade_in_title(text) if text else None)

    assert grade is None or grade_in_level(grade) == grade
