"""Settings that are changed while the service runs, over the API."""

import pytest

from lamplighter.app import Service, Store
from tests.web.asgi_client import Ask
from tests.web.dashboard.audited import actions

PATH = "/api/v1/settings"


async def test_a_change_applies_here_at_once_and_is_audited(ask: Ask, service: Service, store: Store) -> None:
    reply = await ask.patch(PATH, {"keep_runs": 5, "archive_keep_days": 2.5})
    shown = {each["name"]: each for each in reply.json["settings"]}

    assert reply.status == 200
    assert (shown["keep_runs"]["value"], shown["keep_runs"]["source"]) == (5, "changed")
    assert shown["keep_runs"]["changed_by"] == "local"
    assert service.storing.pruning.kept.runs == 5
    assert await actions(store) == ["setting.change", "setting.change"]


@pytest.mark.parametrize(
    ("name", "value", "status"),
    [
        ("keep_run_days", -1, 422),
        ("keep_run_days", 1e300, 422),
        ("contact_email", "nobody", 422),
        ("max_interval_days", 0.0001, 422),
        ("min_delay_ms", 5, 409),
        ("port", 8070, 409),
        ("keep_rums", 5, 404),
    ],
)
async def test_of_several_changes_all_or_none_are_made(
    ask: Ask, service: Service, name: str, value: object, status: int
) -> None:
    reply = await ask.patch(PATH, {"keep_runs": 5, name: value})
    shown = {each["name"]: each["value"] for each in (await ask.get(PATH)).json["settings"]}

    assert reply.status == status
    assert name in reply.text
    assert shown["keep_runs"] == service.settings.keep_runs == 100
