"""Who is told of what, as it is shown and set up in the dashboard."""

from collections.abc import AsyncIterator
from typing import Any

import jwt
import pytest

from lamplighter.app import Service, Store
from lamplighter.model.access import Stamp
from lamplighter.model.notification import Channel
from lamplighter.operations.alerts import notification_channels, notification_rules
from lamplighter.operations.alerts.notification_channels import ChannelSettings
from lamplighter.operations.alerts.notification_rules import RuleSettings, RuleView
from lamplighter.operations.sources import sources
from lamplighter.settings import Settings, load
from lamplighter.store.engine.database import Connection
from tests.origin import Origin, busy
from tests.store.records.given_records import posting
from tests.web.access.clients import SECRET, claims
from tests.web.api.given_records import stored
from tests.web.asgi_client import Ask
from tests.web.dashboard.audited import actions
from tests.web.forms import BROWSER_FORM, send_form
from tests.web.hostile_text import XSS

BASE = "/settings/notifications"
CANARY = "c4n4ry-in-the-lamp"
RULE = {"kind": "run.failed", "scope": "all", "threshold": "1", "enabled": "1"}


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """May tell receivers on this machine."""
    return settings.model_copy(update={"allow_hosts": "127.0.0.0/8"})


@pytest.fixture
async def receiver() -> AsyncIterator[Origin]:
    """Takes what is sent to /hook, and fails at everything else."""
    async with Origin() as opened:
        opened.route("/hook", status=200)
        yield opened


@pytest.fixture
async def channel(service: Service, receiver: Origin) -> Channel:
    """A webhook that works."""
    return await _channel(service, f"{receiver.url}/hook")


async def _channel(service: Service, target: str, **more: Any) -> Channel:
    submitted = ChannelSettings(**{"name": "Ops room", "kind": "webhook", "target": target, "secret": CANARY} | more)
    now = service.clock.now()
    return await service.db.write(
        lambda db: notification_channels.add(
            db, submitted, messenger=service.notifying.messenger, stamp=Stamp("test", now)
        )
    )


async def _rule(service: Service, channel: Channel, **more: Any) -> RuleView:
    submitted = RuleSettings(**{"channel": channel.public_id, "kind": "run.failed"} | more)
    return await service.db.write(
        lambda db: notification_rules.add(db, submitted, stamp=Stamp("test", service.clock.now()))
    )


async def _source(service: Service, url: str = "https://a.example/jobs", **more: Any) -> str:
    new = sources.NewSource(url=url, **more)

    async def step(db: Connection) -> str:
        await sources.create(db, new, source_defaults=service.source_defaults, stamp=Stamp("test", service.clock.now()))
        return str((await sources.find_by_url(db, url)).public_id)

    return await service.db.write(step)


async def _rules(store: Store) -> list[RuleView]:
    async with store.db.read() as db:
        return await notification_rules.listed(db)


def _typed(target: str, **more: str) -> dict[str, str]:
    return {"name": "Ops room", "kind": "webhook", "target": target, "max_tries": "8"} | more


