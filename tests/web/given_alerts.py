"""A source and an alert about it, for the API and the dashboard to show."""

from datetime import timedelta

from lamplighter.app import Service
from lamplighter.model.access import Stamp
from lamplighter.model.alert import Alert, AlertFinding, Severity
from lamplighter.operations.sources import sources
from lamplighter.store.alerts import alerts
from lamplighter.store.sources import sources as stored_sources

HOUR = timedelta(hours=1)


async def an_alert(
    service: Service, rule: str, subject: str, *, detail: str = "it is so", fires: bool = True, value: float = 1.0
) -> Alert:
    """An alert that began an hour ago."""
    now = service.clock.now() - HOUR
    found = AlertFinding(subject=subject, value=value, detail=detail)
    alert = await service.db.write(
        lambda db: alerts.begin(db, rule=rule, severity=Severity.WARNING, finding=found, now=now, fires=fires)
    )
    assert alert is not None
    return alert


async def a_source(service: Service, name: str) -> str:
    """A source at quay.example; returns its public id."""
    now = service.clock.now()
    new = sources.NewSource(url="https://quay.example/", name=name)
    source_id = await service.db.write(lambda db: sources.add(db, new, stamp=Stamp("test", now)))
    async with service.db.read() as db:
        source = await stored_sources.get(db, source_id)
    assert source is not None
    return source.public_id
