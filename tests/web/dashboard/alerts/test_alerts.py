"""What the page about alerts shows, and where else they are told of."""

from datetime import timedelta
from urllib.parse import unquote

import pytest

from lamplighter.app import Service
from lamplighter.store.alerts import alerts
from tests.web.asgi_client import Ask
from tests.web.given_alerts import a_source, an_alert

HOUR = timedelta(hours=1)


async def test_where_nothing_is_wrong_the_page_says_so_and_lists_the_rules(ask: Ask) -> None:
    text = (await ask("/alerts")).text

    assert "No alert fires" in text
    assert "more than 100 events wait to be processed" in text
    assert "(only Prometheus can check this)" in text


async def test_a_firing_alert_says_what_it_is_since_when_why_it_matters_and_what_to_do(
    ask: Ask, service: Service
) -> None:
    public_id = await a_source(service, "Quay <b>Jobs")
    await an_alert(service, "SourceSilent", f"source:{public_id}", detail="Quay <b>Jobs has had no successful run")

    text = (await ask("/alerts")).text

    assert f'<a href="/sources/{public_id}">Quay &lt;b&gt;Jobs</a>' in text
    assert "Quay &lt;b&gt;Jobs has had no successful run." in text
    assert "No new records come from this source." in text
    assert "Open the source: its latest runs say why they fail." in text


@pytest.mark.parametrize(
    ("rule", "subject", "place"),
    [
        ("BreakerOpen", "host:quay.example:8443", "/hosts/quay.example%3A8443"),
        ("DeadLetters", "letters:events", "/events/dead-letters"),
        ("DiskLow", "machine:lighthouse", "/instances"),
        ("HighConsumerLag", "", "/events"),
        ("SourceSilent", "many", "/?status=attention"),
    ],
)
async def test_an_alert_leads_to_where_one_sees_more(
    ask: Ask, service: Service, rule: str, subject: str, place: str
) -> None:
    await an_alert(service, rule, subject)

    assert f'href="{place}"' in (await ask("/alerts", hx_request="true", hx_target="alerts-now")).text
    assert (await ask(unquote(place))).status in (200, 404)


async def test_what_may_fire_stands_apart_from_what_does(ask: Ask, service: Service) -> None:
    await an_alert(service, "BreakerOpen", "host:a.example", fires=False)

    text = (await ask("/alerts")).text

    assert "No alert fires yet" in text
    assert "Pending" in text


async def test_the_history_is_narrowed_by_rule_and_severity(ask: Ask, service: Service) -> None:
    now = service.clock.now()
    for rule in ("BreakerOpen", "DiskLow"):
        alert = await an_alert(service, rule, "host:a.example", detail=f"{rule} was so")
        await service.db.write(lambda db, alert=alert: alerts.clear(db, alert, now=now))  # type: ignore[misc]

    both = (await ask("/alerts")).text
    one = (await ask("/alerts?rule=DiskLow&severity=warning", hx_request="true", hx_target="alert-history")).text
    none = (await ask("/alerts?severity=critical")).text

    assert "BreakerOpen was so" in both
    assert "DiskLow was so" in both
    assert "<html" not in one
    assert "BreakerOpen was so" not in one
    assert "DiskLow was so" in one
    assert "was so" not in none


async def test_a_rule_or_severity_that_does_not_exist_narrows_nothing(ask: Ask) -> None:
    assert (await ask("/alerts?rule=%3Cb%3E&severity=loud&offset=9")).status == 200


async def test_the_start_page_tells_of_alerts_and_of_none_when_none_fires(ask: Ask, service: Service) -> None:
    assert "alert-strip" not in (await ask("/")).text
    for number in range(4):
        await an_alert(service, "BreakerOpen", f"host:h{number}.example")

    text = " ".join((await ask("/")).text.split())

    assert '<a id="alert-strip" href="/alerts"><strong>4 alerts</strong></a>: A breaker is open (h0.example);' in text
    assert "and 1 more" in text


async def test_the_menu_shows_how_many_fire_as_last_seen(ask: Ask, service: Service) -> None:
    await an_alert(service, "BreakerOpen", "host:a.example")
    assert '<span class="count">' not in (await ask("/events")).text

    await service.notifying.watch.show()

    assert '<span class="count">1<span class="unseen"> firing</span></span>' in (await ask("/events")).text


async def test_the_rules_show_what_was_seen_last(ask: Ask, service: Service) -> None:
    await service.notifying.watch.show()

    text = (await ask("/alerts")).text

    assert '<td class="number holds">3</td>' in text  # nobody is on duty: the service of the test does not run
    assert '<td class="number">0</td>' in text
