"""What do the settings show, and what is done there?"""

from dataclasses import fields

import pytest

from lamplighter.app import Service, Store
from lamplighter.model.access import Role, Stamp
from lamplighter.operations.access import api_tokens
from lamplighter.operations.hosts import takedowns
from lamplighter.operations.hosts.purge import StoredOfSite
from lamplighter.operations.sources import sources, tags
from lamplighter.settings import Settings, load
from lamplighter.store.access import api_tokens as stored_tokens
from lamplighter.store.access import secrets, users
from lamplighter.web.dashboard.hosts.takedowns import counts
from lamplighter.web.dashboard.page_request import SETTINGS
from lamplighter.web.dashboard.settings.general import GROUPS, shown, without_password
from lamplighter.web.view import ServiceView
from tests.web.asgi_client import Ask
from tests.web.dashboard.audited import actions
from tests.web.forms import BROWSER_FORM, send_form
from tests.web.hostile_text import XSS

PASSWORD = "four plain words together"


@pytest.mark.parametrize("path", [each.path for each in SETTINGS])
async def test_every_page_below_the_settings_of_an_empty_installation_opens(ask: Ask, path: str) -> None:
    reply = await ask(path)

    assert reply.status == 200
    assert f'href="{path}" aria-current="page"' in reply.text


class TestGeneral:
    def test_every_setting_is_shown_once(self) -> None:
        names = [name for group in GROUPS for name in group.names]

        assert sorted(names) == sorted(Settings.model_fields)

    def test_a_setting_says_which_variable_set_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("FETCHER_MAX_REDIRECTS", "3")
        settings = load(port=8099)

        found = [shown(settings, name) for name in ("max_redirects", "port", "max_pages")]

        assert [(each.value, each.origin) for each in found] == [
            ("3", "FETCHER_MAX_REDIRECTS"),
            ("8099", "command line"),
            ("10", None),
        ]

    def test_what_follows_from_other_settings_is_shown_as_it_is(self) -> None:
        settings = load({}, contact_url="https://lamp.example/about")

        assert "(+https://lamp.example/about)" in shown(settings, "user_agent", {}).value
        assert shown(settings, "env", {}).value == "dev"

    @pytest.mark.parametrize("name", ["auth_jwt_secret", "index_key", "encryption_keys", "queue_url", "events_url"])
    def test_what_is_secret_is_not_shown(self, name: str) -> None:
        settings = load({}, **{name: "wick-and-oil-for-a-hundred-lamps"})

        assert shown(settings, name, {}).value == "••• (set, not shown)"

    @pytest.mark.parametrize(
        ("given", "told"),
        [
            ("postgresql+asyncpg://lamp:hunter2@db.example/lamp", "postgresql+asyncpg://lamp:•••@db.example/lamp"),
            ("postgresql://lamp:p@ss@db.example/lamp?password=x", "postgresql://lamp:•••@db.example/lamp?password=•••"),
            ("postgresql://db.example/lamp?user=lamp&password=x", "postgresql://db.example/lamp?user=•••&password=•••"),
            ("s3://lamps/pages?hunter2#hunter2", "s3://lamps/pages?•••"),
            ("sqlite:///lamp.db?key=hunter2", "sqlite:///lamp.db?key=•••"),
            ("postgresql://lamp:hun/t[er2@db.example/lamp", "postgresql://lamp:•••@db.example/lamp"),
            ("postgresql://lamp:hun?ter2@db.example/lamp", "postgresql://lamp:•••"),
            ("postgresql://db.example/lamp?password=hunt@er2", "postgresql://db.example:•••"),
            ("redis://lamp@db.example/0", "redis://lamp@db.example/0"),
            ("https://db.example/lamp", "https://db.example/lamp"),
            ("LampBot (+mailto:lamp@example.org)", "LampBot (+mailto:lamp@example.org)"),
            ("http://[", "http://["),
        ],
    )
    def test_a_password_in_an_address_is_not_shown(self, given: str, told: str) -> None:
        assert without_password(given) == told

    async def test_a_setting_is_found_by_its_meaning(self, ask: Ask) -> None:
        text = (await ask.get("/settings", q="silence response")).text

        assert "read_timeout_seconds" in text
        assert "max_pages" not in text

    async def test_what_nothing_speaks_of_is_said(self, ask: Ask) -> None:
        text = (await ask.get("/settings", q=XSS)).text

        assert "No setting matches" in " ".join(text.split())
        assert "<script>alert" not in text


