"""The title and text of a notification: the default words of each kind, or those of its channel's templates.

The content is a payload: `{"items": [item, …], "more": n}`, with `"is_digest": true` for a digest. An item is
`{"at": ISO time, "source": {"id", "name", "url"} or None, "data": {…}}`, its data that of the notice.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from lamplighter.errors import BadInput
from lamplighter.model.notification import Notice, NoticeKind
from lamplighter.rules.alerts import notification_template as template
from lamplighter.rules.alerts import record_watch
from lamplighter.rules.formats.plural import counted

#: items of a digest that are listed; further ones are only counted
MOST_ITEMS = 50
LONGEST_TITLE = 200
_NOT_ON_ONE_LINE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")

Item = Mapping[str, Any]


class Templates(NamedTuple):
    """The templates of a channel; None takes the default words."""

    title: str | None = None
    body: str | None = None


USUAL_WORDS = Templates()


class NotificationWords(NamedTuple):
    """The title and text of a notification."""

    #: on one line
    title: str
    text: str
    #: why a template was not used; None when there was no template, or it worked
    complaint: str | None = None


def item_of(notice: Notice, source: Mapping[str, Any] | None) -> dict[str, Any]:
    """A notice as an item of a payload."""
    data = {name: value for name, value in notice.data.items() if name != record_watch.WATCHED_RUN}
    return {"at": notice.at.isoformat(), "source": source, "data": data}


def merged(payloads: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Several payloads of one kind as one digest."""
    items = [item for payload in payloads for item in payload["items"]]
    more = sum(payload["more"] for payload in payloads) + max(0, len(items) - MOST_ITEMS)
    return {"items": items[:MOST_ITEMS], "more": more, "is_digest": True}


def added(payload: Mapping[str, Any], item: Item) -> dict[str, Any]:
    """A digest with one more item, listed if there is room."""
    items: list[Item] = list(payload["items"])
    if len(items) < MOST_ITEMS:
        return {**payload, "items": [*items, item]}
    return {**payload, "more": payload["more"] + 1}


def words_of(
    kind: str, payload: Mapping[str, Any], *, templates: Templates = USUAL_WORDS, public_url: str | None = None
) -> NotificationWords:
    """The words of a notification; a template that cannot be used is ignored, and the complaint says so."""
    try:
        return _words(kind, payload, templates, public_url)
    except BadInput as error:
        complaint = f"sent with the default words. {error}"
        return _words(kind, payload, USUAL_WORDS, public_url)._replace(complaint=complaint)


def _words(kind: str, payload: Mapping[str, Any], templates: Templates, public_url: str | None) -> NotificationWords:
    items: Sequence[Item] = payload["items"]
    values = [values_of(kind, item, public_url=public_url) for item in items]
    texts = [template.render(templates.body, each) if templates.body else each["text"] for each in values]
    if len(items) == 1 and not payload["more"]:
        title = template.render(templates.title, values[0]) if templates.title else values[0]["title"]
        return NotificationWords(one_line(title), texts[0])
    total = len(items) + payload["more"]
    rest = [f"… and {payload['more']} more."] if payload["more"] else []
    text = "\n\n".join([*texts, *rest])[: template.LONGEST_TEXT]
    return NotificationWords(one_line(f"{LABELS[NoticeKind(kind)]}: {total} in all"), text)


def one_line(text: str) -> str:
    """The text as a title: short, and without anything that could end a header line."""
    return _NOT_ON_ONE_LINE.sub(" ", text).strip()[:LONGEST_TITLE]


def values_of(kind: str, item: Item, *, public_url: str | None = None) -> dict[str, str]:
    """The values of a template's names."""
    data, source = item["data"], item["source"] or {}
    given = {name: _plain(data.get(name)) for name in template.PLACEHOLDERS}
    values = given | {
        "kind": kind,
        "at": _time(item["at"]),
        "source": source.get("name", ""),
        "source_id": source.get("id", ""),
        "source_url": source.get("url", ""),
        "link": f"{public_url.rstrip('/')}/sources/{source['id']}" if public_url and source else "",
        "until": _time(data.get("until")),
        "records": "\n".join(map(record_watch.lines_of, data.get("records", ()))),
    }
    _, usual = _KINDS[NoticeKind(kind)]
    title, text = usual(values)
    where = [line for line in (values["link"] or values["source_url"],) if line]
    return values | {"title": title, "text": "\n".join([text, *where])}


def _plain(value: Any) -> str:
    return "" if value is None or isinstance(value, list | dict) else str(value)


def _time(moment: str | None) -> str:
    return f"{datetime.fromisoformat(moment):%Y-%m-%d %H:%M} UTC" if moment else ""


