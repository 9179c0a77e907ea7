"""Any URL is explained, and a file of sources is rehearsed before it is imported, in a browser."""

from playwright.async_api import expect

from tests.browser.window import Window
from tests.origin import Origin

EVIL = "&lt;img src=x onerror=alert(1)&gt;"


async def test_any_page_leads_to_the_explanation_of_a_url(window: Window) -> None:
    async with Origin() as origin:
        items = "".join(
            f"<li><a href=/job/{n}>{EVIL} {n}</a> <span>Deadline: {n} May 2027</span></li>" for n in (1, 2, 3)
        )
        origin.page("/jobs", f"<html lang=en><h1>Jobs</h1><ul>{items}</ul></html>")
        page = await window.open("/sources/add")
        await page.get_by_label("Explain a URL").fill(f"{origin.url}/jobs")
        await page.keyboard.press("Enter")
        await expect(page.locator(".verdict")).to_contain_text("would be fetched if robots.txt allows it")
        before = list(origin.log)
        await page.get_by_role("button", name="Fetch the page now").click()

        await expect(page.locator("#trial")).to_contain_text("<img src=x onerror=alert(1)>")
        assert before == []
        assert [hit.path for hit in origin.log] == ["/robots.txt", "/jobs"]


async def test_nobody_is_kept_out_of_the_explanation(window: Window) -> None:
    for scheme in ("light", "dark"):
        await window.page.emulate_media(color_scheme=scheme)
        await window.open("/explain?url=https://quay.example/jobs")

        assert await window.grave_barriers() == []


async def test_a_file_is_rehearsed_and_imported_without_being_chosen_again(window: Window) -> None:
    page = await window.open("/sources/import")
    file = {"name": "sources.txt", "mimeType": "text/plain", "buffer": b"https://quay.example/\nftp://quay.example/\n"}
    await page.get_by_label("File").set_input_files(file)  # type: ignore[arg-type]
    await page.get_by_role("button", name="Preview").click()
    await expect(page.get_by_role("row", name="refused")).to_contain_text("neither http nor https")
    barriers = await window.grave_barriers()
    await page.get_by_role("button", name="Import 1 source").click()

    await expect(page.get_by_role("link", name="https://quay.example/")).to_be_visible()
    assert barriers == []