class TestChanging:
    async def test_a_change_is_shown_with_who_made_it_and_can_be_taken_back(self, ask: Ask, service: Service) -> None:
        done = await send_form(ask, "/settings", BROWSER_FORM, name="keep_runs", value="5")
        shown = (await ask("/settings")).text
        kept = service.storing.pruning.kept.runs
        await send_form(ask, "/settings", BROWSER_FORM, name="keep_runs", value="")

        assert done.status == 303
        assert "changed by local" in shown
        assert kept == 5
        assert service.storing.pruning.kept.runs == 100

    @pytest.mark.parametrize(
        ("name", "value", "words"),
        [
            ("keep_runs", "0", "must be at least 1"),
            ("contact_url", XSS, "is no address of a page"),
            ("min_delay_ms", "5", "which wins; remove it there"),
        ],
    )
    async def test_a_refused_value_says_why_and_changes_nothing(
        self, ask: Ask, view: ServiceView, name: str, value: str, words: str
    ) -> None:
        before = getattr(view.settings, name)

        reply = await send_form(ask, "/settings", BROWSER_FORM, name=name, value=value)

        assert reply.status == 422
        assert words in reply.text
        assert "<script>alert" not in reply.text
        assert getattr(view.settings, name) == before

    async def test_what_was_given_at_the_start_cannot_be_changed_here(self, ask: Ask) -> None:
        text = (await ask("/settings")).text

        assert 'id="value-of-keep_runs"' in text
        assert 'id="value-of-min_delay_ms"' not in text


class TestTakedowns:
    async def test_a_takedown_pauses_the_sources_that_start_there(self, ask: Ask, store: Store) -> None:
        new = sources.NewSource(url="https://a.example.org/jobs")
        await store.db.write(lambda db: sources.add(db, new, stamp=Stamp("test", store.clock.now())))

        reply = await send_form(ask, "/settings/takedowns", BROWSER_FORM, domain_or_url="example.org", reason=XSS)
        text = (await ask("/settings/takedowns")).text

        assert (reply.status, reply.headers["location"]) == (303, "/settings/takedowns")
        assert "example.org" in text
        assert "&#34;&gt;&lt;script&gt;" in text
        assert "takedown.add" in await actions(store)

    async def test_what_is_neither_domain_nor_url_is_said_beside_the_field(self, ask: Ask) -> None:
        reply = await send_form(ask, "/settings/takedowns", BROWSER_FORM, domain_or_url="a/b", reason="kept as typed")

        assert reply.status == 422
        assert 'id="domain_or_url-about" role="alert"' in reply.text
        assert 'value="kept as typed"' in reply.text

    async def test_lifting_is_asked_once_more(self, ask: Ask, store: Store) -> None:
        await send_form(ask, "/settings/takedowns", BROWSER_FORM, domain_or_url="example.org")

        asked = await send_form(ask, "/settings/takedowns/lift", BROWSER_FORM, domain_or_url="example.org")
        before = (await ask("/settings/takedowns")).text
        done = await send_form(
            ask, "/settings/takedowns/lift", BROWSER_FORM, domain_or_url="example.org", confirmed="1"
        )
        after = (await ask("/settings/takedowns")).text

        assert (asked.status, done.status) == (200, 303)
        assert "Lift the takedown of example.org?" in asked.text
        assert "<code>example.org</code>" in before
        assert "<code>example.org</code>" not in after

    @pytest.mark.parametrize("verb", ["lift", "purge"])
    async def test_what_is_not_on_the_list_is_not_found(self, ask: Ask, verb: str) -> None:
        reply = await send_form(ask, f"/settings/takedowns/{verb}", BROWSER_FORM, domain_or_url="nobody.example")

        assert reply.status == 404

    async def test_a_purge_says_what_it_would_remove_and_removes_nothing_yet(self, ask: Ask, store: Store) -> None:
        asked = await send_form(ask, "/settings/takedowns", BROWSER_FORM, domain_or_url="example.org", purge="1")

        begins = "Take down example.org, never fetch it again, and delete its stored data"
        assert f"{begins}: nothing?" in asked.text
        async with store.db.read() as db:
            assert (await takedowns.listed(db, search=None, limit=5, offset=0))[1] == 0

    async def test_to_forget_what_is_taken_down_already_says_that_it_stays_so(self, ask: Ask) -> None:
        await send_form(ask, "/settings/takedowns", BROWSER_FORM, domain_or_url="example.org")

        asked = await send_form(ask, "/settings/takedowns/purge", BROWSER_FORM, domain_or_url="example.org")

        assert "Delete the stored data of example.org, which stays listed: nothing?" in asked.text

    def test_all_that_can_be_stored_of_a_site_has_a_word(self) -> None:
        everything = StoredOfSite(**{field.name: 2 for field in fields(StoredOfSite)})

        told = counts(everything)

        assert told == "2 pages, 2 stored bodies, 2 records, 2 changes, 2 log lines"

    async def test_a_confirmed_purge_is_done_with_the_takedown(self, ask: Ask, store: Store) -> None:
        fields = {"domain_or_url": "example.org", "purge": "1", "confirmed": "1"}

        reply = await send_form(ask, "/settings/takedowns", BROWSER_FORM, **fields)

        assert reply.status == 303
        assert {"takedown.add", "takedown.purge"} <= set(await actions(store))


