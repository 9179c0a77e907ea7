"""A visitor's request for a page: its caller, its time, and its response with the menu.

Everything works without scripts: a form is answered by a redirect, and its message is shown on the next page. Scripts
request the same paths (htmx sets a header), get only the changed part, and show the message as a toast.
"""

import json
import re
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Any, NamedTuple, TypeVar
from urllib.parse import quote, unquote

from fastapi import Depends, Request, Response
from fastapi.responses import RedirectResponse

from lamplighter.model.access import Caller, Role, Stamp
from lamplighter.store.engine.database import Connection
from lamplighter.store.records import change_sets
from lamplighter.web.access.forgery import FIELD, csrf_token
from lamplighter.web.dashboard.forms import SubmittedForm, form_of
from lamplighter.web.paths import local_path, parts_of
from lamplighter.web.rendering import page, theme_of
from lamplighter.web.view import ServiceView

T = TypeVar("T")

#: the cookie that carries a message to the next page
_SAID = "lamplighter_said"
_SAID_SECONDS = 30
#: the most characters of a message in the cookie, percent-encoded
_LONGEST_SAID = 3000
#: the form's own fields, which a confirmation does not repeat
_QUESTION = "asked"
_OWN_FIELDS = (FIELD, _QUESTION, "confirmed")


class SubEntry(NamedTuple):
    """A page below a menu entry."""

    name: str
    path: str
    #: the lowest role that sees it
    role: str = "viewer"


class MenuEntry(NamedTuple):
    """A menu entry."""

    name: str
    path: str
    #: the pages below it, itself first; () when it has none
    below: tuple[SubEntry, ...] = ()
    #: further path prefixes that belong to it
    also: tuple[str, ...] = ()
    #: whether a group of entries begins with it
    begins: bool = False


SETTINGS = (
    SubEntry("General", "/settings"),
    SubEntry("Notifications", "/settings/notifications"),
    SubEntry("Tags", "/settings/tags"),
    SubEntry("Takedowns", "/settings/takedowns"),
    SubEntry("Storage", "/settings/storage"),
    SubEntry("Events", "/events"),
    SubEntry("Audit", "/audit", "operator"),
    SubEntry("Secrets", "/settings/secrets", "admin"),
    SubEntry("Users", "/settings/users", "admin"),
    SubEntry("API tokens", "/settings/tokens", "admin"),
)
_CRAWL = (SubEntry("Now", "/crawl"), SubEntry("Runs", "/runs"), SubEntry("Processes", "/instances"))
_HOSTS = (
    SubEntry("Hosts", "/hosts"),
    SubEntry("Pages", "/pages"),
    SubEntry("Discovered links", "/links"),
    SubEntry("Proxies", "/proxies"),
)
#: what is watched; what the crawler does; what needs somebody; how it is set up
PLACES = (
    MenuEntry("Sources", "/", also=("/sources", "/lamps")),
    MenuEntry("Changes", "/changes"),
    MenuEntry("Records", "/records"),
    MenuEntry("Crawl", "/crawl", _CRAWL, begins=True),
    MenuEntry("Schedule", "/schedule"),
    MenuEntry("Hosts", "/hosts", _HOSTS),
    MenuEntry("Attention", "/alerts", begins=True),
    MenuEntry("Settings", "/settings", SETTINGS, begins=True),
)


def place_of(path: str) -> MenuEntry | None:
    """The menu entry of a path, None if there is none."""
    return next((place for place in PLACES if path == place.path or is_under(path, *_words(place))), None)


def is_under(path: str, *words: str) -> bool:
    """Whether a path is one of these, or below one."""
    return any(path == word or path.startswith(f"{word}/") for word in words)


def _words(place: MenuEntry) -> tuple[str, ...]:
    own = () if place.path == "/" else (place.path,)
    return (*own, *place.also, *(each.path for each in place.below))


def sub_place_of(path: str, place: MenuEntry | None) -> SubEntry | None:
    """The page below a menu entry that a path belongs to: the one with the longest path."""
    found = [each for each in place.below if is_under(path, each.path)] if place is not None else []
    return max(found, key=lambda each: len(each.path), default=None)


class NotConfirmed(Exception):
    """The user has not confirmed the action yet; the response asks."""

    def __init__(self, response: Response) -> None:
        self.response = response