class TestChannels:
    async def test_one_is_added_and_its_secrets_never_come_out(self, ask: Ask, store: Store, receiver: Origin) -> None:
        added = await send_form(
            ask, f"{BASE}/channels", BROWSER_FORM, **_typed(f"{receiver.url}/{CANARY}", secret=CANARY)
        )
        page = added.headers["location"]

        texts = [(await ask(path)).text for path in (BASE, page, f"{BASE}/log", "/audit")]

        assert added.status == 303
        assert "Ops room" in texts[0]
        assert receiver.url in texts[1]
        assert "Set; leave empty to keep it" in texts[1]
        assert not [text for text in texts if CANARY in text]
        assert await actions(store) == ["notification_channel.add"]

    @pytest.mark.parametrize(
        ("typed", "told"),
        [
            pytest.param({"name": ""}, "the name of a channel has 1 to 100 characters", id="no name"),
            pytest.param({"kind": "pigeon"}, "is not a kind of channel", id="a kind that there is not"),
            pytest.param({"target": "ftp://a.example"}, "target-about", id="not a URL to send to"),
            pytest.param({"max_tries": "many"}, "&#39;many&#39; is not a whole number", id="tries that are no number"),
            pytest.param(
                {"body_template": "{{ nobody }}"}, "there is no {{ nobody }}", id="a template with a bad name"
            ),
            pytest.param({"body_template": "a\r\nb\x00"}, "line 2, column 2: the character U+0000", id="half a text"),
        ],
    )
    async def test_what_cannot_be_used_is_said_beside_its_field(
        self, ask: Ask, receiver: Origin, typed: dict[str, str], told: str
    ) -> None:
        reply = await send_form(
            ask, f"{BASE}/channels", BROWSER_FORM, **_typed(f"{receiver.url}/hook", secret=CANARY) | typed
        )

        assert reply.status == 422
        assert told in reply.text
        assert 'aria-invalid="true"' in reply.text
        assert "Type it again" in reply.text
        assert CANARY not in reply.text

    async def test_a_name_is_text_wherever_it_stands(self, ask: Ask, service: Service, receiver: Origin) -> None:
        channel = await _channel(service, f"{receiver.url}/hook", name=XSS)
        await _rule(service, channel, tag=XSS)

        texts = [(await ask(path)).text for path in (BASE, f"{BASE}/channels/{channel.public_id}", f"{BASE}/log")]

        assert not [text for text in texts if "<script>alert" in text]
        assert "&lt;script&gt;alert(1)" in texts[0]

    async def test_changing_one_leaves_the_target_and_the_secret_that_are_not_typed(
        self, ask: Ask, service: Service, receiver: Origin, channel: Channel
    ) -> None:
        path = f"{BASE}/channels/{channel.public_id}"

        await send_form(ask, path, BROWSER_FORM, name="Night shift", max_tries="3", title_template="{{ source }}!")
        await send_form(ask, f"{path}/test", BROWSER_FORM)
        async with service.db.read() as db:
            changed = await notification_channels.get(db, channel.public_id)

        assert (changed.name, changed.max_tries, changed.title_template) == ("Night shift", 3, "{{ source }}!")
        assert changed.has_secret
        assert len(receiver.hits("/hook")) == 1

    async def test_a_new_target_is_not_given_the_secret_of_the_old(
        self, ask: Ask, service: Service, receiver: Origin, channel: Channel
    ) -> None:
        path, elsewhere = f"{BASE}/channels/{channel.public_id}", _typed(f"{receiver.url}/elsewhere")

        refused = await send_form(ask, path, BROWSER_FORM, **elsewhere)
        taken = [
            await send_form(ask, path, BROWSER_FORM, **elsewhere | more)
            for more in ({"secret": "new"}, {"forget_secret": "1"})
        ]

        assert refused.status == 422
        assert "the secret is not reused for another target" in refused.text
        assert [reply.status for reply in taken] == [303, 303]

    async def test_a_secret_can_be_taken_away(self, ask: Ask, service: Service, channel: Channel) -> None:
        path = f"{BASE}/channels/{channel.public_id}"

        await send_form(ask, path, BROWSER_FORM, name="Ops room", max_tries="3", forget_secret="1")

        assert "Not set" in (await ask(path)).text

    async def test_switching_off_and_deleting_ask_first(self, ask: Ask, service: Service, channel: Channel) -> None:
        path = f"{BASE}/channels/{channel.public_id}"
        await _rule(service, channel)

        asked = [await send_form(ask, f"{path}/{verb}", BROWSER_FORM) for verb in ("disable", "remove")]
        await send_form(ask, f"{path}/disable", BROWSER_FORM, confirmed="1")
        off = (await ask(path)).text
        await send_form(ask, f"{path}/enable", BROWSER_FORM)
        on = (await ask(path)).text
        await send_form(ask, f"{path}/remove", BROWSER_FORM, confirmed="1")

        assert "Its waiting notifications are cancelled." in asked[0].text
        assert "with its 1 rule and its log" in asked[1].text
        assert "Enable" in off
        assert "Disable…" in on
        assert (await ask(path)).status == 404
        assert "No notifications are sent yet" in (await ask(BASE)).text

    @pytest.mark.parametrize(
        ("end", "said"), [("/hook", "sent%3A%20HTTP%20200%20in"), ("/no", "failed%3A%20HTTP%20404")]
    )
    async def test_a_test_says_what_came_of_it(
        self, ask: Ask, service: Service, receiver: Origin, end: str, said: str
    ) -> None:
        channel = await _channel(service, receiver.url + end)

        reply = await send_form(ask, f"{BASE}/channels/{channel.public_id}/test", BROWSER_FORM)
        shown = (await ask(BASE)).text

        assert said in reply.headers["set-cookie"]
        assert [hit.method for hit in receiver.log] == ["POST"]
        assert ("last sent" if end == "/hook" else "no delivery yet: HTTP 404") in shown

    async def test_one_whose_receiver_asked_for_a_pause_says_until_when(
        self, ask: Ask, service: Service, receiver: Origin
    ) -> None:
        receiver.route("/busy", busy(retry_after="600"))
        channel = await _channel(service, f"{receiver.url}/busy")

        await send_form(ask, f"{BASE}/channels/{channel.public_id}/test", BROWSER_FORM)

        assert "rate limited by the receiver; next delivery" in (await ask(BASE)).text


