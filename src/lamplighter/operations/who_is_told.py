"""Who is told when something happens to a source?"""

from collections.abc import Collection
from dataclasses import dataclass

from lamplighter.operations import notification_channels, notification_rules
from lamplighter.operations.notification_rules import RuleView
from lamplighter.store.database import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """A rule that is about a source."""

    view: RuleView
    #: False when it, or the channel that it tells by, is switched off
    is_on: bool


async def of_source(db: Connection, source_id: int, tags: Collection[str]) -> list[Telling]:
    """The rules that are about this source: by its id, by one of its tags, or about all."""
    working = {channel.id for channel in await notification_channels.listed(db) if channel.enabled}
    return [
        Telling(view=view, is_on=view.rule.enabled and view.rule.channel_id in working)
        for view in await notification_rules.listed(db)
        if view.rule.source_id in (None, source_id) and (view.rule.tag is None or view.rule.tag in tags)
    ]
