"""Sends a notification through its channel: webhook, e-mail, Slack or ntfy."""

from dataclasses import replace
from datetime import datetime
from typing import assert_never

from lamplighter import telemetry
from lamplighter.errors import LamplighterError
from lamplighter.fetch.webhooks import Webhooks
from lamplighter.model.notification import Channel, ChannelKind, DeliveryResult, Notification, SealedChannel
from lamplighter.ports import Letter, Mail, Vault
from lamplighter.rules.alerts import notification_target, notification_wire
from lamplighter.rules.alerts.notification_target import Target
from lamplighter.rules.alerts.notification_text import NotificationWords, Templates, words_of
from lamplighter.rules.alerts.notification_wire import WebhookPost

log = telemetry.logger("notify")
_NO_MAIL = "no e-mail can be sent: LAMPLIGHTER_SMTP_URL names no server"


class Messenger:
    """Sends through any kind of channel, and decrypts targets."""

    def __init__(self, *, webhooks: Webhooks, mail: Mail | None, vault: Vault, public_url: str | None) -> None:
        self.vault = vault
        self._webhooks = webhooks
        self._mail = mail
        self._public_url = public_url

    def refusal_of(self, kind: ChannelKind, target: Target) -> str | None:
        """Why a channel to this target cannot work; None if it may."""
        if kind is not ChannelKind.EMAIL:
            return self._webhooks.refusal_of(target.hostname, target.port)
        return _NO_MAIL if self._mail is None else None

    def words_of(self, channel: Channel, notification: Notification) -> NotificationWords:
        """A notification's text for a channel."""
        templates = Templates(channel.title_template, channel.body_template)
        return words_of(notification.kind, notification.payload, templates=templates, public_url=self._public_url)

    async def tell(self, sealed: SealedChannel, notification: Notification, *, now: datetime) -> DeliveryResult:
        """Tries once and returns the result; never raises."""
        channel = sealed.channel
        try:
            target = notification_target.parse(channel.kind, self.vault.decrypt(sealed.target))
            secret = self.vault.decrypt(sealed.secret) if sealed.secret is not None else None
        except (LamplighterError, OSError, ValueError) as error:  # the key is wrong, or its file cannot be read
            return DeliveryResult(is_delivered=False, detail=f"the channel cannot be opened: {error}")
        words = self.words_of(channel, notification)
        if words.complaint is not None:
            log.warning("notification.template_unusable", channel=channel.name, complaint=words.complaint)
        result = await self._send(channel.kind, target, secret, notification, words, now=now)
        return result if words.complaint is None else replace(result, detail=f"{result.detail}; {words.complaint}")

    async def _send(
        self,
        kind: ChannelKind,
        target: Target,
        secret: str | None,
        notification: Notification,
        words: NotificationWords,
        *,
        now: datetime,
    ) -> DeliveryResult:
        public_id = notification.public_id
        match kind:
            case ChannelKind.EMAIL:
                if self._mail is None:
                    return DeliveryResult(is_delivered=False, detail=_NO_MAIL)
                letter = Letter(to=target.address, subject=words.title, text=words.text, id=public_id, at=now)
                return await self._mail.send(letter)
            case ChannelKind.WEBHOOK:
                post = notification_wire.webhook(public_id, notification.kind, notification.payload, words)
                return await self._post(target, notification_wire.signed(post, secret, now=now) if secret else post)
            case ChannelKind.SLACK:
                return await self._post(target, notification_wire.slack(public_id, words))
            case ChannelKind.NTFY:
                return await self._post(target, notification_wire.ntfy(public_id, words, token=secret))
        assert_never(kind)

    async def _post(self, target: Target, post: WebhookPost) -> DeliveryResult:
        return await self._webhooks.post(target.address, post.body, headers=post.headers)
