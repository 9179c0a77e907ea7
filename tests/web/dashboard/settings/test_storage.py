"""What there is, how long it is kept, and the backups of the database."""

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from lamplighter.app import Service, Store
from lamplighter.model.access import Stamp
from lamplighter.operations.archive import storage
from lamplighter.operations.backup import backups
from lamplighter.settings import Settings
from lamplighter.store.access import audit_log
from lamplighter.store.engine.database import Database
from lamplighter.store.fleet import storage_figures, upkeep
from lamplighter.store.fleet.storage_figures import TableRows
from lamplighter.store.fleet.upkeep import Upkeep
from lamplighter.web.view import ServiceView
from tests.crawl.alerts.keeper_by_hand import be_there
from tests.moments import NOON
from tests.web.asgi_client import Ask
from tests.web.dashboard.audited import actions
from tests.web.forms import BROWSER_FORM, send_form

PAGE = "/settings/storage"
NAME = "lamplighter-20260301T080000Z.db"
OUTSIDE = ["../keys", "..%2Fkeys", "keys", f"{NAME}.json", f"{NAME}.part", f"../backups/{NAME}", "/etc/passwd", "%00"]


@pytest.fixture
def folder(settings: Settings) -> Path:
    """A folder with one backup, which holds a word."""
    found = settings.data_dir / "backups"
    found.mkdir()
    (found / NAME).write_text("lamp")
    (found / f"{NAME}.json").write_text('{"schema": "0012", "version": "0.6", "made_at": "2026-03-01T08:00:00+00:00"}')
    (settings.data_dir / "keys").write_text("hush")
    return found


async def test_the_page_says_how_much_there_is_and_when_something_last_went(ask: Ask, store: Store) -> None:
    at = store.clock.now() - timedelta(minutes=5)
    figures = {"runs": 1234, "log_lines": 7}
    await store.db.write(lambda db: upkeep.note(db, Upkeep.SWEEP, now=at, figures=figures))

    await store.db.write(lambda db: upkeep.note(db, Upkeep.RESTORE, now=at, figures={"backup": "monday.db"}))

    text = " ".join((await ask(PAGE)).text.split())

    assert "from monday.db" in text
    assert "5 min ago" in text
    assert "1 234 runs, 7 log lines" in text
    assert "<dt>runs</dt><dd>0</dd>" in text


def test_every_setting_about_what_is_kept_has_a_rule(settings: Settings) -> None:
    told = {name for rule in storage.rules(settings) for name in rule.variables}

    kept = {name for name in Settings.model_fields if name.startswith(("keep_", "archive_keep")) or "_log_days" in name}
    assert {f"LAMPLIGHTER_{name.upper()}" for name in kept} <= told


async def test_counts_end_early_and_estimates_are_used_where_there_are_any(db: Database, monkeypatch: Any) -> None:
    monkeypatch.setattr(storage_figures, "MOST_COUNTED", 2)
    for _ in range(4):
        await db.write(lambda c: audit_log.write(c, Stamp("a", NOON), "x", "y"))

    async with db.read() as reading:
        held = await storage.held(reading)

    assert held.rows["audit log entries"] == TableRows(2, is_least=True)
    assert held.rows["runs"] == TableRows(0)
    assert held.database_bytes > 100_000


async def test_a_sweep_of_the_archive_is_asked_once_more_and_noted(ask: Ask, store: Store) -> None:
    asked = await send_form(ask, f"{PAGE}/sweep", BROWSER_FORM)
    before = await actions(store)
    done = await send_form(ask, f"{PAGE}/sweep", BROWSER_FORM, confirmed="1")

    assert (asked.status, done.status) == (200, 303)
    assert "archive.sweep" not in before
    assert "archive.sweep" in await actions(store)


