"""Whether people from abroad may apply."""

import pytest

from lamplighter.normalise.jobs.job_posting import eligible_as_said, eligible_by_grade
from lamplighter.normalise.vocabulary import words_of


@pytest.mark.parametrize(
    ("level", "expected"),
    [("P-3", True), ("D-1", True), ("IPSA-9", True), ("G-5", False), ("NO-B", False), ("LICA-5", False), ("AD-7", None),
     ("director", None), ("UNV", None)],
)  # fmt: skip
def test_the_grade_tells(level: str, expected: bool | None) -> None:
    assert eligible_by_grade(level) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("This post is open to all nationalities.", True),
        ("Subject to international recruitment", True),
        ("International Consultant", True),
        ("Locally recruited staff", False),
        ("You must be authorized to work in the United States.", False),
        ("Open to nationals of Kenya", False),
        ("Recrutement international", True),
        ("International Consultant; nationals only", None),
        ("International sales", None),
    ],
)
def test_the_posting_tells_unless_it_says_both(text: str, expected: bool | None) -> None:
    assert eligible_as_said(words_of(text)) is expected
