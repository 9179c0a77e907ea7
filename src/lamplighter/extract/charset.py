"""Which characters do these bytes stand for: byte order mark, then header, then the document's own word, then UTF-8."""

import re
from functools import lru_cache

#: by the name of Python's codec
BOMS = {"utf-8": b"\xef\xbb\xbf", "utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}

#: how far into the body a document may name its own charset
_PRESCAN = 1024

# The web says latin-1 and means windows-1252; other labels, too, mean a wider set than their name (WHATWG Encoding).
_CODECS_BY_NAME = {
    "utf-8": "utf8 unicode-1-1-utf-8 x-unicode20utf8",
    "utf-16-le": "utf-16 utf-16le unicode ucs-2 iso-10646-ucs-2 csunicode",
    "utf-16-be": "utf-16be unicodefffe",
    "cp1252": "windows-1252 x-cp1252 latin1 latin-1 l1 iso-8859-1 iso8859-1 iso88591 iso_8859-1 ascii us-ascii",
    "cp1250": "windows-1250 x-cp1250",
    "cp1251": "windows-1251 x-cp1251",
    "cp1253": "windows-1253",
    "cp1254": "windows-1254 iso-8859-9 iso8859-9 latin5 l5",
    "cp1255": "windows-1255",
    "cp1256": "windows-1256",
    "cp1257": "windows-1257",
    "cp1258": "windows-1258",
    "cp874": "windows-874 tis-620 iso-8859-11",
    "iso8859-2": "iso-8859-2 latin2 l2",
    "iso8859-3": "iso-8859-3",
    "iso8859-4": "iso-8859-4",
    "iso8859-5": "iso-8859-5 cyrillic",
    "iso8859-6": "iso-8859-6 arabic",
    "iso8859-7": "iso-8859-7 greek",
    "iso8859-8": "iso-8859-8 iso-8859-8-i hebrew",
    "iso8859-10": "iso-8859-10",
    "iso8859-13": "iso-8859-13",
    "iso8859-14": "iso-8859-14",
    "iso8859-15": "iso-8859-15 latin9 l9",
    "iso8859-16": "iso-8859-16",
    "koi8-r": "koi koi8 koi8_r",
    "koi8-u": "koi8-ru",
    "cp866": "ibm866 866",
    "mac-roman": "macintosh mac x-mac-roman",
    "mac-cyrillic": "x-mac-cyrillic",
    "gb18030": "gbk gb2312 x-gbk gb_2312-80 chinese",
    "big5hkscs": "big5 big5-hkscs cn-big5 x-x-big5",
    "euc-jp": "x-euc-jp",
    "cp932": "shift_jis shift-jis sjis x-sjis ms_kanji windows-31j",
    "iso2022-jp": "iso-2022-jp",
    "cp949": "euc-kr ks_c_5601-1987 korean windows-949",
}
#: A closed list: Python also knows codecs that no document may choose (utf-7, unicode_escape, idna).
_CODEC_OF = {label: codec for codec, labels in _CODECS_BY_NAME.items() for label in (codec, *labels.split())}
UTF16 = frozenset({"utf-16-le", "utf-16-be"})

_CHARSET_PARAMETER = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:+-]+)", re.IGNORECASE)
_XML_DECLARATION = re.compile(rb"\s*<\?xml[^>]*?\sencoding\s*=\s*[\"']([\w.:+-]+)[\"']")
_META = re.compile(rb"<meta[\s/]((?:[^>\"']|\"[^\"]*\"|'[^']*')*+)", re.IGNORECASE)
_ATTRIBUTE = re.compile(rb"([^\s/=\"'>]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>]+))")
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)


def decode(body: bytes, content_type: str | None) -> str:
    """The text of a body; what its charset does not know becomes U+FFFD, nothing raises."""
    for marked, bom in BOMS.items():
        if body.startswith(bom):
            return body[len(bom) :].decode(marked, "replace")
    if codec := declared_charset(content_type) or _named_inside(body[:_PRESCAN]):
        return body.decode(codec, "replace")
    try:
        return body.decode()
    except UnicodeDecodeError:
        return body.decode("cp1252", "replace")


@lru_cache(maxsize=256)
def declared_charset(content_type: str | None) -> str | None:
    """The codec that a Content-Type header names; None when it names none that we know."""
    found = _CHARSET_PARAMETER.search(content_type) if content_type else None
    return _CODEC_OF.get(found[1].lower()) if found else None


def without_comments(head: bytes) -> bytes:
    """The start of a document without what it hides from its readers."""
    return _COMMENT.sub(b"", head) if b"<!--" in head else head


def _named_inside(head: bytes) -> str | None:
    """The codec that the document names in its XML declaration or its meta tags."""
    declaration = _XML_DECLARATION.match(head)
    label = declaration[1].decode("ascii") if declaration else _meta_charset(without_comments(head))
    codec = _CODEC_OF.get(label.lower()) if label else None
    # We read that name as ASCII, so whatever the document is, it is not UTF-16.
    return "utf-8" if codec in UTF16 else codec


def _meta_charset(head: bytes) -> str | None:
    for tag in _META.finditer(head):
        attributes: dict[bytes, str] = {
            name.lower(): (a or b or c).decode("latin-1") for name, a, b, c in _ATTRIBUTE.findall(tag[1])
        }
        if label := attributes.get(b"charset"):
            return label.strip()
        if attributes.get(b"http-equiv", "").lower() == "content-type" and (
            found := _CHARSET_PARAMETER.search(attributes.get(b"content", ""))
        ):
            return found[1]
    return None