class TestPreview:
    async def test_a_script_gets_what_the_templates_come_to(self, ask: Ask) -> None:
        typed = {"preview_kind": "run.failed", "title_template": f"{XSS} {{{{ source }}}}", "body_template": ""}

        reply = await send_form(
            ask.with_headers(hx_request="true", hx_target="preview"), f"{BASE}/preview", BROWSER_FORM, **typed
        )

        assert reply.status == 200
        assert reply.text.lstrip().startswith("<section")
        assert "&lt;script&gt;alert(1)&lt;/script&gt; Example jobs" in reply.text

    async def test_a_template_that_cannot_be_used_says_where(self, ask: Ask) -> None:
        scripted = ask.with_headers(hx_request="true", hx_target="preview")

        reply = await send_form(
            scripted, f"{BASE}/preview", BROWSER_FORM, preview_kind="no such kind", title_template="{{ nobody }}"
        )

        assert reply.status == 422
        assert "line 1, column 1: there is no {{ nobody }}" in reply.text

    async def test_without_scripts_the_form_comes_back_with_what_was_typed(self, ask: Ask, channel: Channel) -> None:
        typed = {"channel": channel.public_id, "name": "Half a na", "body_template": "Look at {{ source }}"}

        reply = await send_form(
            ask, f"{BASE}/preview", BROWSER_FORM, **typed, preview_kind="records.new", secret=CANARY
        )

        assert reply.status == 200
        assert 'value="Half a na"' in reply.text
        assert "<pre>Look at Example jobs</pre>" in reply.text
        assert CANARY not in reply.text

    async def test_a_preview_of_a_new_channel_keeps_the_target_that_was_typed(self, ask: Ask) -> None:
        typed = {"name": "Ops", "kind": "slack", "target": "https://hooks.example.org/T0/abc", "max_per_minute": "7"}

        reply = await send_form(ask, f"{BASE}/preview", BROWSER_FORM, **typed, preview_kind="run.failed")

        assert 'value="https://hooks.example.org/T0/abc"' in reply.text
        assert 'value="7"' in reply.text

    async def test_a_preview_of_a_rule_shows_records_of_this_installation_and_keeps_the_form(
        self, ask: Ask, store: Store, channel: Channel
    ) -> None:
        await stored(store, [posting(1, title="Water engineer"), posting(2, title="Writer")])
        typed = {"channel": channel.public_id, "kind": "records.new", "scope": "all", "words": "water, well"}
        typed |= {"threshold": "1", "digest_minutes": "25", "with_baseline": "1"}

        reply = await send_form(ask, f"{BASE}/rules/preview", BROWSER_FORM, **typed)
        nothing = await send_form(ask, f"{BASE}/rules/preview", BROWSER_FORM, **typed | {"words": "baker"})

        assert "1 new record" in reply.text
        assert "Water engineer" in reply.text
        assert "With the latest records of this installation" in reply.text
        assert all(f'value="{word}"' in reply.text for word in ("water, well", "25"))
        assert 'name="with_baseline" value="1" checked' in reply.text
        assert "An example: nothing here matches yet" in nothing.text


