"""Shall a server that did not answer be asked again already?"""

from dataclasses import dataclass


@dataclass(slots=True, kw_only=True)
class Circuit:
    """Closed while all is well; opened by a failure; after a rest one caller at a time may try whether it is over."""

    #: between a failure and the next try, seconds
    rest: float
    #: when it failed last, on the clock that only grows; None while closed
    _failed_at: float | None = None
    _is_being_tried: bool = False

    @property
    def is_open(self) -> bool:
        """Whether the server is away, as far as is known."""
        return self._failed_at is not None

    def may_ask(self, now: float) -> bool:
        """Whether to ask now; who is told so while it is open is the one who tries, and says what came of it."""
        if self._failed_at is None:
            return True
        if self._is_being_tried or now - self._failed_at < self.rest:
            return False
        self._is_being_tried = True
        return True

    def failed(self, now: float) -> bool:
        """Notes that there was no answer; True when that is news."""
        is_news = self._failed_at is None
        self._failed_at, self._is_being_tried = now, False
        return is_news

    def answered(self) -> bool:
        """Notes that there was an answer; True when that is news."""
        is_news = self._failed_at is not None
        self._failed_at, self._is_being_tried = None, False
        return is_news

    def given_up(self) -> None:
        """Whoever tried was interrupted before there was an answer or none."""
        self._is_being_tried = False
