"""The filter of changes, of the API's query and of the dashboard's page."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from lamplighter.model.record_search import ChangeFilter, ChangeKind
from lamplighter.operations.records import change_stream
from lamplighter.web.values import Given, Line, Moment

PERIODS: Mapping[str, timedelta] = {"24h": timedelta(hours=24), "7d": timedelta(days=7), "30d": timedelta(days=30)}


class ChangeFilterIn(Given):
    """A filter of changes; omitted fields match all."""

    tag: Annotated[Line, Field(min_length=1, max_length=100)] | None = Field(None, description="A tag of the source.")
    source_id: UUID | None = None
    change: ChangeKind | None = Field(None, description="What became of the record.")
    words: Annotated[Line, Field(max_length=500)] = Field(
        "", description="With commas between: one of them begins a word of the record."
    )
    period: Literal["24h", "7d", "30d"] | None = Field(None, description="How far back.")
    since: Moment | None = Field(None, description="At this time or later.")

    def wanted(self, now: datetime) -> ChangeFilter:
        """The filter."""
        back = now - PERIODS[self.period] if self.period is not None else None
        times = [each for each in (back, self.since) if each is not None]
        return ChangeFilter(
            tag=self.tag,
            source_id=str(self.source_id) if self.source_id is not None else None,
            kind=self.change,
            terms=change_stream.terms_of(self.words),
            since=max(times, default=None),
        )
