"""The dashboard behind a login: who comes in, what each role sees, and whose forms count."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from lamplighter.model.access import Role, Stamp
from lamplighter.operations.access import passwords, users
from lamplighter.operations.hosts import takedowns
from lamplighter.web.dashboard.page_request import PLACES
from tests.browser.filled_installation import furnish, let_in
from tests.browser.window import Window
from tests.origin import Origin
from tests.service.installation import Installation, running
from tests.service.sites import job_board

PASSWORD = "four plain words together"
PEOPLE = {"cy": Role.VIEWER, "ben": Role.OPERATOR, "anna": Role.ADMIN}
#: whatever asks for something to be done, but looks at what would happen
ACTS = 'main :is(form[method="post"], [hx-post]):not([action*="preview"], [hx-post*="preview"])'


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def house(tmp_path_factory: pytest.TempPathFactory, migrated_file: Path) -> AsyncIterator[Installation]:
    """An installation in which something has happened and nobody is known who has not logged in."""
    folder = tmp_path_factory.mktemp("house")
    shutil.copyfile(migrated_file, folder / "lamplighter.db")
    async with Origin() as board, running(folder, f"sqlite:///{folder / 'lamplighter.db'}") as opened:
        job_board(board, postings=3, per_page=3)
        hashed = passwords.hash_of(PASSWORD)
        for name, role in PEOPLE.items():
            await let_in(opened, name, role, hashed)
        await furnish(opened, board)
        yield opened


async def log_in(page: Page, name: str, password: str = PASSWORD) -> None:
    await page.get_by_label("Name").fill(name)
    await page.get_by_label("Password").fill(password)
    await page.get_by_role("button", name="Log in").click()


@asynccontextmanager
async def seat_of(browser: Browser, house: Installation, name: str) -> AsyncIterator[Window]:
    """A window in which somebody has logged in."""
    async with Window.on(browser, house.url) as window:
        page = await window.open("/login?next=/settings")
        await log_in(page, name)
        await expect(page.locator(".who summary")).to_contain_text(name)
        yield window


async def listed(house: Installation) -> list[str]:
    async with house.service.db.read() as db:
        found, _ = await takedowns.listed(db, search=None, limit=50, offset=0)
    return [each.entry for each in found]


async def test_one_comes_in_with_the_right_password_and_leaves_again(browser: Browser, house: Installation) -> None:
    async with Window.on(browser, house.url) as window:
        page = await window.open("/settings")
        window.expected = {401}
        await log_in(page, "cy", "not the password")
        await expect(page.get_by_role("alert")).to_have_text("Wrong name or password.")
        await expect(page.get_by_label("Name")).to_have_value("cy")
        assert await window.grave_barriers() == []

        await log_in(page, "cy")
        await expect(page.get_by_role("heading", name="Settings")).to_be_visible()

        await page.locator(".who summary").click()
        await page.get_by_role("button", name="Log out", exact=True).click()
        await expect(page.get_by_role("heading", name="Log in")).to_be_visible()
        await page.goto("/")
        await expect(page.get_by_role("heading", name="Log in")).to_be_visible()


async def test_when_a_session_is_over_one_comes_back_to_where_one_was(browser: Browser, house: Installation) -> None:
    async with seat_of(browser, house, "ben") as window:
        now = house.service.clock.now()
        await house.service.db.write(lambda db: users.log_out_everywhere(db, "ben", stamp=Stamp("test", now)))

        page = await window.open("/settings/takedowns?q=left")
        await expect(page.get_by_role("heading", name="Log in")).to_be_visible()
        await log_in(page, "ben")

        await expect(page.get_by_label("Find in the list")).to_have_value("left")


@pytest.mark.parametrize("token", ["", "another session's"])
async def test_a_form_without_its_sessions_token_changes_nothing(
    browser: Browser, house: Installation, token: str
) -> None:
    before = await listed(house)
    async with seat_of(browser, house, "ben") as window, seat_of(browser, house, "anna") as other:
        if token:
            foreign = await other.open("/settings/takedowns")
            token = await foreign.locator('main input[name="csrf_token"]').first.get_attribute("value") or ""
        page = await window.open("/settings/takedowns")
        window.expected = {403}
        await page.get_by_label("Domain or URL").fill("forged.example")
        await page.locator(".entry-form").evaluate("(form, token) => { form.elements.csrf_token.value = token }", token)
        await page.get_by_role("button", name="Add takedown").click()

        await expect(page.get_by_role("heading", name="This page was too old")).to_be_visible()
    assert await listed(house) == before


@pytest.mark.parametrize("path", ["/", "/crawl", "/settings", "/settings/takedowns", "/settings/tags"])
async def test_a_viewer_sees_nothing_to_press_and_an_operator_does(
    browser: Browser, house: Installation, path: str
) -> None:
    async with seat_of(browser, house, "cy") as window, seat_of(browser, house, "ben") as other:
        seen = await window.open(path)
        await other.open(path)

        await expect(seen.locator("h1").first).to_be_visible()
        assert await seen.locator(ACTS).count() == 0
        # The settings themselves come from the environment, so there is nothing to press for anybody.
        assert (await other.page.locator(ACTS).count() > 0) is (path != "/settings")


async def test_a_viewer_who_sends_a_form_all_the_same_is_refused(browser: Browser, house: Installation) -> None:
    before = await listed(house)
    async with seat_of(browser, house, "cy") as window:
        page = await window.open("/settings/takedowns")
        window.expected = {403}
        await page.evaluate(
            """() => {
                const form = document.createElement("form");
                form.method = "post";
                form.action = "/settings/takedowns";
                const token = document.querySelector('meta[name="csrf-token"]').content;
                for (const [name, value] of [["csrf_token", token], ["domain_or_url", "forged.example"]]) {
                    form.append(Object.assign(document.createElement("input"), { name, value }));
                }
                document.body.append(form);
                form.submit();
            }"""
        )

        await expect(page.get_by_role("heading", name="Your role does not allow this")).to_be_visible()
        await expect(page.get_by_role("alert")).to_have_text("This takes the role operator; yours is viewer.")
        assert await window.grave_barriers() == []
    assert await listed(house) == before


async def test_only_an_admin_sees_who_may_come_in(browser: Browser, house: Installation) -> None:
    async with seat_of(browser, house, "ben") as window:
        page = await window.open("/settings")
        window.expected = {403}
        await expect(page.get_by_role("link", name="Users")).to_have_count(0)
        await page.goto("/settings/users")
        await expect(page.get_by_role("heading", name="Your role does not allow this")).to_be_visible()

    async with seat_of(browser, house, "anna") as window:
        page = await window.open("/settings")
        await page.get_by_role("link", name="Users").click()
        row = page.get_by_role("row").filter(has_text="cy")
        await row.get_by_role("button", name="Disable").click()
        await page.get_by_role("dialog").get_by_role("button", name="Disable").click()
        await expect(row.get_by_text("disabled")).to_be_visible()
        await row.get_by_role("button", name="Enable").click()
        await expect(row.get_by_text("enabled")).to_be_visible()


async def test_a_new_token_is_shown_once_and_copied(browser: Browser, house: Installation) -> None:
    async with seat_of(browser, house, "anna") as window:
        await window.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page = await window.open("/settings/tokens")
        await page.get_by_label("Name").fill("harvest")
        await page.get_by_role("button", name="Create token").click()
        token = await page.get_by_label("Token", exact=True).input_value()
        await page.get_by_role("button", name="Copy").click()

        await expect(page.get_by_role("button", name="Copied")).to_be_visible()
        assert await page.evaluate("navigator.clipboard.readText()") == token
        await page.goto("/settings/tokens")
        assert token not in await page.content()


@pytest.mark.parametrize("name", PEOPLE)
async def test_every_page_of_the_menu_opens_for_each_role(browser: Browser, house: Installation, name: str) -> None:
    async with seat_of(browser, house, name) as window:
        for place in PLACES:
            page = await window.open(place.path)
            await expect(page.locator('nav.menu [aria-current="page"]')).to_contain_text(place.name)
            await expect(page.locator("main h1").first).to_be_visible()
            for below in place.below:
                entry = page.locator("nav.below").get_by_text(below.name, exact=True)
                await expect(entry).to_have_count(int(PEOPLE[name].covers(Role(below.role))))
