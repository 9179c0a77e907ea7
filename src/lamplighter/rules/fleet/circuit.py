"""A circuit breaker for one server: may it be called again yet?"""

from dataclasses import dataclass


@dataclass(slots=True, kw_only=True)
class Circuit:
    """Closed while calls succeed; opened by a failure; after a cool-down one caller at a time may try again."""

    #: cool-down between a failure and the next try, seconds
    cooldown: float
    #: when it failed last, on the monotonic clock; None while closed
    _failed_at: float | None = None
    _is_being_tried: bool = False

    @property
    def is_open(self) -> bool:
        """Whether the server counts as unavailable."""
        return self._failed_at is not None

    def may_ask(self, now: float) -> bool:
        """Whether the caller may call now; while open, the one that gets True tries, and must report back."""
        if self._failed_at is None:
            return True
        if self._is_being_tried or now - self._failed_at < self.cooldown:
            return False
        self._is_being_tried = True
        return True

    def failed(self, now: float) -> bool:
        """Records a failed call; True if the circuit was closed before."""
        is_news = self._failed_at is None
        self._failed_at, self._is_being_tried = now, False
        return is_news

    def answered(self) -> bool:
        """Records a successful call; True if the circuit was open before."""
        is_news = self._failed_at is not None
        self._failed_at, self._is_being_tried = None, False
        return is_news

    def given_up(self) -> None:
        """Records that the trying caller was interrupted before the call succeeded or failed."""
        self._is_being_tried = False
