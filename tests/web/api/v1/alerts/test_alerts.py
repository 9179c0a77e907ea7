"""`/api/v1/alerts`."""

from lamplighter.app import Service
from lamplighter.store.alerts import alerts
from tests.web.asgi_client import Ask
from tests.web.given_alerts import a_source, an_alert

PATH = "/api/v1/alerts"


async def test_alerts_are_listed_with_all_there_is_to_tell(ask: Ask, service: Service) -> None:
    public_id = await a_source(service, "Quay")
    await an_alert(service, "SourceSilent", f"source:{public_id}", detail="Quay is silent")

    answer = (await ask(PATH)).json

    assert (answer["total"], answer["limit"], answer["offset"]) == (1, 50, 0)
    (alert,) = answer["alerts"]
    assert (alert["rule"], alert["state"], alert["severity"]) == ("SourceSilent", "firing", "warning")
    assert (alert["subject"], alert["subject_name"]) == (f"source:{public_id}", "Quay")
    assert (alert["title"], alert["detail"]) == ("A source is silent", "Quay is silent")
    assert alert["cleared_at"] is None


async def test_alerts_are_narrowed_and_paged(ask: Ask, service: Service) -> None:
    over = await an_alert(service, "BreakerOpen", "host:over.example")
    await service.db.write(lambda db: alerts.clear(db, over, now=service.clock.now()))
    await an_alert(service, "BreakerOpen", "host:pending.example", fires=False)
    await an_alert(service, "DiskLow", "machine:lighthouse")

    async def subjects(**query: object) -> list[str]:
        return [each["subject_name"] for each in (await ask(PATH, query=query)).json["alerts"]]

    assert await subjects(state="cleared") == ["over.example"]
    assert await subjects(state="pending") == ["pending.example"]
    assert await subjects(rule="DiskLow", severity="warning") == ["lighthouse"]
    assert await subjects(subject="host:over.example") == ["over.example"]
    assert await subjects(limit=1, offset=1) == ["pending.example"]


async def test_a_state_that_does_not_exist_is_refused(ask: Ask) -> None:
    assert (await ask(PATH, query={"state": "loud"})).status == 422


async def test_rules_are_told_with_what_was_seen_last(ask: Ask, service: Service) -> None:
    before = (await ask(f"{PATH}/rules")).json
    await service.notifying.watch.show()

    after = (await ask(f"{PATH}/rules")).json

    assert before["looked_at"] is None
    assert after["looked_at"] is not None
    rules = {each["name"]: each for each in after["rules"]}
    assert (rules["HighConsumerLag"]["value"], rules["HighConsumerLag"]["hold_seconds"]) == (0, 300)
    assert rules["NobodyOnDuty"]["findings"] == 3
    assert rules["HighConsumerLag"]["expression"] == "max(crawler_consumer_lag_messages) > 100"
