"""How a proxy of a test behaves."""

from enum import Enum


class Mood(Enum):
    """What it does with what it is asked for."""

    PASS_ON = "passes it on"
    REFUSE = "says that it will not, in its own name"
    UNREACHABLE = "says that it cannot reach the site"
    STALL = "takes it and never says a word"
    HANG_UP = "takes it and hangs up"
    CLOSE = "hangs up before it was asked"
    HALF = "says half a sentence and hangs up"
    GARBAGE = "says what is not HTTP"
    CUT = "passes it on, and cuts the connection before the answer"
    LIE = "answers itself, as if it were the site"
