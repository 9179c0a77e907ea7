"""Why a page stands where it does, in words."""

import pytest

from lamplighter.model.page import Stage
from lamplighter.model.visit import Fault, Refusal
from lamplighter.rules import page_reasons
from lamplighter.rules.page_reasons import Standing


def test_every_refusal_and_fault_has_its_words() -> None:
    assert {*Refusal, *Fault} <= set(page_reasons.REASONS)


@pytest.mark.parametrize("stage", Stage)
def test_every_stage_is_explained(stage: Stage) -> None:
    assert page_reasons.sentence(Standing(stage, None, None, 0))


@pytest.mark.parametrize(
    ("standing", "words"),
    [
        pytest.param(
            Standing(Stage.FAILED, "timeout", "20 s", 3), "no answer in time: 20 s", id="failed, with its detail"
        ),
        pytest.param(Standing(Stage.FAILED, "odd_word", "it was odd", 0), "it was odd", id="a word that nobody knows"),
        pytest.param(Standing(Stage.FAILED, "not_found", "404", 0), "not found (404)", id="said only once"),
        pytest.param(
            Standing(Stage.PENDING, "server_error", None, 1),
            "try 2 comes; last time: the server failed (5xx)",
            id="again",
        ),
        pytest.param(Standing(Stage.PENDING, None, None, 0), "in line for its host's turn", id="for the first time"),
        pytest.param(
            Standing(Stage.PENDING, "no_proxy", "both rest", 0), "waits for a proxy: both rest", id="without an exit"
        ),
        pytest.param(
            Standing(Stage.COMPLETED, None, None, 0, "https://a.example/"),
            "leads to another page, which is asked for in its place",
            id="a redirect",
        ),
    ],
)
def test_the_reason_is_told(standing: Standing, words: str) -> None:
    assert page_reasons.sentence(standing) == words