class TestTags:
    async def test_what_a_tag_says_is_kept_and_shown(self, ask: Ask) -> None:
        fields = {"tag": "news", "policy": "fixed", "interval_minutes": "90", "windows": "mon-fri 09:00-17:00"}

        reply = await send_form(ask, "/settings/tags/edit", BROWSER_FORM, **fields)
        listed = (await ask("/settings/tags")).text
        form = (await ask.get("/settings/tags/edit", tag="news")).text

        assert reply.status == 303
        assert "90 min" in listed
        assert 'value="90"' in form
        assert "mon-fri 09:00-17:00" in form

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("tag", "a,b"),
            ("interval_minutes", "soon"),
            ("min_interval_minutes", "0.1"),
            ("windows", "whenever"),
            ("max_pages", "0"),
            ("policy", "by moonlight"),
        ],
    )
    async def test_what_cannot_be_used_is_said_beside_its_field(self, ask: Ask, field: str, value: str) -> None:
        fields = {"tag": "news", "is_new": "1", "max_interval_minutes": "777", field: value}

        reply = await send_form(ask, "/settings/tags/edit", BROWSER_FORM, **fields)

        assert reply.status == 422
        assert f'id="{field}-about" role="alert"' in reply.text
        assert 'value="777"' in reply.text

    async def test_a_renamed_tag_is_on_the_same_sources(self, ask: Ask, store: Store) -> None:
        new = sources.NewSource(url="https://a.example/", tags=("newz",))
        await store.db.write(lambda db: sources.add(db, new, stamp=Stamp("test", store.clock.now())))

        asked = await send_form(ask, "/settings/tags/rename", BROWSER_FORM, tag="newz", to="news")
        done = await send_form(ask, "/settings/tags/rename", BROWSER_FORM, tag="newz", to="news", confirmed="1")

        assert (asked.status, done.status) == (200, 303)
        async with store.db.read() as db:
            assert (await tags.get(db, "news")).source_count == 1

    async def test_a_name_that_no_tag_can_have_is_said_beside_it(self, ask: Ask) -> None:
        await send_form(ask, "/settings/tags/edit", BROWSER_FORM, tag="news", policy="fixed")

        reply = await send_form(ask, "/settings/tags/rename", BROWSER_FORM, tag="news", to="a;b")

        assert reply.status == 422
        assert 'id="to-about" role="alert"' in reply.text

    async def test_deleting_is_asked_once_more(self, ask: Ask, store: Store) -> None:
        await send_form(ask, "/settings/tags/edit", BROWSER_FORM, tag="news", policy="fixed")

        asked = await send_form(ask, "/settings/tags/delete", BROWSER_FORM, tag="news")
        done = await send_form(ask, "/settings/tags/delete", BROWSER_FORM, tag="news", confirmed="1")

        assert (asked.status, done.status) == (200, 303)
        async with store.db.read() as db:
            assert (await tags.page(db, limit=5, offset=0))[1] == 0

    @pytest.mark.parametrize("verb", ["rename", "delete"])
    async def test_a_tag_that_nobody_carries_is_not_found(self, ask: Ask, verb: str) -> None:
        assert (await send_form(ask, f"/settings/tags/{verb}", BROWSER_FORM, tag="nobody", to="a")).status == 404
        assert (await ask.get("/settings/tags/edit", tag="nobody")).status == 404


