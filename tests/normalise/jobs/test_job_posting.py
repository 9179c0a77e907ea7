"""What a posting leaves unsaid follows from its words, and the field that told it is named."""

from typing import Any

import pytest

from lamplighter.normalise.jobs.job_posting import Posting, conclude


def concluded(title: str = "Officer", **given: Any) -> dict[str, tuple[Any, str]]:
    about = {"description": None, "location": None, "is_remote": False, "tags": ()}
    own = {name: given.pop(name) for name in about if name in given}
    conclusions = conclude(Posting(title=title, fields=given, **about | own))
    return {name: (value, conclusions.sources.get(name, name)) for name, value in conclusions.fields.items()}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param({"level": "P-3 (Fixed term)", "title": "Senior Officer"}, ("P-3", "level"), id="the level"),
        pytest.param({"level": "7", "title": "Officer (P-4)"}, ("P-4", "title"), id="else the title's grade"),
        pytest.param({"career_type": "internship"}, ("internship", "career_type"), id="else the terms"),
        pytest.param({"title": "Senior Officer"}, ("senior", "title"), id="else the title's rank"),
        pytest.param({"level": "Internship"}, ("internship", "level"), id="terms as a level"),
        pytest.param({"level": "Entry level"}, ("junior", "level"), id="a rank as a level"),
        pytest.param({"level_norm": "D-1", "level": "P-3"}, ("D-1", "level_norm"), id="told in our own words"),
    ],
)
def test_level(given: dict[str, Any], expected: tuple[str, str]) -> None:
    assert concluded(**given)["level_norm"] == expected


def test_an_unknown_level_stays_unknown() -> None:
    assert "level_norm" not in concluded(level="7", level_norm="whatever")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param({"work_modality": "hybrid", "location": "Remote"}, ("hybrid", "work_modality"), id="said"),
        pytest.param({"location": "Home-based"}, ("home_based", "location"), id="by the location's words"),
        pytest.param({"location": "Anywhere", "is_remote": True}, ("remote", "location"), id="by the place"),
        pytest.param({"title": "Nurse (remote)"}, ("remote", "title"), id="by the title"),
    ],
)
def test_work_modality(given: dict[str, Any], expected: tuple[str, str]) -> None:
    assert concluded(**given)["work_modality"] == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param({"level": "P-3", "description": "Nationals only."}, (True, "level"), id="the grade decides"),
        pytest.param({"title": "National Consultant"}, (False, "title"), id="by the title"),
        pytest.param(
            {"description": "Must be authorized to work in Kenya."}, (False, "description"), id="by the description"
        ),
        pytest.param({"international_eligible": True}, (True, "international_eligible"), id="told"),
    ],
)
def test_eligibility(given: dict[str, Any], expected: tuple[bool, str]) -> None:
    assert concluded(**given)["international_eligible"] == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param({"title": "Nurse"}, (["health"], "title"), id="by the title"),
        pytest.param({"tags": ("Nursing",)}, (["health"], "tags"), id="by the page's tags"),
        pytest.param({"description": "Nurse in public health"}, (["health"], "description"), id="by the description"),
        pytest.param({"mission_tags": ["gender", "x"]}, (["gender"], "mission_tags"), id="told, as far as published"),
    ],
)
def test_mission(given: dict[str, Any], expected: tuple[list[str], str]) -> None:
    assert concluded(**given)["mission_tags"] == expected


def test_terms_follow_from_the_title_only_when_nothing_is_said() -> None:
    assert concluded("Intern")["career_type"] == ("internship", "title")
    assert concluded("Intern", career_type="part_time")["career_type"] == ("part_time", "career_type")


def test_nothing_follows_from_nothing() -> None:
    assert concluded("Officer", mission_tags="gender", international_eligible="yes") == {}