async def test_an_archive_that_is_away_leaves_the_rest(ask: Ask, view: ServiceView, monkeypatch: Any) -> None:
    async def away() -> Any:
        raise ConnectionError("no answer")

    monkeypatch.setattr(view.storage.archive, "segments", away)

    reply = await ask(PAGE)

    assert reply.status == 200
    assert "The archive does not answer" in reply.text
    assert "Retention" in reply.text


class TestBackups:
    async def test_one_is_made_in_the_background_and_one_at_a_time(self, ask: Ask, service: Service) -> None:
        ordered = await send_form(ask, f"{PAGE}/backups", BROWSER_FORM)
        again = await send_form(ask, f"{PAGE}/backups", BROWSER_FORM)
        meanwhile = (await ask(PAGE)).text
        followed = await ask(f"{PAGE}/backups", hx_request="true")
        await service.storing.backup_maker.work()
        afterwards = (await ask(PAGE)).text

        (made,) = service.storing.backup_maker.backup_folder.listed()
        assert (ordered.status, again.status) == (303, 303)
        assert "already" in again.headers["set-cookie"]
        assert "being made" in meanwhile
        assert 'hx-trigger="every 1s"' in followed.text
        assert "<html" not in followed.text
        assert made.name in afterwards
        assert "being made" not in afterwards
        assert "backup.make" in await actions(Store(db=service.db, clock=service.clock))

    async def test_one_that_fails_says_why(self, ask: Ask, service: Service, settings: Settings) -> None:
        (settings.data_dir / "backups").write_text("not a folder")

        await send_form(ask, f"{PAGE}/backups", BROWSER_FORM)
        await service.storing.backup_maker.work()

        assert "The last backup failed" in (await ask(PAGE)).text

    async def test_they_are_listed_downloaded_and_deleted(self, ask: Ask, store: Store, folder: Path) -> None:
        listed = (await ask(PAGE)).text
        taken = await ask(f"{PAGE}/backups/{NAME}")
        asked = await send_form(ask, f"{PAGE}/backups/{NAME}/delete", BROWSER_FORM)
        still_there = (folder / NAME).exists()
        done = await send_form(ask, f"{PAGE}/backups/{NAME}/delete", BROWSER_FORM, confirmed="1")

        assert NAME in listed
        assert "0012" in listed
        assert (taken.text, NAME in taken.headers["content-disposition"]) == ("lamp", True)
        assert (asked.status, still_there, done.status) == (200, True, 303)
        assert os.listdir(folder) == []
        assert {"backup.download", "backup.remove"} <= set(await actions(store))

    @pytest.mark.parametrize("name", OUTSIDE)
    async def test_j8_no_name_leads_to_another_file(self, ask: Ask, folder: Path, name: str) -> None:
        os.symlink(folder.parent / "keys", folder / "lamplighter-20260302T080000Z.db")

        replies = [
            await ask(f"{PAGE}/backups/{name}"),
            await send_form(ask, f"{PAGE}/backups/{name}/delete", BROWSER_FORM, confirmed="1"),
            await send_form(ask, f"{PAGE}/backups/{name}/restore", BROWSER_FORM, confirmed="1"),
            await ask.post(f"/api/v1/backups/{name}/restore"),
            await ask(f"/api/v1/backups/{name}"),
            await ask(f"/api/v1/backups/{name}", method="DELETE"),
            await ask(f"{PAGE}/backups/lamplighter-20260302T080000Z.db"),
        ]

        assert {reply.status for reply in replies} <= {404, 405, 422}
        assert all("hush" not in reply.text for reply in replies)
        assert (folder.parent / "keys").exists()
        assert (folder / f"{NAME}.json").exists()


