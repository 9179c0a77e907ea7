"""Should an operator look at a run because pages of it failed? A dead link beside good pages is ordinary."""

from collections.abc import Mapping

from lamplighter.model.visit import Fault

#: a few failures are ordinary; from this share of the run's pages on they are worth a look
WORRYING_SHARE = 0.1
#: the site's trouble with one page alone says nothing
_FEWEST = 2
#: links lead to these on every site; they matter only if nearly all lead there
_ORDINARY = frozenset({Fault.NOT_FOUND, Fault.GONE, Fault.TOO_LARGE, Fault.CONTENT_TYPE, Fault.CLIENT_ERROR})
_MOST_SHARE, _FEWEST_ORDINARY = 0.5, 3
#: counted instead of the reason when a further page of a list fails: the run brought only a part of the list
LISTING = "listing"
#: nothing of the site: only an operator can mend it
_OURS = frozenset({Fault.UNREADABLE, Fault.UNSTORABLE, Fault.NOT_RENDERED})


def are_worrying(failed: Mapping[str, int], *, fetched: int) -> bool:
    """Whether failed pages, counted by reason, are more than a note beside the pages that were fetched."""
    if failed.get(LISTING):
        return True
    everything = fetched + sum(failed.values())
    ordinary = sum(count for reason, count in failed.items() if reason in _ORDINARY)
    others = sum(failed.values()) - ordinary
    if any(reason in _OURS for reason in failed) or others >= _FEWEST:
        return others > WORRYING_SHARE * everything
    return ordinary >= _FEWEST_ORDINARY and ordinary > _MOST_SHARE * everything