class TestRules:
    async def test_one_is_added_for_all_for_a_tag_and_for_a_source(
        self, ask: Ask, service: Service, store: Store, channel: Channel
    ) -> None:
        source = await _source(service)
        to = {"channel": channel.public_id}

        replies = [
            await send_form(ask, f"{BASE}/rules", BROWSER_FORM, **RULE | to | {"threshold": "3"}),
            await send_form(
                ask,
                f"{BASE}/rules",
                BROWSER_FORM,
                **RULE | to | {"scope": "tag", "tag": "harbour", "digest_minutes": "30"},
            ),
            await send_form(
                ask,
                f"{BASE}/rules",
                BROWSER_FORM,
                **RULE | to | {"scope": "source", "source": "https://a.example/jobs"},
            ),
        ]
        shown = (await ask(BASE)).text

        assert {reply.status for reply in replies} == {303}
        found = {(view.rule.tag, view.source_public_id): view.rule for view in await _rules(store)}
        assert found.keys() == {(None, None), ("harbour", None), (None, source)}
        assert (found[None, None].threshold, found["harbour", None].digest_minutes) == (3, 30)
        assert "after 3 in a row" in shown
        assert "as a digest, 30 min after the first" in shown

    @pytest.mark.parametrize(
        ("typed", "told"),
        [
            ({"scope": "tag"}, "enter the tag, or choose all sources"),
            ({"scope": "tag", "tag": "a\x00b"}, "up to 100 printable characters"),
            ({"channel": "a\x00b"}, "channel-about"),
            ({"scope": "source", "source": XSS}, "no source has the URL or the id"),
            ({"threshold": "0"}, "threshold-about"),
            ({"kind": "alert.fired", "threshold": "2"}, "alert.fired has no threshold"),
            ({"digest_minutes": "soon"}, "&#39;soon&#39; is not a whole number"),
            ({"channel": "nobody"}, "channel-about"),
        ],
    )
    async def test_what_cannot_be_used_is_said_beside_its_field(
        self, ask: Ask, channel: Channel, typed: dict[str, str], told: str
    ) -> None:
        reply = await send_form(ask, f"{BASE}/rules", BROWSER_FORM, **RULE | {"channel": channel.public_id} | typed)

        assert reply.status == 422
        assert told in reply.text
        assert 'aria-invalid="true"' in reply.text
        assert "<script>alert" not in reply.text

    @pytest.mark.parametrize(
        ("kind", "fields"),
        [
            ("run.failed", {"threshold"}),
            ("records.new", {"words", "with_baseline"}),
            ("records.changed", {"words", "field", "with_baseline"}),
            ("price.fell", {"words", "price_below", "with_baseline"}),
            ("alert.fired", set()),
        ],
    )
    async def test_only_the_fields_of_its_event_are_shown(
        self, ask: Ask, service: Service, channel: Channel, kind: str, fields: set[str]
    ) -> None:
        await _source(service)
        typed = {"channel": channel.public_id, "kind": kind, "scope": "tag", "tag": "harbour", "enabled": "1"}

        text = (await send_form(ask, f"{BASE}/rules/fields", BROWSER_FORM, **typed)).text

        asked = {"threshold", "words", "field", "price_below", "with_baseline"}
        assert {name for name in asked if f'name="{name}"' in text} == fields
        assert 'value="harbour"' in text
        assert f'<option value="{kind}" selected>' in text
        assert '<option value="https://a.example/jobs">' in text
        assert await _rules(Store(db=service.db, clock=service.clock)) == []

    async def test_one_is_changed_switched_and_deleted(
        self, ask: Ask, service: Service, store: Store, channel: Channel
    ) -> None:
        path = f"{BASE}/rules/{(await _rule(service, channel)).rule.public_id}"
        filled = (await ask(path)).text

        await send_form(ask, path, BROWSER_FORM, **RULE | {"channel": channel.public_id, "kind": "source.drifted"})
        await send_form(ask, f"{path}/switch", BROWSER_FORM, enabled="0")
        (changed,) = await _rules(store)
        asked = await send_form(ask, f"{path}/remove", BROWSER_FORM)
        await send_form(ask, f"{path}/remove", BROWSER_FORM, confirmed="1")

        assert '<option value="run.failed" selected>' in filled
        assert (changed.rule.kind, changed.rule.enabled) == ("source.drifted", False)
        assert "to Ops room?" in asked.text
        assert await _rules(store) == []

    async def test_the_page_of_a_source_says_who_is_told_and_where_one_more_is_added(
        self, ask: Ask, service: Service, channel: Channel
    ) -> None:
        source = await _source(service, tags=("harbour",))
        another = await _source(service, "https://b.example/jobs")
        await _rule(service, channel, kind="run.failed", tag="harbour")
        await _rule(service, channel, kind="source.drifted", source=another)
        await _rule(service, channel, kind="records.new", enabled=False)

        shown = (await ask(f"/sources/{source}")).text.partition('told-title">Notifications')[2]
        form = (await ask(f"{BASE}/rules/new", query={"source": source, "back": f"/sources/{source}"})).text

        assert "Run failed" in shown
        assert "rule for the tag harbour" in shown
        assert "rule for all sources; disabled" in shown
        assert "Extractor may be broken" not in shown
        assert f"{BASE}/rules/new?source={source}" in shown
        assert f'value="{source}"' in form
        assert '<option value="source" selected>' in form

    @pytest.mark.parametrize(
        ("back", "leads"),
        [
            pytest.param("javascript:alert(document.domain)", "/", id="a script"),
            pytest.param("https://evil.example/", "/", id="another site"),
            pytest.param("//evil.example", "/", id="another site under our scheme"),
            pytest.param("/sources/1", "/sources/1", id="a page of ours"),
            pytest.param("", BASE, id="nothing"),
        ],
    )
    async def test_whoever_cancels_comes_to_a_page_of_ours(
        self, ask: Ask, service: Service, channel: Channel, back: str, leads: str
    ) -> None:
        rule = (await _rule(service, channel)).rule.public_id

        pages = [
            await ask(f"{BASE}/rules/new", query={"back": back}),
            await send_form(ask, f"{BASE}/rules", BROWSER_FORM, back=back, **RULE),
            await send_form(ask, f"{BASE}/rules/{rule}", BROWSER_FORM, back=back, **RULE),
        ]

        assert [page.status for page in pages] == [200, 422, 422]
        assert all(f'href="{leads}">Cancel</a>' in page.text for page in pages)


