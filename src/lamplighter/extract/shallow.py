"""What of a page that opens more elements inside each other than the parser does?

The parser opens 512 of them, as browsers do; paragraphs and links that come deeper lose their text to what is around
them. Whoever forgets an end tag in a loop makes such a page. So elements that only group others are left out where they
come near that depth, and what they hold is read.
"""

import re

#: grouping elements inside each other; what they hold needs some room as well
_DEEPEST = 400
#: rows that forget an end tag are not that deep before the page has more tags than these
_FEW_TAGS = 1_500

#: in the place of a tag: what it parted stays parted
_LEFT_OUT = "<!---->"

_GROUPING = r"<(/?)(?:div|span|section|article|main|center|font|form|b|i|u|em|strong|small)(?![\w:-])[^<>]*+>"
#: in these a tag is no tag
_OPAQUE = r"<!--.*?(?:-->|\Z)|<(script|style|textarea|title)\b.*?(?:</\2|\Z)"
_TAGS = re.compile(f"{_GROUPING}|{_OPAQUE}", re.IGNORECASE | re.DOTALL)


def shallow(html: str, tags: int | None = None) -> str:
    """The page without those start tags, and their end tags; the page itself unless it leaves hundreds of tags open.

    `tags` is how often "<" stands in it, where that was counted before.
    """
    if tags is None:
        tags = html.count("<")
    if tags <= _FEW_TAGS or tags - 2 * html.count("</") <= _DEEPEST:
        return html
    depth = left_out = 0

    def kept(tag: re.Match[str]) -> str:
        nonlocal depth, left_out
        if tag[1] is None:
            return tag[0]
        if tag[1] == "":
            is_deep = depth >= _DEEPEST
            left_out, depth = left_out + is_deep, depth + (not is_deep)
        else:
            is_deep = left_out > 0
            left_out, depth = left_out - is_deep, max(0, depth - (not is_deep))
        return _LEFT_OUT if is_deep else tag[0]

    return _TAGS.sub(kept, html)
