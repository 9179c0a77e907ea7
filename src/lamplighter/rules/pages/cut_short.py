"""What a run says when its page budget cut it short."""

from lamplighter.rules.formats.plural import counted

_BEGINS = "cut short at "


def note(*, page_budget: int, lists: int, links: int, shown: int, about: int) -> str | None:
    """The note of a run that had no room for so many pages of its list and linked pages; None if it had room for all.

    `shown` is how many records the source shows so far, `about` how many its list seems to have; 0 if unknown.
    """
    if not lists and not links:
        return None
    left = []
    if lists:
        left.append(f"{shown} of about {about} records" if about > shown else "the list has more pages")
    if links:
        left.append(f"{counted(links, 'linked page')} left")
    return (
        f"{_BEGINS}{counted(page_budget, 'page')}: {', '.join(left)}: raise max pages to get all in one run; "
        "the next run continues where this one stopped"
    )


def note_in(message: str | None) -> str | None:
    """The note in a run's message; None when the run was not cut short."""
    at = message.find(_BEGINS) if message else -1
    return message[at:] if message is not None and at >= 0 else None
