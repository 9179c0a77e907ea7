"""Where the work is done, in many languages."""

import pytest

from lamplighter.normalise.jobs.career_type import read_modality


@pytest.mark.parametrize(
    ("text", "modality"),
    [
        ("Remote", "remote"),
        ("TELECOMMUTE", "remote"),
        ("Home-based", "home_based"),
        ("Hybrid (2 days remote)", "hybrid"),
        ("On-site", "onsite"),
        ("Homeoffice möglich", "remote"),
        ("Télétravail partiel", "hybrid"),
        ("Presencial", "onsite"),
        ("Praca zdalna", "remote"),
        ("Удалённая работа", "remote"),
        ("リモート", "remote"),
        ("Bonn, Germany", None),
        ("Remoteville", None),
    ],
)
def test_modalities(text: str, modality: str | None) -> None:
    assert read_modality(text) == modality


@pytest.mark.parametrize("code", ["onsite", "remote", "hybrid", "home_based"])
def test_reading_a_code_again_gives_the_same(code: str) -> None:
    assert read_modality(code) == code
