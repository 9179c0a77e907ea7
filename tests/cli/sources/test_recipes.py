"""Recipes learned on the command line."""

from tests.cli.conftest import Lamplighter
from tests.origin import ThreadedOrigin

ROWS = "".join(
    f'<li class=post><b>Pilot {n}</b> <i>Town {n}</i> <a href="/post/{n}">Details</a></li>' for n in range(1, 6)
)


def test_a_page_that_is_no_source_is_fetched_once(lamplighter: Lamplighter, site: ThreadedOrigin) -> None:
    site.page("/posts", f"<html><body><ul>{ROWS}</ul></body></html>")

    answer = lamplighter(
        "recipes",
        "learn",
        f"{site.url}/posts",
        "--title",
        "Pilot 1",
        "--title",
        "Pilot 4",
        "--field",
        "location=Town 2",
    )

    assert answer.code == 0
    assert answer.json == {"items": ".post", "fields": {"title": "b", "url": "a", "location": "i"}}
    assert "5 rows on the page" in answer.err
    assert [hit.path for hit in site.log] == ["/robots.txt", "/posts"]


def test_a_source_gets_its_recipe_and_the_one_before_again(lamplighter: Lamplighter, site: ThreadedOrigin) -> None:
    site.page("/posts", f"<html><body><ul>{ROWS}</ul></body></html>")
    url = f"{site.url}/posts"
    lamplighter("sources", "add", url)

    learned = lamplighter("recipes", "learn", url, "--title", "Pilot 1", "--save", "--json")
    saved = lamplighter("sources", "export", "--format", "json").json
    back = lamplighter("recipes", "back", url)

    assert learned.code == 0
    assert [each["recipe"]["items"] for each in saved if each["url"] == url] == [".post"]
    assert back.code == 0
    assert not lamplighter("sources", "export", "--format", "json").json[0].get("recipe")


def test_what_cannot_be_learned_is_said(lamplighter: Lamplighter, site: ThreadedOrigin) -> None:
    site.page("/posts", f"<html><body><ul>{ROWS}</ul></body></html>")

    wrong = lamplighter("recipes", "learn", f"{site.url}/posts", "--title", "Plot 1")
    no_source = lamplighter("recipes", "learn", f"{site.url}/posts", "--title", "Pilot 1", "--save")

    assert wrong.code != 0
    assert "the page does not show 'Plot 1'; did you mean 'Pilot 1'?" in wrong.err
    assert no_source.code != 0
    assert "is not a source" in no_source.err