class TestRestore:
    async def test_one_is_asked_once_more_then_the_service_stops_for_it(self, ask: Ask, service: Service) -> None:
        made = await _made(service)
        offered = (await ask(PAGE)).text
        asked = await send_form(ask, f"{PAGE}/backups/{made}/restore", BROWSER_FORM)
        before = service.storing.restore_orders.order
        done = await send_form(ask, f"{PAGE}/backups/{made}/restore", BROWSER_FORM, confirmed="1")
        again = await send_form(ask, f"{PAGE}/backups/{made}/restore", BROWSER_FORM, confirmed="1")
        meanwhile = await ask(f"{PAGE}/backups", hx_request="true")

        order = service.storing.restore_orders.order
        assert f'action="{PAGE}/backups/{made}/restore"' in offered
        assert (asked.status, before, done.status, again.status) == (200, None, 303, 303)
        assert f"Restore {made}?" in asked.text
        assert order is not None
        assert (order.backup.name, service.stopping.is_set()) == (made, True)
        assert "already" in again.headers["set-cookie"]
        assert "being restored" in meanwhile.text
        assert 'hx-trigger="every 1s"' in meanwhile.text
        assert "database.restore_order" in await actions(Store(db=service.db, clock=service.clock))

    async def test_what_is_no_backup_stops_nobody(self, ask: Ask, service: Service, folder: Path) -> None:
        shown = await send_form(ask, f"{PAGE}/backups/{NAME}/restore", BROWSER_FORM, confirmed="1")
        told = await ask.post(f"/api/v1/backups/{NAME}/restore")
        unknown = await ask.post("/api/v1/backups/lamplighter-20200101T000000Z.db/restore")

        assert (shown.status, told.status, unknown.status) == (303, 422, 404)
        assert "no backup of Lamplighter" in told.json["detail"]
        assert (service.storing.restore_orders.order, service.stopping.is_set()) == (None, False)

    async def test_while_others_use_the_database_it_is_refused(self, ask: Ask, service: Service) -> None:
        made = await _made(service)
        await be_there(service.db, service.clock.now())

        told = await ask.post(f"/api/v1/backups/{made}/restore")

        assert (told.status, told.json["code"]) == (409, "database_in_use")
        assert "worker 1 on lighthouse" in told.json["detail"]
        assert not service.stopping.is_set()

    async def test_while_a_backup_is_being_made_it_is_refused(self, ask: Ask, service: Service) -> None:
        made = await _made(service)
        await ask.post("/api/v1/backups")

        told = await ask.post(f"/api/v1/backups/{made}/restore")

        assert (told.status, told.json["code"]) == (409, "backup_under_way")

    async def test_one_that_came_to_nothing_says_why(self, ask: Ask, service: Service) -> None:
        service.storing.restore_orders.trouble = "the disk is full"

        assert "The last restore failed: the disk is full" in (await ask(PAGE)).text
        assert (await ask("/api/v1/backups")).json["restore_trouble"] == "the disk is full"


async def _made(service: Service) -> str:
    """The name of a backup that was just made."""
    made = await backups.make(service.db, service.storing.backup_maker.backup_folder, now=service.clock.now())
    return made.name


class TestApi:
    async def test_backups_are_ordered_and_listed(self, ask: Ask, service: Service, folder: Path) -> None:
        ordered = await ask.post("/api/v1/backups")
        again = await ask.post("/api/v1/backups")
        meanwhile = (await ask("/api/v1/backups")).json
        await service.storing.backup_maker.work()
        listed = (await ask("/api/v1/backups")).json

        assert (ordered.status, again.status) == (202, 409)
        assert meanwhile["under_way"]["ordered_by"] == ordered.json["ordered_by"]
        assert (listed["under_way"], listed["trouble"], listed["total"]) == (None, None, 2)
        assert listed["backups"][1] == {
            "name": NAME,
            "made_at": "2026-03-01T08:00:00Z",
            "size_bytes": 4,
            "schema_revision": "0012",
            "program_version": "0.6",
        }

    async def test_one_is_fetched_and_deleted(self, ask: Ask, folder: Path) -> None:
        taken = await ask(f"/api/v1/backups/{NAME}")
        deleted = await ask(f"/api/v1/backups/{NAME}", method="DELETE")

        assert (taken.text, deleted.status) == ("lamp", 204)
        assert not (folder / NAME).exists()