class TestLog:
    async def test_what_was_given_up_is_found_and_tried_again(
        self, ask: Ask, service: Service, receiver: Origin, channel: Channel
    ) -> None:
        bad = await _channel(service, f"{receiver.url}/no", name="Broken")
        for each in (channel, bad):
            await send_form(ask, f"{BASE}/channels/{each.public_id}/test", BROWSER_FORM)

        dead = (await ask(f"{BASE}/log", query={"state": "dead"})).text
        sent = (await ask(f"{BASE}/log", query={"state": "sent", "channel": channel.public_id})).text
        odd = await ask(f"{BASE}/log", query={"state": XSS, "channel": "x", "kind": "y", "offset": "z"})
        asked = await send_form(ask, f"{BASE}/log/retry", BROWSER_FORM, channel=bad.public_id)
        done = await send_form(ask, f"{BASE}/log/retry", BROWSER_FORM, channel=bad.public_id, confirmed="1")

        assert "not delivered after 1 try: HTTP 404" in dead
        assert ">Ops room</a>" not in dead
        assert ">Broken</a>" not in sent
        assert odd.status == 200
        assert "of Broken?" in asked.text
        assert "1%20notification%20will%20be%20retried" in done.headers["set-cookie"]
        assert "about to be sent" in (await ask(f"{BASE}/log", query={"state": "pending"})).text

    async def test_only_what_was_given_up_can_be_tried_again(
        self, ask: Ask, service: Service, channel: Channel
    ) -> None:
        await send_form(ask, f"{BASE}/channels/{channel.public_id}/test", BROWSER_FORM)
        log = (await ask(f"{BASE}/log")).text
        public_id = log.partition("id <code>")[2][:36]

        reply = await send_form(ask, f"{BASE}/log/{public_id}/retry", BROWSER_FORM)

        assert reply.status == 409
        assert "Retry" not in log


