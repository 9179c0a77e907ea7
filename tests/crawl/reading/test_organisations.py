"""Whose postings these are, and who is right about them."""

import json
from pathlib import Path

from lamplighter.store.schema.tables import records
from tests.origin import Origin
from tests.service.in_process import all_rows, crawl, going, quick_settings
from tests.service.sites import posting_html

ROWS = "".join(
    f'<li><a href="/job/{number}">{title}</a> <span>Deadline: 1 March 2027</span></li>'
    for number, title in enumerate(["Internship: Communications", "Lamp keeper", "Oil buyer", "Night guide"])
)
API = {"items": "jobs", "fields": {"title": "name", "url": "link", "description": "about"}}


async def test_postings_that_name_no_organisation_have_that_of_their_source(origin: Origin, tmp_path: Path) -> None:
    origin.page("/jobs", f"<html><body><h1>Jobs</h1><ul>{ROWS}</ul></body></html>")

    async with going(quick_settings(tmp_path, origin)) as service:
        await crawl(service, origin.url + "/jobs", name="Lantern Works", kind="job", max_depth=0)
        found = await all_rows(service, records)

    assert {row.organisation for row in found} == {"Lantern Works"}
    assert [(row.title, row.fields.get("career_type")) for row in found if "Intern" in row.title] == [
        ("Internship: Communications", "internship")
    ]


async def test_the_organisation_that_the_postings_own_page_names_counts(origin: Origin, tmp_path: Path) -> None:
    origin.page("/jobs", '<html><body><h1>Jobs</h1><ul><li><a href="/job/1">Posting 01</a></li></ul></body></html>')
    origin.page("/job/1", posting_html(1))

    async with going(quick_settings(tmp_path, origin)) as service:
        await crawl(service, origin.url + "/jobs", name="A board", kind="job")
        (row,) = await all_rows(service, records)

    assert row.organisation == "Lantern Works"


async def test_a_linked_page_does_not_replace_what_an_api_says_unless_the_recipe_asks_for_details(
    origin: Origin, tmp_path: Path
) -> None:
    origin.page("/job/1", posting_html(1))
    job = {"name": "Keeper of lamps (night)", "link": "/job/1", "about": "By hand."}
    said = {}
    for path, more in (("/api/plain", {}), ("/api/detailed", {"details": {"title": "h1"}})):
        origin.page(path, json.dumps({"jobs": [job]}), headers={"Content-Type": "application/json"})
        async with going(quick_settings(tmp_path / path[5:], origin)) as service:
            await crawl(service, origin.url + path, kind="job", recipe=API | {"expects": "json", **more})
            (row,) = await all_rows(service, records)
            said[path] = (row.title, row.description)

    assert said["/api/plain"] == ("Keeper of lamps (night)", "By hand.")
    assert said["/api/detailed"][0] == "Posting 01"
