"""The record filter of the API's query and of the dashboard's page."""

import re
from datetime import date
from typing import Annotated, Any
from uuid import UUID

from pydantic import BeforeValidator, Field

from lamplighter.model.record import RecordKind
from lamplighter.model.record_search import Presence, RecordFilter
from lamplighter.rules.records import search_query
from lamplighter.web.values import Given, Line, Moment, Text

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_Word = Annotated[Line, Field(min_length=1, max_length=300)]
_Amount = Annotated[float, Field(ge=0, le=1e15, allow_inf_nan=False)]


def _from_midnight(value: Any) -> Any:
    return f"{value}T00:00:00Z" if isinstance(value, str) and _DAY.fullmatch(value) else value


#: a time, or a date, which means midnight in UTC
_When = Annotated[Moment, BeforeValidator(_from_midnight)]


class RecordFilterIn(Given):
    """A record filter; omitted fields match all. `_after` includes the given time, `_before` does not."""

    #: any text is accepted: only its words are searched
    q: str = Field("", max_length=500, description='Words, "phrases", -exclusions, prefixes*; any case or accent.')
    kind: RecordKind | None = None
    source_id: UUID | None = None
    host: _Word | None = Field(None, description="The host that the source is at.")
    tag: _Word | None = Field(None, description="A tag of the source.")
    country: Annotated[str, Field(pattern="^[A-Za-z]{2}$")] | None = None
    language: Annotated[str, Field(pattern="^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$", max_length=20)] | None = None
    organisation: _Word | None = None
    state: Presence = Presence.PRESENT
    published_after: _When | None = None
    published_before: _When | None = None
    first_seen_after: _When | None = None
    first_seen_before: _When | None = None
    changed_after: _When | None = None
    deadline_after: date | None = None
    deadline_before: date | None = None
    level: _Word | None = None
    modality: _Word | None = None
    career_type: _Word | None = None
    mission_tag: _Word | None = None
    international_eligible: bool | None = None
    price_min: _Amount | None = None
    price_max: _Amount | None = None
    currency: Annotated[str, Field(pattern="^[A-Za-z]{3}$")] | None = None
    availability: _Word | None = None
    brand: _Word | None = None

    def wanted(self) -> RecordFilter:
        """The record filter."""
        given = {name: getattr(self, name) for name in RecordFilterIn.model_fields}
        text, presence, source_id = given.pop("q"), given.pop("state"), given.pop("source_id")
        return RecordFilter(
            text=search_query.parse(text),
            presence=presence,
            source_id=str(source_id) if source_id is not None else None,
            **given,
        )


class RemovalIn(Given):
    """Why a record is removed."""

    reason: Annotated[Text, Field(min_length=1, max_length=2000)]