def _of(values: Mapping[str, str]) -> str:
    return values["source"] or "a source"


def _failed(values: Mapping[str, str]) -> tuple[str, str]:
    often = int(values["failures"])
    times = f" {often} times in a row" if often > 1 else ""
    return f"{_of(values)}: run failed{times}", f"Run {values['run']} of {_of(values)} failed: {values['reason']}"


def _recovered(values: Mapping[str, str]) -> tuple[str, str]:
    often = int(values["failures"])
    before = f"{often} failed runs" if often > 1 else "1 failed run"
    title = f"{_of(values)}: works again"
    return title, f"Run {values['run']} of {_of(values)} succeeded after {before}: {values['reason']}"


def _breaker(values: Mapping[str, str]) -> tuple[str, str]:
    again = f" The next try is on {values['until']}." if values["until"] else ""
    text = f"{_of(values)} failed several times in a row and is paused.{again} Latest failure: {values['reason']}"
    return f"{_of(values)}: breaker opened", text


def _blocked(values: Mapping[str, str]) -> tuple[str, str]:
    again = f" The next try is on {values['until']}." if values["until"] else ""
    return f"{_of(values)}: blocked", f"{_of(values)} may not or cannot be fetched: {values['reason']}{again}"


def _drifted(values: Mapping[str, str]) -> tuple[str, str]:
    text = f"Run {values['run']} of {_of(values)} found far fewer records than usual: {values['reason']}"
    return f"{_of(values)}: extractor may be broken", text


def _new(values: Mapping[str, str]) -> tuple[str, str]:
    count = int(values["count"])
    records = counted(count, "new record")
    return f"{_of(values)}: {records}", f"Run {values['run']} of {_of(values)} found {records}:\n{values['records']}"


def _watched(one: str, *, verb: str) -> Callable[[Mapping[str, str]], tuple[str, str]]:
    def words(values: Mapping[str, str]) -> tuple[str, str]:
        what = f"{counted(int(values['count']), one)} {verb}"
        below = f" below {values['below']}" if values["below"] else ""
        return (
            f"{_of(values)}: {what}{below}",
            f"Run {values['run']} of {_of(values)}: {what}{below}\n{values['records']}",
        )

    return words


def _alert(values: Mapping[str, str]) -> tuple[str, str]:
    about = f": {values['subject']}" if values["subject"] else ""
    title = f"[{values['severity']}] {values['rule']}{about}"
    return title, "\n".join(line for line in (values["detail"], values["remedy"]) if line)


def _cleared(values: Mapping[str, str]) -> tuple[str, str]:
    about = f": {values['subject']}" if values["subject"] else ""
    return f"[cleared] {values['rule']}{about}", f"The alert was: {values['detail']}"


def _task(values: Mapping[str, str]) -> tuple[str, str]:
    product = f" Product {values['product_id']}." if values["product_id"] else ""
    return f"Task {values['task_id']} {values['status']}", f"{values['url']} is {values['status']}.{product}"


def _test(values: Mapping[str, str]) -> tuple[str, str]:
    return "Test from Lamplighter", "This is a test. Notifications to this channel will arrive here."


#: kind -> its label, and the function that makes its usual title and text
_KINDS: Mapping[NoticeKind, tuple[str, Callable[[Mapping[str, str]], tuple[str, str]]]] = {
    NoticeKind.RUN_FAILED: ("Run failed", _failed),
    NoticeKind.RUN_RECOVERED: ("Works again", _recovered),
    NoticeKind.BREAKER_OPENED: ("Breaker opened", _breaker),
    NoticeKind.SOURCE_BLOCKED: ("Source blocked", _blocked),
    NoticeKind.SOURCE_DRIFTED: ("Extractor may be broken", _drifted),
    NoticeKind.RECORDS_NEW: ("New records", _new),
    NoticeKind.RECORDS_CHANGED: ("Records changed", _watched("record", verb="changed")),
    NoticeKind.RECORDS_GONE: ("Records gone", _watched("record", verb="gone")),
    NoticeKind.RECORDS_BACK: ("Records back", _watched("record", verb="back")),
    NoticeKind.PRICE_FELL: ("Price fell", _watched("price", verb="fell")),
    NoticeKind.PAGES_CHANGED: ("Pages changed", _watched("page", verb="changed")),
    NoticeKind.ALERT_FIRED: ("Alert fired", _alert),
    NoticeKind.ALERT_CLEARED: ("Alert cleared", _cleared),
    NoticeKind.TASK_COMPLETED: ("Task completed", _task),
    NoticeKind.TASK_FAILED: ("Task failed", _task),
    NoticeKind.TEST: ("Test", _test),
}
LABELS = {kind: label for kind, (label, _) in _KINDS.items()}
