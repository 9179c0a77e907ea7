"""Why a page stands where it does, in words."""

import pytest

from lamplighter.model.page import PageStage
from lamplighter.model.visit import Fault, Refusal
from lamplighter.rules.pages import page_reasons
from lamplighter.rules.pages.page_reasons import PageState


def test_every_refusal_and_fault_has_its_words() -> None:
    assert {*Refusal, *Fault} <= set(page_reasons.REASONS)


@pytest.mark.parametrize("stage", PageStage)
def test_every_stage_is_explained(stage: PageStage) -> None:
    assert page_reasons.sentence(PageState(stage, None, None, 0))


@pytest.mark.parametrize(
    ("standing", "words"),
    [
        pytest.param(
            PageState(PageStage.FAILED, "timeout", "20 s", 3), "no response in time: 20 s", id="failed, with its detail"
        ),
        pytest.param(
            PageState(PageStage.FAILED, "odd_word", "it was odd", 0), "it was odd", id="a word that nobody knows"
        ),
        pytest.param(PageState(PageStage.FAILED, "not_found", "404", 0), "not found (404)", id="said only once"),
        pytest.param(
            PageState(PageStage.PENDING, "server_error", None, 1),
            "try 2 is next; the last one failed: the server failed (5xx)",
            id="again",
        ),
        pytest.param(PageState(PageStage.PENDING, None, None, 0), "waits for its host's turn", id="for the first time"),
        pytest.param(
            PageState(PageStage.PENDING, "no_proxy", "both rest", 0),
            "waits for a proxy: both rest",
            id="without an exit",
        ),
        pytest.param(
            PageState(PageStage.COMPLETED, None, None, 0, "https://a.example/"),
            "redirects to another page, which is fetched instead",
            id="a redirect",
        ),
    ],
)
def test_the_reason_is_told(standing: PageState, words: str) -> None:
    assert page_reasons.sentence(standing) == words
