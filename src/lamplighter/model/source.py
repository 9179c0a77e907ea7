"""A source: its options, those it inherits from tags, and what is stored of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from lamplighter.model import recipe
from lamplighter.model.fields import MILLISECONDS
from lamplighter.model.record import RecordKind
from lamplighter.model.schedule import OrganisationType, PolicyName, Window


class SourceStatus(StrEnum):
    """Whether a source is crawled, and if not, why."""

    ACTIVE = "active"
    #: by an operator, or after repeated failures
    PAUSED = "paused"
    #: by its robots.txt or a takedown
    BLOCKED = "blocked"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class InheritedOptions:
    """Options that a source may inherit from its tags, its host or the installation."""

    #: how the interval is chosen
    policy: PolicyName | None = None
    #: the interval before anything was observed; a source may also inherit it from its organisation type
    interval: timedelta | None = None
    #: the least and the most time between runs
    min_interval: timedelta | None = None
    max_interval: timedelta | None = None
    #: when it may be crawled; an empty tuple means at any time
    windows: tuple[Window, ...] = ()
    #: pages in one run
    max_pages: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOptions(InheritedOptions):
    """All options that an operator sets for a source; columns, files and API fields use the same names."""

    url: str
    #: a new source with an empty name gets the host's name
    name: str = ""
    #: None means that the pages decide
    kind: RecordKind | None = None
    #: in its JSON form, which `extract.recipes.recipe.parse_recipe` parses
    recipe: Mapping[str, Any] = field(default_factory=dict)
    #: links followed from its URL; 0 is this page alone, -1 is without limit
    max_depth: int = 3
    #: ISO 3166; its time zone applies to windows that name none
    country: str | None = None
    organisation_type: OrganisationType | None = None
    #: crawled repeatedly, or once
    recurring: bool = True
    priority: int = 50
    enabled: bool = True
    #: least time between two requests for it, if longer than its host policy's
    min_delay: timedelta | None = field(default=None, metadata=MILLISECONDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source(SourceOptions):
    """A source as it is stored."""

    id: int
    public_id: str
    created_at: datetime
    updated_at: datetime
    #: only holds tasks
    is_implicit: bool = False
    #: None unless it was deleted
    deleted_at: datetime | None = None
    #: why, since when and by whom it is disabled
    disabled_reason: str | None = None
    disabled_at: datetime | None = None
    disabled_by: str | None = None
    #: what is wrong with each stored window that cannot be read and is therefore not in force
    window_faults: tuple[str, ...] = ()

    @property
    def has_windows(self) -> bool:
        """Whether any were set, even if none of them can be read."""
        return bool(self.windows or self.window_faults)

    @property
    def asks_since(self) -> bool:
        """Whether its API is requested only for changes since the last run."""
        return recipe.asks_since(self.recipe)


@dataclass(frozen=True, slots=True, kw_only=True)
class TagOptions(InheritedOptions):
    """The options that sources inherit from a tag if they have none."""

    tag: str
    #: None if the tag never had settings
    updated_at: datetime | None = None
    #: what is wrong with each stored window that cannot be read and is therefore not in force
    window_faults: tuple[str, ...] = ()

    @property
    def has_windows(self) -> bool:
        """Whether any were set, even if none of them can be read."""
        return bool(self.windows or self.window_faults)
