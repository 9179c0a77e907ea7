"""The trial of an address in the add form: the response and the first records."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from lamplighter.errors import BadInput
from lamplighter.model.source import Source
from lamplighter.operations.explain import explain
from lamplighter.operations.explain.explain import Explanation
from lamplighter.operations.explain.source_preview import FirstLook
from lamplighter.rules.urls import urls
from lamplighter.store.sources import sources
from lamplighter.web.dashboard.forms import SubmittedForm, faults_of, is_finished
from lamplighter.web.dashboard.page_request import PageRequest
from lamplighter.web.dashboard.sources import add_form

#: field -> its label
_NAMES = {"location_raw": "location", "country_iso": "country"}
_LONGEST_VALUE = 160


class ShownField(NamedTuple):
    """A field value of a record, and the method that found it."""

    name: str
    value: str
    method: str
    #: 0 to 1
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """The result of a trial; all fields are empty before the first one."""

    #: the errors by field
    faults: Mapping[str, str] = field(default_factory=dict)
    #: the source that already watches the URL
    known: Source | None = None
    look: FirstLook | None = None
    #: the explanation of the URL and its host, after the fetch
    manners: Explanation | None = None

    @property
    def kinds(self) -> str:
        """The kinds of the records, the most frequent first."""
        counted = Counter(str(record["kind"]) for record in self._records())
        return ", ".join(kind for kind, _ in counted.most_common())

    def records(self) -> Iterator[tuple[Mapping[str, Any], list[ShownField]]]:
        """The first records with their fields."""
        return ((record, list(fields_of(record))) for record in self._records())

    def _records(self) -> list[Mapping[str, Any]]:
        return list(self.look.simulation.records) if self.look is not None else []


def fields_of(record: Mapping[str, Any]) -> Iterator[ShownField]:
    """The extracted fields of a record, title first."""
    found: Mapping[str, Any] = record["provenance"]
    for name in sorted(found, key=lambda name: (name != "title", list(found).index(name))):
        value = record.get(name) or record["fields"].get(name)
        if value not in (None, "", []):
            evidence = found[name]
            yield ShownField(
                _NAMES.get(name, name), _shown(value), str(evidence["method"]), float(evidence["confidence"])
            )


async def attempt(request: PageRequest, form: SubmittedForm, *, is_typing: bool) -> Trial:
    """Tries the address of the form, unless its host is still being typed."""
    url = form.text("url")
    if not url or (is_typing and not is_finished(url)):
        return Trial()
    try:
        submitted = add_form.input_of(form)
        target = urls.parse(submitted.url).href
        if (known := await _known(request, target)) is not None:
            return Trial(known=known)
        looks = request.view.sites.first_looks
        look = await looks.look(target, recipe=submitted.recipe, kind=submitted.kind, is_wanted=waiting(request))
    except BadInput as error:
        error.field = error.field or "url"
        return Trial(faults=faults_of(error))
    return Trial(look=look, manners=await manners_of(request, target))


async def manners_of(request: PageRequest, url: str) -> Explanation:
    """Explains what would happen to this URL now."""
    view = request.view
    return await explain.explain(
        view.db,
        url,
        token=view.sites.door.robots.token,
        defaults=view.source_defaults.host,
        now=request.now,
        barrier=view.sites.door.barrier,
    )


def waiting(request: PageRequest) -> Callable[[], Awaitable[bool]]:
    """Whether the browser still waits for the response."""

    async def is_waiting() -> bool:
        return not await request.http.is_disconnected()

    return is_waiting


async def _known(request: PageRequest, url: str) -> Source | None:
    source = await request.read(lambda db: sources.by_url(db, url))
    return None if source is None or source.is_implicit else source


def _shown(value: Any) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"
