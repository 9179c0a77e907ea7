"""The form that adds a source, with a live trial of its address."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from fastapi import Response

from lamplighter.errors import BadInput, Duplicate
from lamplighter.model.access import Role
from lamplighter.model.record import RecordKind
from lamplighter.model.schedule import OrganisationType
from lamplighter.model.source import Source
from lamplighter.operations.explain import explain
from lamplighter.operations.explain.explain import Explanation
from lamplighter.operations.explain.source_preview import FirstLook
from lamplighter.operations.sources import sources
from lamplighter.operations.sources.source_fields import altered, input_from
from lamplighter.operations.sources.source_input import NewSource, check
from lamplighter.operations.sources.source_words import PRIORITIES, typed_depth
from lamplighter.rules.urls import urls
from lamplighter.store.sources import sources as stored_sources
from lamplighter.web import source_verbs
from lamplighter.web.dashboard.forms import SubmittedForm, each_fault, faults_of, is_finished, meant_by
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.routes import Pages

ROUTES = Pages()
#: the fields of the form, in its order
FIELDS = (
    *("url", "name", "kind", "tags", "priority", "interval_minutes", "windows", "max_depth", "max_pages"),
    *("country", "organisation_type", "recipe"),
)
EMPTY: Mapping[str, str] = dict.fromkeys(FIELDS, "") | {"priority": "normal"}
KINDS = [("", "detect from the pages"), *((str(kind), str(kind)) for kind in RecordKind)]
ORGANISATIONS = [("", "not set"), *((str(each), str(each).replace("_", " ")) for each in OrganisationType)]
PRIORITY_WORDS = [(word, word) for word in PRIORITIES]
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
        submitted = input_of(form)
        target = urls.parse(submitted.url).href
        if (known := await _known(request, target)) is not None:
            return Trial(known=known)
        looks = request.view.sites.first_looks
        look = await looks.look(
            target,
            recipe=submitted.recipe,
            kind=submitted.kind,
            by=request.stamp.actor,
            is_wanted=waiting(request),
        )
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
    source = await request.read(lambda db: stored_sources.by_url(db, url))
    return None if source is None or source.is_implicit else source


def _shown(value: Any) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"


def typed_in(form: SubmittedForm) -> dict[str, str]:
    """The typed values of all fields, to show them again."""
    return {name: form.text(name) for name in FIELDS}


def faults_in(form: SubmittedForm, error: BadInput) -> Mapping[str, str]:
    """The error of each form field."""
    given = {name: value for name, value in typed_in(form).items() if value or name == "url"}

    def look(name: str) -> None:
        if name == "url":
            check(NewSource(url=meant_by(given[name])))
        elif name == "max_depth":
            typed_depth(given[name])
        else:
            check(altered(_FINE, {name: given[name]}))

    return each_fault(error, given, look)


#: a valid source, to check one field at a time
_FINE = NewSource(url="https://example.org/")


def input_of(form: SubmittedForm) -> NewSource:
    """The source input from the form; BadInput names the invalid field."""
    if not form.text("url"):
        raise BadInput("the address is missing; write for example https://example.org/jobs", field="url")
    row = {name: value for name, value in typed_in(form).items() if value}
    typed_depth(form.text("max_depth"))
    return input_from(row | {"url": meant_by(form.text("url"))})


@ROUTES.get("/sources/add", role=Role.OPERATOR)
async def form(request: ThisRequest, url: str = "") -> Response:
    """The form, filled with the URL from the link if there is one; sends no request to the site."""
    return _page(request, {**EMPTY, "url": url[:2000]})


@ROUTES.post("/sources/add")
async def add(request: ThisRequest) -> Response:
    """Adds the source and shows it."""
    form = await request.form()
    try:
        listed = await source_verbs.create(request.view, request.caller, input_of(form))
    except Duplicate:
        known = await _watching(request, form)
        faults = {"url": f"this URL is already the source {known.name}"}
        return _page(request, typed_in(form), faults=faults, trial=Trial(known=known))
    except BadInput as error:
        return _page(request, typed_in(form), faults=faults_in(form, error))
    return request.done(f"{listed.source.name} was added.", to=f"/sources/{listed.source.public_id}")


@ROUTES.post("/sources/add/trial")
async def trial(request: ThisRequest) -> Response:
    """Fetches the address once and shows the response and the records; stores nothing."""
    form = await request.form()
    is_pressed = form.has("try")
    found = await attempt(request, form, is_typing=not is_pressed)
    typed = typed_in(form)
    if request.is_partial:
        return request.part("sources/add/trial.html", trial=found, typed=typed)
    return _page(request, typed, faults=found.faults, trial=found)


def _page(
    request: PageRequest,
    typed: Mapping[str, str],
    *,
    faults: Mapping[str, str] | None = None,
    trial: Trial | None = None,
) -> Response:
    shown: dict[str, Any] = {"typed": typed, "faults": faults or {}, "trial": trial or Trial()}
    # The folded part opens when one of its fields is filled in or invalid.
    said = [name for name in FIELDS[1:] if typed[name] != EMPTY[name] or name in shown["faults"]]
    choices: dict[str, Any] = {"kinds": KINDS, "priorities": PRIORITY_WORDS, "organisations": ORGANISATIONS}
    return request.page("sources/add/form.html", is_open=bool(said), **choices, **shown)


async def _watching(request: PageRequest, form: SubmittedForm) -> Source:
    return await request.read(lambda db: sources.find_by_url(db, meant_by(form.text("url"))))