class TestSecrets:
    async def test_a_secret_is_kept_and_never_shown(self, ask: Ask, view: ServiceView) -> None:
        reply = await send_form(
            ask, "/settings/secrets", BROWSER_FORM, name="ReliefWeb", value="v4lu3", hosts="api.example.org"
        )
        text = (await ask("/settings/secrets")).text

        assert reply.status == 303
        assert "reliefweb" in text
        assert "v4lu3" not in text
        assert "api.example.org" in text
        assert view.secrets.book.value_at("api.example.org", "reliefweb") == "v4lu3"

    async def test_the_hosts_of_a_secret_change_without_its_value(self, ask: Ask, view: ServiceView) -> None:
        await send_form(ask, "/settings/secrets", BROWSER_FORM, name="key", value="v4lu3", hosts="a.example")
        form = (await ask.get("/settings/secrets", name="key")).text

        reply = await send_form(
            ask, "/settings/secrets", BROWSER_FORM, name="key", value="", hosts="b.example, c.example"
        )
        unknown = await send_form(ask, "/settings/secrets", BROWSER_FORM, name="new", value="", hosts="b.example")
        nowhere = await send_form(ask, "/settings/secrets", BROWSER_FORM, name="key", value="", hosts="")

        assert 'value="a.example"' in form
        assert reply.status == 303
        assert view.secrets.book.value_at("c.example", "key") == "v4lu3"
        assert (unknown.status, nowhere.status) == (422, 422)
        assert "set its value first" in unknown.text

    @pytest.mark.parametrize(("name", "value"), [("1st", "v4lu3"), ("key", "v4lu3\u00e9")])
    async def test_a_value_that_was_refused_is_not_shown_either(self, ask: Ask, name: str, value: str) -> None:
        reply = await send_form(ask, "/settings/secrets", BROWSER_FORM, name=name, value=value, hosts="a.example")

        assert reply.status == 422
        assert 'role="alert"' in reply.text
        assert "v4lu3" not in reply.text

    async def test_forgetting_is_asked_once_more(self, ask: Ask, store: Store) -> None:
        await send_form(ask, "/settings/secrets", BROWSER_FORM, name="key", value="v4lu3", hosts="a.example")

        asked = await send_form(ask, "/settings/secrets/remove", BROWSER_FORM, name="key")
        done = await send_form(ask, "/settings/secrets/remove", BROWSER_FORM, name="key", confirmed="1")

        assert (asked.status, done.status) == (200, 303)
        async with store.db.read() as db:
            assert await secrets.count(db) == 0
        assert (await send_form(ask, "/settings/secrets/remove", BROWSER_FORM, name="key")).status == 404


class TestUsers:
    async def test_somebody_is_let_in_and_their_password_shown_to_nobody(self, ask: Ask, store: Store) -> None:
        reply = await send_form(ask, "/settings/users", BROWSER_FORM, name="Anna", role="admin", password=PASSWORD)
        text = (await ask("/settings/users")).text

        assert reply.status == 303
        assert "anna" in text
        assert PASSWORD not in text
        assert "user.add" in await actions(store)

    @pytest.mark.parametrize(
        ("fault", "values"),
        [
            ("name", {"name": "a b"}),
            ("role", {"role": "king"}),
            ("password", {"password": "short"}),
            ("name", {"name": "ANNA"}),
        ],
    )
    async def test_what_cannot_be_used_is_said_beside_its_field(
        self, ask: Ask, fault: str, values: dict[str, str]
    ) -> None:
        good = {"name": "ben", "role": "operator", "password": PASSWORD}
        await send_form(ask, "/settings/users", BROWSER_FORM, **good | {"name": "anna"})

        reply = await send_form(ask, "/settings/users", BROWSER_FORM, **good | values)

        assert reply.status == 422
        assert f'id="{fault}-about" role="alert"' in reply.text
        assert PASSWORD not in reply.text

    async def test_a_role_and_a_password_are_changed_and_sessions_ended(self, ask: Ask, store: Store) -> None:
        for name in ("anna", "ben"):
            await send_form(ask, "/settings/users", BROWSER_FORM, name=name, role="admin", password=PASSWORD)
        async with store.db.read() as db:
            before = await users.get(db, "ben")

        replies = [
            await send_form(ask, "/settings/users/ben/role", BROWSER_FORM, role="viewer"),
            await send_form(ask, "/settings/users/ben/password", BROWSER_FORM, password="another few words here"),
            await send_form(ask, "/settings/users/ben/log-out", BROWSER_FORM),
            await send_form(ask, "/settings/users/ben/disable", BROWSER_FORM, confirmed="1"),
            await send_form(ask, "/settings/users/ben/enable", BROWSER_FORM),
        ]

        async with store.db.read() as db:
            ben = await users.get(db, "ben")
        assert [reply.status for reply in replies] == [303] * 5
        assert before is not None
        assert ben is not None
        assert (ben.role, ben.enabled, ben.session_epoch) == (Role.VIEWER, True, before.session_epoch + 3)

    async def test_the_last_admin_stays(self, ask: Ask) -> None:
        await send_form(ask, "/settings/users", BROWSER_FORM, name="anna", role="admin", password=PASSWORD)

        refused = await send_form(ask, "/settings/users/anna/role", BROWSER_FORM, role="viewer")

        assert refused.status == 409
        assert "last admin" in refused.text

    async def test_removing_is_asked_once_more(self, ask: Ask, store: Store) -> None:
        await send_form(ask, "/settings/users", BROWSER_FORM, name="ben", role="viewer", password=PASSWORD)

        asked = await send_form(ask, "/settings/users/ben/remove", BROWSER_FORM)
        done = await send_form(ask, "/settings/users/ben/remove", BROWSER_FORM, confirmed="1")

        assert (asked.status, done.status) == (200, 303)
        async with store.db.read() as db:
            assert await users.get(db, "ben") is None

    async def test_a_password_that_is_too_short_is_said_beside_it(self, ask: Ask) -> None:
        await send_form(ask, "/settings/users", BROWSER_FORM, name="ben", role="viewer", password=PASSWORD)

        reply = await send_form(ask, "/settings/users/ben/password", BROWSER_FORM, password="short")

        assert reply.status == 422
        assert 'id="password-about" role="alert"' in reply.text

    @pytest.mark.parametrize("verb", ["role", "password", "enable", "disable", "log-out", "remove"])
    async def test_nobody_is_not_found(self, ask: Ask, verb: str) -> None:
        fields = {"role": "viewer", "password": PASSWORD}

        assert (await send_form(ask, f"/settings/users/nobody/{verb}", BROWSER_FORM, **fields)).status == 404


