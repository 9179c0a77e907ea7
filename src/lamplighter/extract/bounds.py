"""Would parsing this page cost far more than its size suggests? A small hostile page can cost minutes or gigabytes."""

import re
from collections import Counter

#: fewer tags than this are never dangerous, so most pages are not examined at all
_TAGS_NEVER_DANGEROUS = 1_500
_SIZE_NEVER_DANGEROUS = 64 * 1024

MAX_DEPTH = 4_000
MAX_ATTRIBUTES = 5_000
#: formatting left open is reopened in every paragraph: this limits the number of resulting elements
_MAX_REOPENED = 2_000_000

#: a tag that may begin a formatting element
_FORMATS = re.compile(
    # The lookahead tells most tags at once.
    r"<(?=[bcefistuBCEFISTU])(?:[bisuBISU]|(?i:big|code|em|font|small|strike|strong|tt))(?![a-zA-Z0-9-])"
)
_TAG = re.compile(r"<(/?)([a-z][a-z0-9-]*+)", re.IGNORECASE)
_VOID = "area base br col embed hr img input link meta param source track wbr"
#: closed by their next sibling, so an unclosed row of them nests nothing
_CLOSED_BY_THE_NEXT = "p li dd dt option optgroup tr td th tbody thead tfoot colgroup rt rp a nobr"
_NOT_COUNTED = frozenset(f"{_VOID} {_CLOSED_BY_THE_NEXT}".split())
_FORMATTING = frozenset({"b", "big", "code", "em", "font", "i", "s", "small", "strike", "strong", "tt", "u"})

# One linear walk over the whole page (possessive, so it never steps back) that stops at a tag with too many attributes.
# White space is what the parser takes for it; a few characters are found sooner than a class of Unicode.
_SPACE = r" \t\n\r\f"
_ATTRIBUTE = (
    rf"(?>[{_SPACE}/]*+[^{_SPACE}/>][^{_SPACE}/>=]*+"
    rf"(?:[{_SPACE}]*+=[{_SPACE}]*+(?:\"[^\"]*+\"|'[^']*+'|[^{_SPACE}>\"'][^{_SPACE}>]*+)?+)?+)"
)
_TAGS_WITHIN_BOUNDS = re.compile(
    rf"(?:[^<]*+<(?:(?![a-zA-Z])|[a-zA-Z][^{_SPACE}/>]*+"
    rf"(?:>|{_ATTRIBUTE}{{0,{MAX_ATTRIBUTES}}}+[{_SPACE}/]*+(?:>|\Z))))*+[^<]*+"
)

#: attributes of every further html or body tag are added to the first one's, each compared with all others
_WHOLE_PAGE = re.compile(rf"<(?:html|body)\b{_ATTRIBUTE}*+", re.IGNORECASE)


def excess(html: str, tags: int | None = None) -> str | None:
    """What makes this page too costly to parse; None when nothing does. `tags` is the number of "<" if known."""
    if tags is None:
        tags = html.count("<")
    if tags > _TAGS_NEVER_DANGEROUS and not is_flat(html, tags) and (reason := nesting(html, tags)):
        return reason
    if len(html) <= _SIZE_NEVER_DANGEROUS:
        return None
    if _ends_early(html):
        return f"a tag with more than {MAX_ATTRIBUTES} attributes"
    if sum(len(tag[0]) for tag in _WHOLE_PAGE.finditer(html)) > _SIZE_NEVER_DANGEROUS:
        return "html and body tags that give the page ever more attributes"
    return None


def is_flat(html: str, tags: int) -> bool:
    """Are there too few start tags for `nesting` to object? Counting them takes a fraction of its time."""
    starts = tags - html.count("</")
    if starts > MAX_DEPTH:
        return False
    # No page has more formatting elements open than it has such start tags.
    return starts * tags <= _MAX_REOPENED or sum(1 for _ in _FORMATS.finditer(html)) * tags <= _MAX_REOPENED


def _ends_early(html: str) -> bool:
    walked = _TAGS_WITHIN_BOUNDS.match(html)
    return walked is None or walked.end() < len(html)


def nesting(html: str, tags: int) -> str | None:
    """Counts open elements by name: an end tag without its start tag must not hide a level."""
    still_open: Counter[str] = Counter()
    depth = formatting = most_formatting = 0
    for slash, name in _TAG.findall(html):
        name = name.lower()
        if name in _NOT_COUNTED or (slash and not still_open[name]):
            continue
        step = -1 if slash else 1
        still_open[name] += step
        depth += step
        if depth > MAX_DEPTH:
            return f"more than {MAX_DEPTH} elements inside each other"
        if name in _FORMATTING:
            formatting += step
            most_formatting = max(most_formatting, formatting)
    return "too much formatting left open" if most_formatting * tags > _MAX_REOPENED else None