class TestPeople:
    """Who may do what."""

    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        """The same installation, with a login."""
        return load({}, data_dir=settings.data_dir, allow_hosts=settings.allow_hosts, auth_jwt_secret=SECRET)

    async def test_an_operator_tests_channels_and_makes_rules_but_does_not_say_where_data_goes(
        self, ask: Ask, service: Service, receiver: Origin, channel: Channel
    ) -> None:
        operator, one = _as(ask, "operator"), f"{BASE}/channels/{channel.public_id}"

        pages = [(await operator(path)).text for path in (BASE, one)]
        refused = [await operator(f"{BASE}/channels/new")]
        refused.append(
            await send_form(operator, f"{BASE}/channels", BROWSER_FORM, **_typed(f"{receiver.url}/mine", name="Mine"))
        )
        refused.append(await send_form(operator, one, BROWSER_FORM, **_typed(f"{receiver.url}/mine", secret="new")))
        refused += [
            await send_form(operator, f"{one}/{verb}", BROWSER_FORM, confirmed="1")
            for verb in ("enable", "disable", "remove")
        ]
        allowed = [
            await send_form(operator, f"{one}/test", BROWSER_FORM),
            await send_form(operator, f"{BASE}/rules", BROWSER_FORM, **RULE | {"channel": channel.public_id}),
        ]

        assert [reply.status for reply in refused] == [403] * 6
        assert [reply.status for reply in allowed] == [303, 303]
        assert f'action="{one}/test"' in pages[1]
        assert not [text for text in pages if "Add a channel" in text or f'action="{one}"' in text]
        assert not [verb for verb in ("enable", "disable", "remove") if f'action="{one}/{verb}"' in pages[1]]

    async def test_a_viewer_sees_who_is_told_and_can_change_nothing(
        self, ask: Ask, service: Service, channel: Channel
    ) -> None:
        rule = (await _rule(service, channel)).rule.public_id
        viewer = _as(ask, "viewer")
        one = f"{BASE}/channels/{channel.public_id}"

        pages = [await viewer(path) for path in (BASE, one, f"{BASE}/rules/{rule}", f"{BASE}/rules/new", f"{BASE}/log")]
        refused = [await send_form(viewer, f"{one}{end}", BROWSER_FORM) for end in ("", "/test", "/remove")]

        assert {page.status for page in pages} == {200}
        assert "Ops room" in pages[0].text
        assert not [
            page for page in pages if f'action="{BASE}/channels' in page.text or f'action="{BASE}/rules' in page.text
        ]
        assert [reply.status for reply in refused] == [403] * 3


def _as(ask: Ask, role: str) -> Ask:
    token = jwt.encode(claims(role=role), SECRET, algorithm="HS256")
    return ask.with_headers(authorization=f"Bearer {token}")