class TestTokens:
    async def test_a_token_is_shown_once_and_works(self, ask: Ask) -> None:
        made = await send_form(ask, "/settings/tokens", BROWSER_FORM, name="ci", role="viewer", days="7")
        token = made.text.partition('id="token" value="')[2].partition('"')[0]
        again = (await ask("/settings/tokens")).text
        me = await ask("/api/v1/me", authorization=f"Bearer {token}")

        assert made.headers["cache-control"] == "no-store"
        assert token not in again
        assert me.json == {"name": "token:ci", "role": "viewer"}

    @pytest.mark.parametrize(
        ("field", "value"), [("name", " "), ("role", "king"), ("days", "soon"), ("days", "0"), ("days", "9999")]
    )
    async def test_what_cannot_be_used_is_said_beside_its_field(self, ask: Ask, field: str, value: str) -> None:
        reply = await send_form(
            ask, "/settings/tokens", BROWSER_FORM, **{"name": XSS, "role": "viewer", "days": "7", field: value}
        )

        assert reply.status == 422
        assert f'id="{field}-about" role="alert"' in reply.text
        assert "<script>alert" not in reply.text

    async def test_a_token_without_days_is_good_for_ever(self, ask: Ask, store: Store) -> None:
        await send_form(ask, "/settings/tokens", BROWSER_FORM, name="ci", role="viewer", days="")

        async with store.db.read() as db:
            (token,) = await stored_tokens.listed(db, limit=5, offset=0)
        assert token.expires_at is None

    async def test_revoking_is_asked_once_more(self, ask: Ask, store: Store) -> None:
        now = store.clock.now()
        new = api_tokens.make("ci", role=Role.VIEWER, stamp=Stamp("test", now))
        await store.db.write(lambda db: api_tokens.add(db, new))
        path = f"/settings/tokens/{new.token.public_id}/revoke"

        asked, done = await send_form(ask, path, BROWSER_FORM), await send_form(ask, path, BROWSER_FORM, confirmed="1")

        assert (asked.status, done.status) == (200, 303)
        assert "revoked" in (await ask("/settings/tokens")).text

    @pytest.mark.parametrize("token_id", ["1", "7f0c2b0e-6f53-4a37-9a57-0f4f7a1f6f11"])
    async def test_a_token_that_is_not_there_is_not_found(self, ask: Ask, token_id: str) -> None:
        assert (await send_form(ask, f"/settings/tokens/{token_id}/revoke", BROWSER_FORM)).status == 404
