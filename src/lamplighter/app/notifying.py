"""Builds alerts and notifications: alert keeper, notification routing, sender and messenger."""

from dataclasses import dataclass
from typing import Self

from lamplighter.app.foundation import Foundation
from lamplighter.app.messaging import messenger_of
from lamplighter.crawl.alerts.alert_keeper import AlertKeeper
from lamplighter.crawl.alerts.messenger import Messenger
from lamplighter.crawl.alerts.notification_routing import NotificationRouting
from lamplighter.crawl.alerts.notification_sender import NotificationSender
from lamplighter.ports import Events


@dataclass(frozen=True, slots=True, kw_only=True)
class Notifying:
    """Alerts, notices and notifications."""

    #: evaluates the alerts
    watch: AlertKeeper
    #: turns notices into notifications
    hand_out: NotificationRouting
    #: sends notifications
    notify: NotificationSender
    messenger: Messenger

    @classmethod
    def of(cls, base: Foundation, *, events: Events) -> Self:
        """Builds it from the settings."""
        db, clock = base.db, base.clock
        messenger = messenger_of(base.settings, base.door, base.vault)
        return cls(
            watch=AlertKeeper(db, clock=clock, queue=base.queue, events=events, longest_run=base.run_deadline),
            hand_out=NotificationRouting(db, clock=clock),
            notify=NotificationSender(db, messenger=messenger, clock=clock, stopping=base.stopping),
            messenger=messenger,
        )
