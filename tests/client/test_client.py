"""The Python client against a running service."""

import asyncio
from collections.abc import AsyncIterator
from importlib import resources
from pathlib import Path

import pytest

from lamplighter.client import ApiError, AsyncLamplighter, Lamplighter
from tests.origin import Origin
from tests.origin.misbehaviour import slow_body
from tests.repository import ROOT
from tests.service.installation import Installation, bearer, running, until
from tests.service.sites import LISTING


@pytest.fixture
async def installation(tmp_path: Path) -> AsyncIterator[Installation]:
    """A service that makes its rounds, behind a login."""
    async with running(tmp_path, f"sqlite:///{tmp_path / 'lamplighter.db'}") as opened:
        yield opened


async def test_from_nothing_to_a_list_of_new_records(installation: Installation) -> None:
    lamps = AsyncLamplighter(installation.url, token=bearer("operator"))
    async with Origin() as site:
        site.page("/jobs", f"<html lang=en><body><h1>Vacancies</h1><ul>{LISTING}</ul></body></html>")
        source = await lamps.add_source(f"{site.url}/jobs", kind="job", tags=["harbour"], max_depth="page")

        async def found() -> bool:
            return len([record async for record in lamps.records(source_id=source.id)]) == 7

        await until(found)
        titles = {
            record.title async for record in lamps.records(tag="harbour", first_seen_after="2020-01-01T00:00:00Z")
        }
        learned = await lamps.learn(source.id, ["Lamplighter of district 1"])

    assert titles == {f"Lamplighter of district {n}" for n in range(1, 8)}
    assert [each.url async for each in lamps.sources(tag="harbour")] == [source.url]
    assert (learned.rows, learned.versions) == (7, (7,))


async def test_the_five_lines_of_the_documentation_run(installation: Installation) -> None:
    text = (ROOT / "docs" / "client.md").read_text().split("```python client\n")[1].split("```")[0]
    async with Origin() as site:
        site.page("/jobs", f"<html lang=en><body><h1>Vacancies</h1><ul>{LISTING}</ul></body></html>")
        there = {
            "http://127.0.0.1:8060": installation.url,
            "https://example.org": site.url,
            "TOKEN": bearer("operator"),
        }
        for written, meant in {**there, "2027-05-01": "2020-05-01"}.items():
            text = text.replace(written, meant)
        await asyncio.to_thread(exec, compile(text, "client.md", "exec"), {})
        lamps = AsyncLamplighter(installation.url, token=bearer("operator"))

        assert [source.url async for source in lamps.sources(tag="harbour")] == [f"{site.url}/jobs"]


async def test_lists_are_read_to_their_end(installation: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lamplighter.client._PART", 2)
    lamps = Lamplighter(installation.url, token=bearer("operator"))

    def work() -> list[str]:
        for number in range(5):
            lamps.add_source(f"https://site-{number}.example/", enabled=False)
        return sorted(source.name for source in lamps.sources())

    assert await asyncio.to_thread(work) == [f"site-{number}.example" for number in range(5)]


async def test_a_refusal_says_what_the_service_said(installation: Installation) -> None:
    nobody, viewer = Lamplighter(installation.url), Lamplighter(installation.url, token=bearer("viewer"))
    operator = AsyncLamplighter(installation.url, token=bearer("operator"))

    for client, status in ((nobody, 401), (viewer, 403)):
        with pytest.raises(ApiError) as refused:
            await asyncio.to_thread(client.add_source, "https://quay.example/")
        assert refused.value.status == status
    with pytest.raises(ApiError) as unknown:
        await operator.source("00000000-0000-0000-0000-000000000000")
    with pytest.raises(ApiError, match="422"):
        await operator.add_source("not an address")

    assert (unknown.value.status, unknown.value.code) == (404, "source_not_found")


async def test_a_source_is_run_and_removed(installation: Installation) -> None:
    lamps = AsyncLamplighter(installation.url, token=bearer("operator"))
    async with Origin() as site:
        site.page("/jobs", "<html><body>Nothing</body></html>")
        source = await lamps.add_source(f"{site.url}/jobs", enabled=True)

        async def has_run() -> bool:
            return (await lamps.source(source.id)).fields["last_run_at"] is not None

        await until(has_run)
        run = await lamps.run(await lamps.source(source.id))
        await lamps.remove_source(source.id)

    assert len(run) == 36
    assert [each async for each in lamps.sources()] == []


async def test_a_source_is_changed_its_run_waited_for_and_what_the_run_changed_is_told(
    installation: Installation,
) -> None:
    lamps, sync = (kind(installation.url, token=bearer("operator")) for kind in (AsyncLamplighter, Lamplighter))
    assert isinstance(lamps, AsyncLamplighter)
    assert isinstance(sync, Lamplighter)
    async with Origin() as site:
        site.page("/jobs", f"<html lang=en><body><h1>Vacancies</h1><ul>{LISTING}</ul></body></html>")
        source = await lamps.add_source(f"{site.url}/jobs", kind="job", max_depth="page", enabled=False)
        await lamps.change_source(source.id, name="Quay", enabled=True)
        changed = await asyncio.to_thread(sync.change_source, source.id, tags=["harbour"])

        async def has_run() -> bool:
            return (await lamps.source(source.id)).fields["last_run_at"] is not None

        await until(has_run)
        run = await lamps.wait_for(await lamps.run(changed), every=0.1)
        again = await asyncio.to_thread(sync.wait_for, run.id)
        told = [change async for change in lamps.changes(tag="harbour", change="new")]
        told_so_too = await asyncio.to_thread(lambda: list(sync.changes(source_id=source.id)))

    assert (changed.name, changed.tags) == ("Quay", ("harbour",))
    assert (run.status, run.pages, again) == ("completed", 1, run)
    assert {change.title for change in told} == {f"Lamplighter of district {n}" for n in range(1, 8)}
    assert told_so_too == told
    assert {change.source_name for change in told} == {"Quay"}


async def test_a_run_that_does_not_end_in_time_says_so(installation: Installation) -> None:
    lamps = AsyncLamplighter(installation.url, token=bearer("operator"))
    async with Origin() as site:
        site.route("/jobs", slow_body(b"x" * 100, bytes_per_second=1))
        source = await lamps.add_source(f"{site.url}/jobs")
        runs: list[str] = []

        async def has_begun() -> bool:
            said = await lamps.call("GET", f"/api/v1/sources/{source.id}/executions")
            runs.extend(each["id"] for each in said["executions"])
            return bool(runs)

        await until(has_begun)
        with pytest.raises(TimeoutError, match="has not ended in time"):
            await lamps.wait_for(runs[0], within=0.2, every=0.1)


def test_the_package_says_that_it_has_types() -> None:
    assert resources.files("lamplighter").joinpath("py.typed").is_file()


def test_the_token_is_not_shown() -> None:
    assert "s3cret" not in repr(Lamplighter("http://127.0.0.1:8060", token="s3cret"))


def test_what_is_no_address_is_refused() -> None:
    with pytest.raises(ValueError, match="is not the address of a service"):
        Lamplighter("file:///etc/passwd")
