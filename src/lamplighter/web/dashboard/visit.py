"""Somebody looks at a page or asks for something there: who, when, and how they are answered.

Everything works without a script: a form is answered by a redirection, and what was said stands on the next page. A
script of ours asks for the same addresses (htmx marks it), gets only the part that changes, and says it in a corner.
"""

import json
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any
from urllib.parse import quote, unquote

from fastapi import Depends, Request, Response
from fastapi.responses import RedirectResponse

from lamplighter.model.access import Caller, Role
from lamplighter.web.access.forgery import FIELD, csrf_token
from lamplighter.web.dashboard.forms import Form, form_of
from lamplighter.web.dashboard.navigation import PLACES, place_of
from lamplighter.web.look import theme_of
from lamplighter.web.paths import local_path, parts_of
from lamplighter.web.rendering import page
from lamplighter.web.view import ServiceView

#: carries what was said to the next page
_SAID = "lamplighter_said"
_SAID_SECONDS = 30
#: what a cookie may carry, as it is written there
_LONGEST_SAID = 3000
#: the form's own fields, which are not part of what was asked
_ASKED = "asked"
_OWN_FIELDS = (FIELD, _ASKED, "confirmed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One request of a person."""

    request: Request
    view: ServiceView
    caller: Caller
    now: datetime

    @property
    def is_partial(self) -> bool:
        """Whether a script asks for a part of the page it already shows."""
        headers = self.request.headers
        return "hx-request" in headers and "hx-history-restore-request" not in headers

    @property
    def target(self) -> str:
        """The id of the element that a script will put the answer into; empty for a whole page."""
        return self.request.headers.get("hx-target", "") if self.is_partial else ""

    def may(self, role: str) -> bool:
        """Whether the visitor's role allows what takes this one."""
        return self.caller.role.covers(Role(role))

    async def form(self) -> Form:
        """What was filled in."""
        return await form_of(self.request)

    def page(self, template: str, *, status: int = 200, **shown: Any) -> Response:
        """A whole page, within the frame."""
        said = unquote(self.request.cookies.get(_SAID, ""))
        answer = page(
            template,
            status=status,
            said=said,
            places=[place for place in PLACES if self.may(place.role)],
            place=place_of(self.request.url.path),
            **self._always(),
            **shown,
        )
        if said:
            answer.delete_cookie(_SAID, httponly=True, samesite="strict")
        return answer

    def part(self, template: str, *, status: int = 200, **shown: Any) -> Response:
        """A part of a page, for a script that puts it in its place."""
        return page(template, status=status, **self._always(), **shown)

    def done(self, said: str, *, to: str) -> Response:
        """It was done: goes on to a page of ours, and says so there."""
        to = local_path(to)
        if self.target == "panel" or (self.is_partial and self._is_shown(to)):
            whole = {"path": to, "target": "main", "select": "main", "swap": "outerHTML show:none"}
            # What was asked for in the panel goes on there.
            location = {"path": to, "target": "#panel"} if self.target == "panel" else whole
            headers = {"HX-Location": _header(location), "HX-Trigger": _header({"lamp:said": {"text": said}})}
            return Response(headers=headers)
        # Another page may have scripts of its own, so it is loaded as a whole.
        answer: Response = RedirectResponse(to, status_code=303)
        if self.is_partial:
            # Written as a header can carry it, like the one beside it.
            answer = Response(headers={"HX-Redirect": answer.headers["Location"]})
        told = _cut(quote(said))
        answer.set_cookie(_SAID, told, max_age=_SAID_SECONDS, httponly=True, samesite="strict")
        return answer

    def _is_shown(self, path: str) -> bool:
        """Whether the visitor looks at this page, whatever it is narrowed down to."""
        current = parts_of(self.request.headers.get("hx-current-url", "")).path
        return unquote(current) == unquote(parts_of(path).path)

    def told(self, said: str, *events: str) -> Response:
        """It was done, and the page stays as it is but for what listens to these events."""
        heard: dict[str, Any] = dict.fromkeys(events, "")
        return Response(status_code=204, headers={"HX-Trigger": _header({"lamp:said": {"text": said}, **heard})})

    def confirm(self, form: Form, question: str, *, label: str, back: str) -> Response | None:
        """None when the visitor has confirmed; otherwise the question, which sends the same form again.

        What was confirmed is this very question: when it has another number in it by now, it is asked anew.
        """
        if form.has("confirmed") and form.text(_ASKED) in ("", question):
            return None
        again = [field for field in form.fields() if field[0] not in _OWN_FIELDS]
        shown: dict[str, Any] = {"question": question, "label": label, "back": local_path(back), "again": again}
        action = self.request.url.path
        if self.is_partial:
            answer = self.part("parts/confirm.html", action=action, **shown)
            answer.headers["HX-Retarget"], answer.headers["HX-Reswap"] = "#dialog", "innerHTML"
            return answer
        return self.page("confirm.html", action=action, **shown)

    def _here(self) -> str:
        """Where a form leads back to: this page, or the one from which something was asked for here."""
        url = self.request.url
        if self.request.method != "GET":
            sender = parts_of(self.request.headers.get("referer", ""))
            return local_path(f"{sender.path}?{sender.query}" if sender.query else sender.path)
        return f"{url.path}?{url.query}" if url.query else url.path

    def _firing(self) -> int:
        """How many alerts fire, as last seen."""
        watched = self.view.watched()
        return sum(watched.firing.values()) if watched is not None else 0

    def _always(self) -> dict[str, Any]:
        """What every template knows."""
        return {
            "now": self.now,
            "csrf_token": csrf_token(self.request),
            "caller": self.caller,
            "may": self.may,
            "here": self._here(),
            "standstill": self.view.standstill(),
            "firing": self._firing(),
            "theme": theme_of(self.request.cookies),
        }


def _visit(request: Request) -> Visit:
    view: ServiceView = request.app.state.view
    return Visit(request=request, view=view, caller=request.scope["caller"], now=view.clock.now())


Visiting = Annotated[Visit, Depends(_visit)]


def _header(value: Any) -> str:
    """JSON in a header, which carries no letters but those of ASCII."""
    return json.dumps(value)


def _cut(quoted: str) -> str:
    """No more than a cookie carries, and no half of a sign."""
    return re.sub(r"%[0-9A-F]?$", "", quoted[:_LONGEST_SAID])