async def ask(_: Request, error: Exception) -> Response:
    """Sends the confirmation dialog."""
    assert isinstance(error, NotConfirmed)
    return error.response


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """A visitor's request for a page, or for something on one."""

    http: Request
    view: ServiceView
    caller: Caller
    now: datetime
    #: change sets that the caller has not read, up to 100
    unread: int = 0

    @property
    def stamp(self) -> Stamp:
        """Caller and time."""
        return Stamp(self.caller.name, self.now)

    @property
    def is_partial(self) -> bool:
        """Whether a script requests a part of the current page."""
        headers = self.http.headers
        return "hx-request" in headers and "hx-history-restore-request" not in headers

    @property
    def target(self) -> str:
        """The id of the element that the script replaces; empty for a whole page."""
        return self.http.headers.get("hx-target", "") if self.is_partial else ""

    async def read(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """The result of one read from the database."""
        return await self.view.read(work)

    async def write(self, work: Callable[[Connection], Coroutine[Any, Any, T]]) -> T:
        """The result of one write to the database, when it is durable."""
        return await self.view.db.write(work)

    def may(self, role: str) -> bool:
        """Whether the user has at least this role."""
        return self.caller.role.covers(Role(role))

    async def form(self) -> SubmittedForm:
        """The submitted form."""
        return await form_of(self.http)

    def page(self, template: str, *, status: int | None = None, **shown: Any) -> Response:
        """Renders a whole page with the dashboard frame; one with faults has the status 422."""
        said = unquote(self.http.cookies.get(_SAID, ""))
        path = self.http.url.path
        place = place_of(path)
        answer = page(
            template,
            status=status or _status_of(shown),
            said=said,
            places=PLACES,
            place=place,
            below=[each for each in place.below if self.may(each.role)] if place is not None else [],
            sub_place=sub_place_of(path, place),
            unread=self.unread,
            most_unread=change_sets.MOST_UNREAD,
            **self._always() | shown,
        )
        if said:
            answer.delete_cookie(_SAID, httponly=True, samesite="strict")
        return answer

    def part(self, template: str, *, status: int | None = None, **shown: Any) -> Response:
        """Renders a part of a page for a script; one with faults has the status 422."""
        return page(template, status=status or _status_of(shown), **self._always() | shown)

    def part_or_page(self, target: str, part: str, whole: str, **shown: Any) -> Response:
        """The part for a script that replaces this element, otherwise the whole page."""
        return self.part(part, **shown) if self.target == target else self.page(whole, **shown)

    def done(self, said: str, *, to: str) -> Response:
        """Redirects to a local page with a success message."""
        to = local_path(to)
        if self.target == "panel" or (self.is_partial and self._is_shown(to)):
            whole = {"path": to, "target": "main", "select": "main", "swap": "outerHTML show:none"}
            # A request from the panel continues in the panel.
            location = {"path": to, "target": "#panel"} if self.target == "panel" else whole
            headers = {"HX-Location": _header(location), "HX-Trigger": _header({"lamp:said": {"text": said}})}
            return Response(headers=headers)
        # Another page may have scripts of its own, so it is loaded as a whole.
        answer: Response = RedirectResponse(to, status_code=303)
        if self.is_partial:
            # Percent-encoded for a header, as in the Location header.
            answer = Response(headers={"HX-Redirect": answer.headers["Location"]})
        toast = _cut(quote(said))
        answer.set_cookie(_SAID, toast, max_age=_SAID_SECONDS, httponly=True, samesite="strict")
        return answer

    def _is_shown(self, path: str) -> bool:
        """Whether the user is on this page, with any filters."""
        current = parts_of(self.http.headers.get("hx-current-url", "")).path
        return unquote(current) == unquote(parts_of(path).path)

    def toast(self, said: str, *events: str) -> Response:
        """Shows a success message and triggers refresh events; the page stays."""
        heard: dict[str, Any] = dict.fromkeys(events, "")
        return Response(status_code=204, headers={"HX-Trigger": _header({"lamp:said": {"text": said}, **heard})})

    def confirm(
        self, form: SubmittedForm, question: str, *, label: str, back: str, consequences: Sequence[str] = ()
    ) -> None:
        """Raises NotConfirmed with a dialog that submits the same form again, unless the user has confirmed.

        `consequences` say what will happen. The confirmation holds only for this question: if its number changed
        meanwhile, the dialog comes again.
        """
        if form.has("confirmed") and form.text(_QUESTION) in ("", question):
            return
        again = [field for field in form.fields() if field[0] not in _OWN_FIELDS]
        shown: dict[str, Any] = {
            "question": question,
            "label": label,
            "back": local_path(back),
            "again": again,
            "consequences": consequences,
        }
        action = self.http.url.path
        if self.is_partial:
            answer = self.part("parts/confirm.html", action=action, **shown)
            answer.headers["HX-Retarget"], answer.headers["HX-Reswap"] = "#dialog", "innerHTML"
            raise NotConfirmed(answer)
        raise NotConfirmed(self.page("confirm.html", action=action, **shown))

    def _here(self) -> str:
        """The path to return to: this page, or the referring page of a script."""
        url = self.http.url
        if self.http.method != "GET":
            sender = parts_of(self.http.headers.get("referer", ""))
            return local_path(f"{sender.path}?{sender.query}" if sender.query else sender.path)
        return f"{url.path}?{url.query}" if url.query else url.path

    def _firing(self) -> int:
        """The number of firing alerts at the last check."""
        watched = self.view.crawl.watched()
        return sum(watched.firing.values()) if watched is not None else 0

    def _always(self) -> dict[str, Any]:
        """The variables of every template."""
        return {
            "now": self.now,
            "csrf_token": csrf_token(self.http),
            "caller": self.caller,
            "may": self.may,
            "here": self._here(),
            "crawl_pause": self.view.crawl.crawl_pause(),
            "firing": self._firing(),
            "theme": theme_of(self.http.cookies),
            "faults": {},
        }


async def _page_request(request: Request) -> PageRequest:
    view: ServiceView = request.app.state.view
    made = PageRequest(http=request, view=view, caller=request.scope["caller"], now=view.clock.now())
    if request.method != "GET" or made.is_partial:
        return made
    unread = await view.read(lambda db: change_sets.unread(db, made.caller.name))
    return replace(made, unread=unread)


ThisRequest = Annotated[PageRequest, Depends(_page_request)]


def _status_of(shown: Mapping[str, Any]) -> int:
    return 422 if shown.get("faults") else 200


def _header(value: Any) -> str:
    """JSON in ASCII for a header."""
    return json.dumps(value)


def _cut(quoted: str) -> str:
    """Cuts a text to the size of a cookie, at a character boundary."""
    return re.sub(r"%[0-9A-F]?$", "", quoted[:_LONGEST_SAID])
