"""`/settings/notifications/rules`: which events are sent to which channel."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from fastapi import Response

from lamplighter.errors import BadInput, BadUrl, LamplighterError, NotFound
from lamplighter.extract.teaching.lesson import TAUGHT_FIELDS
from lamplighter.model.notification import NoticeKind
from lamplighter.operations.alerts import notification_rules as operations
from lamplighter.operations.alerts import notifications
from lamplighter.operations.alerts.notification_rules import ONLY_FOR, RULE_KINDS, RuleSettings, RuleView
from lamplighter.operations.sources import sources, tags
from lamplighter.rules.alerts.notification_match import WITH_THRESHOLD, usual_digest
from lamplighter.rules.alerts.record_watch import WATCHING
from lamplighter.store.alerts import notification_channels as stored_channels
from lamplighter.store.engine.database import Connection
from lamplighter.store.sources import source_lists
from lamplighter.web.dashboard.alerts.notifications import BASE, LABELS, preview_shown
from lamplighter.web.dashboard.forms import SubmittedForm, faults_of
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.dashboard.settings.tabs import settings_page
from lamplighter.web.paths import local_path
from lamplighter.web.routes import Pages

ROUTES = Pages()
_PATH = f"{BASE}/rules"
_ONE = f"{_PATH}/{{rule_id}}"
_WATCH = ("words", "field", "price_below")
_FIELDS = ("channel", "kind", "scope", "tag", "source", "threshold", "digest_minutes", *_WATCH)
_SCOPES = [("all", "all sources, and the installation"), ("tag", "sources with a tag"), ("source", "one source")]
#: the most tags or sources that a field suggests
_MOST_PROPOSED = 200
_LONGEST = 4096


@ROUTES.get(f"{_PATH}/new")
async def form_for_new(request: ThisRequest) -> Response:
    """The form for a new rule; the link may preset source, tag, kind, channel and the page to return to."""
    query = {name: request.http.query_params.get(name, "")[:_LONGEST] for name in (*_FIELDS, "back")}
    scope = "source" if query["source"] else "tag" if query["tag"] else "all"
    given = {"threshold": "1", "enabled": "1"} | {name: word for name, word in query.items() if word}
    return await _page(request, None, given=given | {"scope": scope})


@ROUTES.post(f"{_PATH}/fields")
async def show_fields(request: ThisRequest) -> Response:
    """The form with the fields of the chosen event; the form stays as it was typed."""
    form = await request.form()
    rule_id = form.text("rule")
    view = await _get(request, rule_id) if rule_id else None
    return await _page(request, view, given=dict(form.fields()))


@ROUTES.post(f"{_PATH}/preview")
async def preview(request: ThisRequest) -> Response:
    """Previews the rule of the form with the latest records that match; the form stays as it was typed."""
    form = await request.form()
    rule_id = form.text("rule")
    view = await _get(request, rule_id) if rule_id else None
    try:
        shown = await _previewed(request, form)
    except LamplighterError as error:
        if request.is_partial:
            unusable = {"preview": None, "payload": "", "unusable": str(error)}
            return request.part("alerts/notifications/preview.html", status=422, **unusable)
        return await _page(request, view, given=dict(form.fields()), faults=faults_of(error))
    if request.is_partial:
        return request.part("alerts/notifications/preview.html", **shown)
    return await _page(request, view, given=dict(form.fields()), previewed=shown)


async def _previewed(request: PageRequest, form: SubmittedForm) -> dict[str, Any]:
    async def work(db: Connection) -> notifications.Preview:
        settings = await _settings_of(db, form)
        wanted = await notifications.preview_request(db, settings)
        return await notifications.preview(db, wanted, public_url=request.view.settings.public_url)

    return preview_shown(await request.read(work))


@ROUTES.post(_PATH)
async def add(request: ThisRequest) -> Response:
    """Adds a rule."""
    form = await request.form()

    async def work(db: Connection) -> None:
        await operations.add(db, await _settings_of(db, form), stamp=request.stamp)

    try:
        await request.write(work)
    except LamplighterError as error:
        return await _page(request, None, given=dict(form.fields()), faults=faults_of(error))
    return request.done("The rule was added.", to=form.text("back") or BASE)


@ROUTES.get(_ONE)
async def show(rule_id: UUID, request: ThisRequest) -> Response:
    """The edit form of a rule."""
    view = await _get(request, rule_id)
    return await _page(request, view, given=_filled_in(view))


@ROUTES.post(_ONE)
async def change(rule_id: UUID, request: ThisRequest) -> Response:
    """Saves a rule."""
    view, form = await _get(request, rule_id), await request.form()

    async def work(db: Connection) -> None:
        await operations.change(db, view.rule.public_id, await _settings_of(db, form), stamp=request.stamp)

    try:
        await request.write(work)
    except LamplighterError as error:
        return await _page(request, view, given=dict(form.fields()), faults=faults_of(error))
    return request.done("The rule was saved.", to=BASE)


@ROUTES.post(f"{_ONE}/switch")
async def switch(rule_id: UUID, request: ThisRequest) -> Response:
    """Enables or disables a rule."""
    view, form = await _get(request, rule_id), await request.form()
    enabled = form.text("enabled") == "1"
    await request.write(
        lambda db: operations.change(db, view.rule.public_id, RuleSettings(enabled=enabled), stamp=request.stamp)
    )
    return request.done(f"The rule is {'enabled' if enabled else 'disabled'}.", to=form.text("back") or BASE)


@ROUTES.post(f"{_ONE}/remove")
async def remove(rule_id: UUID, request: ThisRequest) -> Response:
    """Deletes a rule."""
    view, form = await _get(request, rule_id), await request.form()
    question = f"Delete the rule that sends “{LABELS.get(view.rule.kind, view.rule.kind)}” to {view.channel_name}?"
    request.confirm(form, question, label="Delete it", back=BASE)
    await request.write(lambda db: operations.remove(db, view.rule.public_id, stamp=request.stamp))
    return request.done("The rule was deleted.", to=BASE)


async def _get(request: PageRequest, rule_id: UUID | str) -> RuleView:
    return await request.read(lambda db: operations.get(db, str(rule_id)))


async def _page(
    request: PageRequest,
    view: RuleView | None,
    *,
    given: Mapping[str, str],
    faults: Mapping[str, str] | None = None,
    previewed: Mapping[str, Any] | None = None,
) -> Response:
    async with request.view.db.read() as db:
        channels = await stored_channels.listed(db)
        proposed, _ = await tags.page(db, limit=_MOST_PROPOSED, offset=0)
        known = await source_lists.first_by_name(db, limit=_MOST_PROPOSED)
    # The link or form may come from elsewhere: "Cancel" leads only to our own pages.
    back = {"back": local_path(given["back"]) if given.get("back") else ""}
    shown: dict[str, Any] = {
        "view": view,
        "given": dict.fromkeys(_FIELDS, "") | dict(given) | back,
        "is_on": "enabled" in given,
        "is_with_baseline": "with_baseline" in given,
        **(previewed or {"preview": None, "payload": "", "unusable": ""}),
        "faults": faults or {},
        "channels": [(each.public_id, f"{each.name} ({each.kind})") for each in channels],
        "kinds": notifications.KINDS,
        "kind_choices": [(each.kind, each.label) for each in notifications.KINDS],
        "scopes": _SCOPES,
        "proposed": [each.settings.tag for each in proposed],
        "known_sources": known,
        "usual_digest": _digest(given.get("kind") or RULE_KINDS[0]),
        "record_fields": TAUGHT_FIELDS,
        "matters": _matters(given.get("kind") or RULE_KINDS[0]) | (faults or {}).keys(),
    }
    return settings_page(request, "alerts/notifications/rule.html", **shown)


def _matters(kind: str) -> set[str]:
    """The fields that are only shown for some kinds, as far as this one has them."""
    fields = {field for _, field, kinds in ONLY_FOR if kind in kinds}
    fields |= {"threshold"} if kind in WITH_THRESHOLD else set()
    return fields | ({"with_baseline"} if kind in WATCHING else set())


def _filled_in(view: RuleView) -> dict[str, str]:
    """The initial values of the form."""
    rule = view.rule
    filled = {
        "channel": view.channel_public_id,
        "kind": rule.kind,
        "scope": "source" if rule.source_id is not None else "tag" if rule.tag is not None else "all",
        "tag": rule.tag or "",
        "source": view.source_public_id or "",
        "threshold": str(rule.threshold),
        "digest_minutes": str(rule.digest_minutes or 0),
        "words": rule.words or "",
        "field": rule.record_field or "",
        "price_below": f"{rule.price_below:g}" if rule.price_below is not None else "",
    }
    ticks = {"enabled": rule.enabled, "with_baseline": rule.with_baseline}
    return filled | {name: "1" for name, is_on in ticks.items() if is_on}


async def _settings_of(db: Connection, form: SubmittedForm) -> RuleSettings:
    """The rule input from the form; an empty number means the default."""
    scope = form.text("scope")
    threshold, minutes = form.whole_number("threshold"), form.whole_number("digest_minutes")
    return RuleSettings(
        channel=form.text("channel"),
        kind=form.text("kind"),
        source=await _source_of(db, form.text("source")) if scope == "source" else "",
        tag=_tag_of(form.as_typed("tag")) if scope == "tag" else "",
        threshold=1 if threshold is None else threshold,
        digest_minutes=_digest(form.text("kind")) if minutes is None else minutes,
        words=form.text("words"),
        field=form.text("field"),
        price_below=_price(form.text("price_below")),
        with_baseline=form.has("with_baseline"),
        enabled=form.has("enabled"),
    )


def _digest(kind: str) -> int:
    return (usual_digest(NoticeKind(kind)) or 0) if kind in set(NoticeKind) else 0


def _price(text: str) -> float:
    try:
        return float(text.replace(",", ".")) if text else 0.0
    except ValueError:
        raise BadInput(f"{text[:50]!r} is no price; write a number, as in 99.50", field="price_below") from None


def _tag_of(text: str) -> str:
    if not text:
        raise BadInput("enter the tag, or choose all sources", field="tag")
    return text


async def _source_of(db: Connection, text: str) -> str:
    """The public id of the source with this id or URL."""
    try:
        return str((await sources.find(db, UUID(text))).public_id)
    except (ValueError, NotFound):
        pass
    try:
        return str((await sources.find_by_url(db, text)).public_id)
    except (BadUrl, NotFound):
        message = f"no source has the URL or the id {text[:200]!r}; both are shown on its page"
        raise BadInput(message, field="source") from None
