"""Records in a browser: found while somebody types, never more than text, and taken along as they are shown."""

import csv
import io

import pytest
from playwright.async_api import Browser, expect

from lamplighter.store.records import records
from tests.browser.window import Window
from tests.moments import NOON
from tests.service.installation import Installation
from tests.store.given_rows import a_source, write
from tests.store.records.given_records import found, posting

EVIL = "<img src=x onerror=alert(1)>"


async def _some(installation: Installation) -> None:
    db = installation.service.db
    source_id = await write(db, a_source)
    finds = [
        posting(1, title=f"Harbour pilot {EVIL}", organisation=EVIL, description=f"A pilot {EVIL}", country_iso="KE"),
        posting(2, title="Harbour master", organisation="Quay", country_iso="CH", fields={"career_type": "full_time"}),
        posting(3, title="Lamp keeper", organisation="Quay", country_iso="KE"),
    ]
    await write(db, records.put, [found(source_id, None, each) for each in finds], now=NOON)


async def test_the_list_follows_what_is_typed_and_chosen(window: Window, installation: Installation) -> None:
    await _some(installation)
    page = await window.open("/records")
    titles = page.locator(".records td.title a")
    await expect(titles).to_have_count(3)

    await page.get_by_label("Words").press_sequentially("harb", delay=20)
    await expect(titles).to_have_count(2)
    await expect(page.get_by_label("Words")).to_be_focused()
    await page.get_by_role("link", name="CH", exact=True).click()
    await expect(titles).to_have_text(["Harbour master"])
    await page.get_by_label("Words").press("End")
    await page.get_by_label("Words").press_sequentially("our", delay=20)
    await expect(page).to_have_url(f"{window.url}/records?q=harbour&country=CH")

    await expect(titles).to_have_text(["Harbour master"])
    async with page.expect_download() as download:
        await page.get_by_role("link", name="CSV").click()
    file = await (await download.value).path()
    assert [row["title"] for row in csv.DictReader(io.StringIO(file.read_text()))] == ["Harbour master"]


async def test_what_a_site_says_is_text_in_the_list_the_finds_and_the_record(
    window: Window, installation: Installation
) -> None:
    await _some(installation)

    page = await window.open("/records?q=pilot")
    await expect(page.locator("mark").first).to_have_text("pilot")
    await expect(page.locator(".records tbody")).to_contain_text(EVIL)
    listed = await page.locator("main img").count()
    await page.get_by_role("link", name="Harbour pilot").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text(f"Harbour pilot {EVIL}")

    assert (listed, await page.locator("main img").count()) == (0, 0)


async def test_a_record_is_removed_after_a_question_and_the_log_tells_of_it(
    window: Window, installation: Installation
) -> None:
    await _some(installation)
    page = await window.open(f"/records/{3:064}")

    await page.get_by_label("Reason").fill("the keeper asked")
    await page.get_by_role("button", name="Remove…").click()
    await page.get_by_role("button", name="Remove", exact=True).click()
    await expect(page.locator("main")).to_contain_text("An operator removed this record for good")
    await page.get_by_role("link", name="Audit log").click()

    await expect(page.locator(".audit tbody tr").first).to_contain_text("record.remove")
    await expect(page.locator(".audit tbody tr").first).to_contain_text("the keeper asked")


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_nobody_is_kept_out_of_records_and_the_log(
    browser: Browser, installation: Installation, scheme: str
) -> None:
    await _some(installation)

    async with Window.on(browser, installation.url, color_scheme=scheme) as window:
        for path in ("/records?q=harbour&country=KE", "/records", f"/records/{1:064}", "/audit"):
            await window.open(path)
            assert await window.grave_barriers() == [], path
