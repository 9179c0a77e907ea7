"""Notifications as HTTP requests, by kind of channel: bodies, headers, signatures."""

import hashlib
import hmac
import json
from base64 import b64encode
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from lamplighter.model.notification import NoticeKind
from lamplighter.rules.alerts.notification_text import NotificationWords

#: kinds whose body is fixed: `{"event", "timestamp", "data": {task_id, url, status, product_id}}`, and nothing else
_TASKS = frozenset({NoticeKind.TASK_COMPLETED, NoticeKind.TASK_FAILED})
SIGNATURE = "X-Lamplighter-Signature"


class WebhookPost(NamedTuple):
    """The body and headers of a POST."""

    body: bytes
    headers: Mapping[str, str]


def webhook(public_id: str, kind: str, payload: Mapping[str, Any], words: NotificationWords) -> WebhookPost:
    """The JSON body of a webhook; `signed` adds a signature."""
    headers = {"Content-Type": "application/json", "Idempotency-Key": public_id, "X-Lamplighter-Event": kind}
    body = webhook_json(public_id, kind, payload, words)
    return WebhookPost(json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode(), headers)


def webhook_json(public_id: str, kind: str, payload: Mapping[str, Any], words: NotificationWords) -> dict[str, Any]:
    """The same as a dict, not yet serialised."""
    items = payload["items"]
    if payload.get("is_digest"):
        body = [{"timestamp": _stamp(each["at"]), "source": each["source"], **each["data"]} for each in items]
        data: dict[str, Any] = {"count": len(items) + payload["more"], "items": body}
    elif kind in _TASKS:
        return {"event": kind, "timestamp": _stamp(items[0]["at"]), "data": items[0]["data"]}
    else:
        data = {"source": items[0]["source"], **items[0]["data"]}
    envelope = {"event": kind, "timestamp": _stamp(items[0]["at"]), "data": data}
    return envelope | {"id": public_id, "title": words.title, "text": words.text}


def signed(post: WebhookPost, secret: str, *, now: datetime) -> WebhookPost:
    """The post with the time and an HMAC-SHA256 over `time.body`, so that the receiver can verify sender and age."""
    at = int(now.timestamp())
    mark = hmac.new(secret.encode(), f"{at}.".encode() + post.body, hashlib.sha256).hexdigest()
    return post._replace(headers={**post.headers, SIGNATURE: f"t={at},v1={mark}"})


def slack(public_id: str, words: NotificationWords) -> WebhookPost:
    """The JSON for incoming webhooks of Slack, Mattermost and the like, escaped so that they act on nothing in it."""
    text = f"*{_for_slack(words.title)}*\n{_for_slack(words.text)}"
    headers = {"Content-Type": "application/json", "Idempotency-Key": public_id}
    return WebhookPost(json.dumps({"text": text}, ensure_ascii=False).encode(), headers)


def ntfy(public_id: str, words: NotificationWords, *, token: str | None) -> WebhookPost:
    """The text of an ntfy message, with its title in a header."""
    headers = {"Content-Type": "text/plain; charset=utf-8", "Title": _header(words.title), "Idempotency-Key": public_id}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    return WebhookPost(words.text.encode(), headers)


def _for_slack(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _header(text: str) -> str:
    """A text as a header value: ASCII as it is, anything else encoded by RFC 2047, which ntfy decodes."""
    return text if text.isascii() else f"=?UTF-8?B?{b64encode(text.encode()).decode()}?="


def _stamp(moment: str) -> str:
    return datetime.fromisoformat(moment).isoformat().replace("+00:00", "Z")
