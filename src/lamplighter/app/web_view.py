"""Builds the view of a service that the web pages and the API get."""

from lamplighter.app.service import Service
from lamplighter.app.storing import room_of
from lamplighter.web.service_view import (
    Connections,
    CrawlAccess,
    SearchAccess,
    SecretAccess,
    ServiceView,
    SiteAccess,
    StorageAccess,
)


def view_of(service: Service) -> ServiceView:
    """The parts of the service that web pages and API use."""
    return ServiceView(
        db=service.db,
        clock=service.clock,
        settings=service.settings,
        defaults=lambda: service.source_defaults,
        settings_changed=service.changed_settings.look,
        sites=_sites(service),
        storage=_storage(service),
        search=SearchAccess(finder=service.index.finder, server=service.index.server),
        secrets=SecretAccess(vault=service.vault, book=service.secrets),
        crawl=_crawl(service),
        connections=Connections(
            queue=service.queue,
            events=service.events.carrier,
            mirror=service.mirroring.status,
            messenger=service.notifying.messenger,
            away=lambda: service.servers.away,
        ),
    )


def _sites(service: Service) -> SiteAccess:
    trying = service.trying
    return SiteAccess(
        door=service.door,
        simulator=trying.simulator,
        first_looks=trying.first_looks,
        lessons=trying.lessons,
        proxy_trials=trying.proxy_trials,
        proxy_rounds=trying.proxy_rounds,
    )


def _storage(service: Service) -> StorageAccess:
    storing = service.storing
    return StorageAccess(
        archive=storing.archive,
        sweep_archive=storing.retention.sweep,
        room=lambda: room_of(storing.disk, storing.archiving, service.parsing.phase),
        backup_maker=storing.backup_maker,
        restore_orders=storing.restore_orders,
    )


def _crawl(service: Service) -> CrawlAccess:
    return CrawlAccess(
        active_hosts=lambda: len(service.door.turns.held),
        scheduling=lambda: service.leading.gauge.latest,
        watched=lambda: service.notifying.watch.latest,
        run_due=service.leading.scheduler.open_due,
        crawl_pause=lambda: service.crawl_pause.current,
        crawl_pause_changed=service.crawl_pause.look,
    )
