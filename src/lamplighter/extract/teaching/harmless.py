"""A page as HTML that does nothing: written anew from its elements, by a list of what is allowed.

Nothing of the site's own markup is copied: each tag and attribute is written from the list, each text is escaped. What
is left can neither run nor load nor send anything. The frame that shows it forbids all of that once more.
"""

import re
from collections.abc import Iterator
from html import escape

from turbohtml import Element, Namespace, Node, Text

from lamplighter.extract.teaching.places import NumberedPage

#: the attribute with the number of an element
PLACE = "data-lamp"
#: what is written as it is; any other element becomes a span
_ALLOWED = frozenset(
    "a abbr address article aside b bdi bdo big blockquote br caption center cite code col colgroup dd del details"
    " dfn div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hgroup hr i img ins kbd label legend"
    " li main mark menu nav ol p picture pre q rp rt ruby s samp section small span strike strong sub summary sup table"
    " tbody td tfoot th thead time tr tt u ul var wbr".split()
)
#: written as something that does nothing
_INSTEAD = {"form": "div", "fieldset": "div", "dialog": "div", "search": "div", "button": "span"}
#: left out with all that is in them
_LEFT_OUT = frozenset(
    "script style template noscript iframe frame object embed applet link meta base title head audio video source track"
    " canvas map area param input select option optgroup textarea datalist output progress meter slot portal noframes"
    " noembed plaintext xmp".split()
)
_VOID = frozenset({"br", "hr", "img", "wbr", "col"})
_ATTRIBUTES = frozenset(
    "class id style title alt lang dir colspan rowspan width height align valign bgcolor color face size border"
    " cellpadding cellspacing span start type value datetime hidden open nowrap".split()
)
_PICTURE = re.compile(r"data:image/(?:png|jpe?g|gif|webp|avif);base64,[A-Za-z0-9+/=\s]*", re.IGNORECASE)
#: what a style sheet would load; what is written otherwise is stopped by the policy of the frame
_LOADED = re.compile(
    r"@import\b[^;]*+;?|@font-face\s*\{[^}]*+\}|(?:url|image-set|src)\(\s*(?!['\"]?data:image/)(?:\"[^\"]*+\"|'[^']*+'|[^)]*+)\s*\)",
    re.IGNORECASE,
)
_MOST_STYLES = 2_000_000


def harmless(page: NumberedPage, *, head: str = "", foot: str = "", with_styles: bool = True) -> str:
    """The page as a document, every element with its number; with the style sheets that are written in it.

    `head` and `foot` are ours, and come last in the head and in the body.
    """
    root, body = page.tree.root, page.tree.find("body")
    styles = "".join(_styles(page)) if with_styles else ""
    own = [
        "".join(_attributes(page, node, "", with_styles=with_styles)) if node is not None else ""
        for node in (root, body)
    ]
    content = "".join(_written(page, body, with_styles=with_styles)) if body is not None else ""
    return (
        f'<!doctype html><html{own[0]}><head><meta charset="utf-8"><title>Archived page</title>{styles}{head}</head>'
        f"<body{own[1]}>{content}{foot}</body></html>"
    )


def without_loads(css: str) -> str:
    """The style sheet without what it would load."""
    return _LOADED.sub(lambda found: "" if found[0][0] == "@" else "none", css)


def _styles(page: NumberedPage) -> Iterator[str]:
    left = _MOST_STYLES
    for node in page.tree.find_all("style"):
        css = node.text
        # Only inside of SVG and the like can a style sheet end with something else than its end tag.
        if node.namespace is Namespace.HTML and "</" not in css and "<!" not in css and len(css) <= left:
            left -= len(css)
            yield f"<style>{without_loads(css)}</style>"


def _written(page: NumberedPage, body: Element, *, with_styles: bool) -> Iterator[str]:
    """What is in the body. Without recursion: pages may be nested deep."""
    waiting: list[Node | str] = list(reversed(list(body)))
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            yield node
        elif isinstance(node, Text):
            yield escape(node.data, quote=False)
        elif isinstance(node, Element) and node.tag not in _LEFT_OUT and node.namespace is Namespace.HTML:
            tag = _INSTEAD.get(node.tag, node.tag if node.tag in _ALLOWED else "span")
            yield f"<{tag}{''.join(_attributes(page, node, tag, with_styles=with_styles))}>"
            if tag not in _VOID:
                waiting.append(f"</{tag}>")
                waiting += reversed(list(node))


def _attributes(page: NumberedPage, node: Element, tag: str, *, with_styles: bool) -> Iterator[str]:
    if (place := page.places.get(node)) is not None:
        yield f' {PLACE}="{place}"'
    for name in node.attrs:
        value = node.attr(name) or ""
        value = without_loads(value) if name == "style" else value
        if name in _ATTRIBUTES and (with_styles or name not in ("style", "class")):
            yield f' {name}="{escape(value)}"'
    if tag == "img" and _PICTURE.fullmatch(source := (node.attr("src") or "").strip()):
        yield f' src="{escape(source)}"'
