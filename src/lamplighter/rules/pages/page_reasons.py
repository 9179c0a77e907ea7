"""Why a page has its status, in one line for people."""

from collections.abc import Mapping
from typing import NamedTuple

from lamplighter.model.page import IGNORED, LEFT_FOR_LATER, POLLED_FEED, PageStage
from lamplighter.model.visit import Fault, Refusal

#: why a page was refused or failed: the stable word -> a sentence
REASONS: Mapping[str, str] = {
    Refusal.TAKEDOWN: "it was taken down and is never fetched again",
    Refusal.ROBOTS: "robots.txt does not allow it",
    Refusal.ROBOTS_UNREACHABLE: "robots.txt could not be fetched, so no page is fetched",
    Refusal.BREAKER: "its host is not fetched for now, after failures in a row",
    Refusal.HOST_DISABLED: "its host was disabled",
    Refusal.ADDRESS: "its address is not on the public web",
    Refusal.NO_CONTACT: "no contact is set, and without a contact no site is crawled",
    Refusal.NO_SECRET: "a secret that it needs is not set",
    Refusal.NO_PROXY: "none of its host's proxies can be used now",
    Fault.DNS: "the name of its host could not be resolved",
    Fault.CONNECT: "no connection to its host",
    Fault.TLS: "no secure connection to its host",
    Fault.TIMEOUT: "no response in time",
    Fault.BROKEN_RESPONSE: "the response broke off",
    Fault.TOO_LARGE: "the page is larger than allowed",
    Fault.CONTENT_TYPE: "a content type that cannot be parsed",
    Fault.TOO_MANY_REDIRECTS: "too many redirects",
    Fault.BAD_REDIRECT: "redirected to an address that cannot be fetched",
    Fault.BUSY: "the host asked us to come back later",
    Fault.SERVER_ERROR: "the server failed (5xx)",
    Fault.NOT_FOUND: "not found (404)",
    Fault.GONE: "gone for good (410)",
    Fault.CLIENT_ERROR: "the server refused it (4xx)",
    Fault.UNREADABLE: "the parser failed on it",
    Fault.NOT_RENDERED: "the browser could not render it",
    Fault.UNSTORABLE: "the database refused to store it",
    Fault.OBSTRUCTED: "a login page, bot challenge or error page came instead of the content",
    Fault.PROXY: "the proxy failed, not the site behind it",
    IGNORED: "an operator chose to ignore it",
    POLLED_FEED: "a feed that its source announces; it is polled between runs",
    LEFT_FOR_LATER: "the page budget of the run has no room for it yet; a run fetches it later",
}
_STAGES: Mapping[PageStage, str] = {
    PageStage.WAITING: "a run takes it as soon as it is due",
    PageStage.PENDING: "waits for its host's turn",
    PageStage.QUEUED: "its host is being fetched, and other pages come first",
    PageStage.CRAWLING: "being fetched now",
    PageStage.DOWNLOADED: "fetched, waits to be parsed",
    PageStage.QUEUED_PARSE: "fetched, next to be parsed",
    PageStage.PARSING: "being parsed now",
    PageStage.COMPLETED: "fetched and parsed",
    PageStage.FAILED: "could not be fetched",
    PageStage.PAUSED: "paused until an operator resumes it",
    PageStage.CANCELLED: "given up; a later crawl that finds it may fetch it",
}


class PageState(NamedTuple):
    """The status of a page, as it is stored."""

    stage: PageStage
    reason: str | None
    detail: str | None
    retry_count: int
    redirected_to: str | None = None


def sentence(state: PageState) -> str:
    """Why the page has this status, in one line."""
    why = _why(state)
    match state.stage:
        case PageStage.PENDING | PageStage.QUEUED if state.reason == Refusal.NO_PROXY:
            return f"waits for a proxy: {state.detail}" if state.detail else why
        case PageStage.PENDING | PageStage.QUEUED if state.retry_count and why:
            return f"try {state.retry_count + 1} is next; the last one failed: {why}"
        case PageStage.WAITING if state.reason == LEFT_FOR_LATER:
            return REASONS[LEFT_FOR_LATER]
        case PageStage.FAILED | PageStage.PAUSED | PageStage.CANCELLED if why:
            return why
        case PageStage.COMPLETED if state.reason == POLLED_FEED:
            return REASONS[POLLED_FEED]
        case PageStage.COMPLETED if state.redirected_to:
            return "redirects to another page, which is fetched instead"
    return _STAGES[state.stage]


def _why(state: PageState) -> str:
    """The stored reason in words, with the stored detail unless it says the same."""
    words = REASONS.get(state.reason or "", "")
    detail = (state.detail or "").strip()
    if not words or not detail:
        return words or detail
    return words if detail.lower() in words.lower() else f"{words}: {detail}"
