"""Every command of the documentation does what a reader expects of it: it succeeds."""

from collections.abc import Callable

import pytest

from tests.docs.pages import PAGES, Page, read
from tests.docs.stage import PATIENCE_SECONDS, Stage

pytestmark = pytest.mark.timeout(2 * PATIENCE_SECONDS)
RUN = [page for page in map(read, PAGES) if page.runs]


@pytest.mark.parametrize("page", RUN, ids=lambda page: page.name)
def test_the_commands_of_a_page_succeed_one_after_the_other(
    page: Page, stage: Stage, bring_demo: Callable[[], None], bring_postgres: Callable[[], None]
) -> None:
    if page.wants_demo:
        bring_demo()
    if page.wants_postgres:
        bring_postgres()
    if page.wants_service:
        stage.shell("make run").check_returncode()

    done = stage.run(*page.runs)

    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
