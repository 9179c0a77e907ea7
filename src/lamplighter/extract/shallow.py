"""Flattens a page that nests more elements than the parser supports.

The parser nests 512 of them, as browsers do; deeper paragraphs and links lose their text to what is around them. A
template that forgets an end tag in a loop makes such a page. So elements that only group others are left out where they
come near that depth, and their content is kept.
"""

import re

#: nested grouping elements; their content needs some levels as well
_DEEPEST = 400
#: rows without end tags do not nest that deep before the page has more tags than this
_FEW_TAGS = 1_500

#: replaces a tag: what it separated stays separated
_LEFT_OUT = "<!---->"

_GROUPING = r"<(/?)(?:div|span|section|article|main|center|font|form|b|i|u|em|strong|small)(?![\w:-])[^<>]*+>"
#: in these elements a tag is text
_OPAQUE = r"<!--.*?(?:-->|\Z)|<(script|style|textarea|title)\b.*?(?:</\2|\Z)"
_TAGS = re.compile(f"{_GROUPING}|{_OPAQUE}", re.IGNORECASE | re.DOTALL)


def shallow(html: str, tags: int | None = None) -> str:
    """The page without those start tags, and their end tags; unchanged unless it leaves hundreds of tags open.

    `tags` is the number of "<" in it, where that was counted before.
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
