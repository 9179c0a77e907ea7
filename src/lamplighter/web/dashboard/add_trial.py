"""What is shown of a trial while somebody types: what the site answers, and the first records."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from lamplighter.errors import BadInput
from lamplighter.model.record import RecordKind
from lamplighter.operations import explain
from lamplighter.operations.explain import Explanation
from lamplighter.operations.first_looks import FirstLook
from lamplighter.rules import urls
from lamplighter.store import sources
from lamplighter.store.sources import SourceRow
from lamplighter.web.dashboard import add_form
from lamplighter.web.dashboard.addresses import is_finished
from lamplighter.web.dashboard.forms import Form, faults_of
from lamplighter.web.dashboard.visit import Visit

#: what people call a value
_NAMES = {"location_raw": "location", "country_iso": "country"}
_LONGEST_VALUE = 160


class ShownField(NamedTuple):
    """A value of a record, and how it was found."""

    name: str
    value: str
    method: str
    #: 0-1
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What came of trying an address; nothing yet when all of it is empty."""

    #: what could not be read, by field
    faults: Mapping[str, str] = field(default_factory=dict)
    #: the source that watches it already
    known: SourceRow | None = None
    look: FirstLook | None = None
    #: what holds for the address and its host, now that it was asked
    manners: Explanation | None = None

    @property
    def kinds(self) -> str:
        """What the records are, the most frequent first."""
        counted = Counter(str(record["kind"]) for record in self._records())
        return ", ".join(kind for kind, _ in counted.most_common())

    def records(self) -> Iterator[tuple[Mapping[str, Any], list[ShownField]]]:
        """The first records, each with its fields."""
        return ((record, list(fields_of(record))) for record in self._records())

    def _records(self) -> list[Mapping[str, Any]]:
        return list(self.look.simulation.records) if self.look is not None else []


def fields_of(record: Mapping[str, Any]) -> Iterator[ShownField]:
    """The values of a record that somebody found somewhere; its title comes first."""
    found: Mapping[str, Any] = record["provenance"]
    for name in sorted(found, key=lambda name: (name != "title", list(found).index(name))):
        value = record.get(name) or record["fields"].get(name)
        if value not in (None, "", []):
            evidence = found[name]
            yield ShownField(
                _NAMES.get(name, name), _shown(value), str(evidence["method"]), float(evidence["confidence"])
            )


async def attempt(visit: Visit, form: Form, *, is_typing: bool) -> Trial:
    """Tries what the form says; an address that is still being typed is left alone until its host is whole."""
    url = form.text("url")
    if not url or (is_typing and not is_finished(url)):
        return Trial()
    try:
        wish = add_form.wish_of(form)
        target = urls.parse(wish.url).href
        if (known := await _known(visit, target)) is not None:
            return Trial(known=known)
        kind = RecordKind(wish.kind) if wish.kind else None
        looks = visit.view.first_looks
        look = await looks.look(target, recipe=wish.recipe, kind=kind, is_wanted=waiting(visit))
    except BadInput as error:
        error.field = error.field or "url"
        return Trial(faults=faults_of(error))
    return Trial(look=look, manners=await manners_of(visit, target))


async def manners_of(visit: Visit, url: str) -> Explanation:
    """What would happen to this URL now, and why."""
    view = visit.view
    return await explain.explain(
        view.db,
        url,
        token=view.door.robots.token,
        defaults=view.norms.host,
        now=visit.now,
        barrier=view.door.barrier,
    )


def waiting(visit: Visit) -> Callable[[], Awaitable[bool]]:
    """Tells whether the visitor still waits for the answer."""

    async def is_waiting() -> bool:
        return not await visit.request.is_disconnected()

    return is_waiting


async def _known(visit: Visit, url: str) -> SourceRow | None:
    async with visit.view.db.read() as db:
        source = await sources.by_url(db, url)
    return None if source is None or source.is_implicit else source


def _shown(value: Any) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"
