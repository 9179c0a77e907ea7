"""Failed pages are a note, or a warning if an operator should look."""

import pytest

from lamplighter.rules.pages.page_failures import are_worrying


@pytest.mark.parametrize(
    ("failed", "fetched", "is_worrying"),
    [
        pytest.param({}, 5, False, id="none"),
        pytest.param({"not_found": 1}, 1, False, id="the dead link of a page"),
        pytest.param({"not_found": 1}, 6, False, id="a dead link beside good ones"),
        pytest.param({"not_found": 4}, 6, False, id="fewer dead links than good ones"),
        pytest.param({"not_found": 6, "gone": 1}, 1, True, id="all links of a list are dead"),
        pytest.param({"too_large": 1, "unsupported_content_type": 1}, 1, False, id="a film and a picture"),
        pytest.param({"timeout": 1}, 5, False, id="one time-out beside good ones"),
        pytest.param({"timeout": 1, "server_error": 1}, 5, True, id="a third of the pages"),
        pytest.param({"timeout": 2}, 40, False, id="two of many"),
        pytest.param({"listing": 1}, 40, True, id="a page of the list itself"),
        pytest.param({"unreadable": 1}, 5, True, id="our own fault"),
        pytest.param({"unstorable": 1}, 40, False, id="our own fault with one of many"),
    ],
)
def test_failures_are_worrying_if_many_or_ours(failed: dict[str, int], fetched: int, is_worrying: bool) -> None:
    assert are_worrying(failed, fetched=fetched) is is_worrying
