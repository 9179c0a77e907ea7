"""Selectors of article pages are not used on lists."""

from pathlib import Path

from lamplighter.operations.sources.source_fields import input_from
from lamplighter.store.schema.tables import records
from tests.origin import Origin
from tests.service.in_process import all_rows, crawl, going, quick_settings

SELECTORS = {"title": "h1.article-title", "body": "div.article-body"}


async def test_article_selectors_give_one_record_for_each_article_and_no_warning(
    origin: Origin, tmp_path: Path
) -> None:
    rows = "".join(
        f'<article><h2><a href="/news/{number}">The lamp of street {number} is lit again</a></h2>'
        f"<p>Neighbours of street {number} see well at night, after {number} months.</p></article>"
        for number in range(1, 6)
    )
    origin.page("/", f"<html><body><h1 class=article-title>News</h1>{rows}</body></html>")
    for number in range(1, 6):
        origin.page(
            f"/news/{number}",
            f"<html><body><h1>Evening paper</h1><h1 class=article-title>The lamp of street {number} is lit again</h1>"
            f"<div class=article-body>It was dark for {number} months. Now the keeper has mended it.</div></body>",
        )
    submitted = input_from({"url": origin.url + "/", "selectors": SELECTORS})

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, submitted.url, recipe=submitted.recipe)
        found = await all_rows(service, records)

    assert run.outcome == "ok", run.message
    assert sorted(row.title for row in found) == [f"The lamp of street {number} is lit again" for number in range(1, 6)]
    assert all("the keeper has mended it" in str(row.fields.get("text")) for row in found)
