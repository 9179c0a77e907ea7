"""Decodes a body: by byte order mark, then header, then the document's own declaration, then UTF-8."""

import re
from collections.abc import Iterator
from functools import lru_cache

#: by the name of Python's codec
BOMS = {"utf-8": b"\xef\xbb\xbf", "utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}

#: how far into the body a document may name its own charset
_PRESCAN = 1024

#: Python's codec -> the names by which documents declare it (WHATWG Encoding). The web says latin-1 and means
#: windows-1252; other names, too, mean a wider set than they say.
_NAMES_BY_CODEC = {
    "utf-8": "utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8",
    "utf-16-le": "utf-16 utf-16le unicode unicodefeff ucs-2 iso-10646-ucs-2 csunicode",
    "utf-16-be": "utf-16be unicodefffe",
    "cp1250": "windows-1250 x-cp1250",
    "cp1251": "windows-1251 x-cp1251",
    "cp1252": "windows-1252 x-cp1252 latin1 latin-1 l1 iso-8859-1 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 "
    "iso-ir-100 csisolatin1 cp819 ibm819 ascii us-ascii ansi_x3.4-1968 x-user-defined",
    "cp1253": "windows-1253 x-cp1253",
    "cp1254": "windows-1254 x-cp1254 latin5 l5 iso-8859-9 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 iso-ir-148 "
    "csisolatin5",
    "cp1255": "windows-1255 x-cp1255",
    "cp1256": "windows-1256 x-cp1256",
    "cp1257": "windows-1257 x-cp1257",
    "cp1258": "windows-1258 x-cp1258",
    "cp874": "windows-874 dos-874 tis-620 iso-8859-11 iso8859-11 iso885911",
    "iso8859-2": "iso-8859-2 iso88592 iso_8859-2 iso_8859-2:1987 latin2 l2 iso-ir-101 csisolatin2",
    "iso8859-3": "iso-8859-3 iso88593 iso_8859-3 iso_8859-3:1988 latin3 l3 iso-ir-109 csisolatin3",
    "iso8859-4": "iso-8859-4 iso88594 iso_8859-4 iso_8859-4:1988 latin4 l4 iso-ir-110 csisolatin4",
    "iso8859-5": "iso-8859-5 iso88595 iso_8859-5 iso_8859-5:1988 cyrillic iso-ir-144 csisolatincyrillic",
    "iso8859-6": "iso-8859-6 iso-8859-6-e iso-8859-6-i iso88596 iso_8859-6 iso_8859-6:1987 arabic asmo-708 ecma-114 "
    "iso-ir-127 csisolatinarabic csiso88596e csiso88596i",
    "iso8859-7": "iso-8859-7 iso88597 iso_8859-7 iso_8859-7:1987 greek greek8 elot_928 ecma-118 sun_eu_greek "
    "iso-ir-126 csisolatingreek",
    "iso8859-8": "iso-8859-8 iso-8859-8-e iso-8859-8-i iso88598 iso_8859-8 iso_8859-8:1988 hebrew visual logical "
    "iso-ir-138 csisolatinhebrew csiso88598e csiso88598i",
    "iso8859-10": "iso-8859-10 iso885910 latin6 l6 iso-ir-157 csisolatin6",
    "iso8859-13": "iso-8859-13 iso885913",
    "iso8859-14": "iso-8859-14 iso885914",
    "iso8859-15": "iso-8859-15 iso885915 iso_8859-15 latin9 l9 csisolatin9",
    "iso8859-16": "iso-8859-16",
    "koi8-r": "koi koi8 koi8_r cskoi8r",
    "koi8-u": "koi8-ru",
    "cp866": "ibm866 866 csibm866",
    "mac-roman": "macintosh mac x-mac-roman csmacintosh",
    "mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "gb18030": "gbk x-gbk gb2312 gb_2312 gb_2312-80 chinese iso-ir-58 csgb2312 csiso58gb231280",
    "big5hkscs": "big5 big5-hkscs cn-big5 x-x-big5 csbig5",
    "euc-jp": "x-euc-jp cseucpkdfmtjapanese",
    "iso2022-jp": "iso-2022-jp csiso2022jp",
    "cp932": "shift_jis shift-jis sjis x-sjis ms_kanji ms932 windows-31j csshiftjis",
    "cp949": "windows-949 euc-kr korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 iso-ir-149 cseuckr "
    "csksc56011987",
}
#: name -> codec. A closed list: Python also knows codecs that no document may choose (utf-7, unicode_escape, idna).
KNOWN = {label: codec for codec, labels in _NAMES_BY_CODEC.items() for label in (codec, *labels.split())}
UTF16 = frozenset({"utf-16-le", "utf-16-be"})

_CHARSET_PARAMETER = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:+-]+)", re.IGNORECASE)
_XML_DECLARATION = re.compile(rb"\s*<\?xml[^>]*?\sencoding\s*=\s*[\"']([\w.:+-]+)[\"']")
# The start of a document, cut into what must be skipped as a whole: a tag in a comment or in an attribute is none.
_COMMENT = re.compile(rb"<!--(?:-?>|.*?(?:-->|\Z))", re.DOTALL)
_ATTRIBUTE = rb"[\s/]*+([^\s/>][^\s/>=]*+)(?:\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s>\"'][^\s>]*+))?+)?+"
_TAG = re.compile(rb"<(/?[a-z][^\s/>]*+)((?:" + _ATTRIBUTE + rb")*+)|<[!?/][^>]*+", re.IGNORECASE)
_ATTRIBUTES = re.compile(_ATTRIBUTE)

#: "<?x" in UTF-16: a document that has neither mark nor header
_XML_IN_UTF16 = {b"<\x00?\x00x\x00": "utf-16-le", b"\x00<\x00?\x00x": "utf-16-be"}
#: after this byte a shifting charset (iso-2022-jp) gives the following bytes another meaning
_ESCAPE = b"\x1b"
#: how many valid characters of UTF-8 outweigh one invalid one
_GOOD_FOR_A_BAD = 10


def decode(body: bytes, content_type: str | None) -> str:
    """The text of a body; bytes that its charset does not know become U+FFFD, nothing raises."""
    for marked, bom in BOMS.items():
        if body.startswith(bom):
            return body[len(bom) :].decode(marked, "replace")
    codec = declared_charset(content_type) or utf16_of_xml(body)
    if codec is None and body.isascii() and _ESCAPE not in body:
        # All charsets that it may declare agree about these bytes.
        return body.decode("ascii")
    if codec := codec or _named_inside(body[:_PRESCAN]):
        return body.decode(codec, "replace")
    return _undeclared(body)


@lru_cache(maxsize=256)
def declared_charset(content_type: str | None) -> str | None:
    """The codec that a Content-Type header names; None when it names none that we know."""
    found = _CHARSET_PARAMETER.search(content_type) if content_type else None
    return _codec(found[1]) if found else None


def utf16_of_xml(body: bytes) -> str | None:
    """The codec of an XML document in UTF-16 that shows it only by its first bytes."""
    return _XML_IN_UTF16.get(body[:6])


def without_comments(head: bytes) -> bytes:
    """The start of a document without its comments."""
    return _COMMENT.sub(b"", head) if b"<!--" in head else head


def _undeclared(body: bytes) -> str:
    """UTF-8 unless it is clearly something else: one invalid or cut character must not spoil all the others."""
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        text = body.decode("utf-8", "replace")
        was_cut = error.reason == "unexpected end of data"
    # Every valid character beyond ASCII is shorter as text than in bytes; an invalid one is as long.
    good, bad = len(body) - len(text), text.count("\ufffd")
    return text if good > (0 if was_cut else bad * _GOOD_FOR_A_BAD) else body.decode("cp1252", "replace")


def _named_inside(head: bytes) -> str | None:
    """The codec that the document declares in its XML declaration or its meta tags."""
    declaration = _XML_DECLARATION.match(head)
    codec = _codec(declaration[1].decode("ascii")) if declaration else None
    codec = codec or next(filter(None, map(_codec, _meta_charsets(without_comments(head)))), None)
    # We read that name as ASCII, so the document cannot be UTF-16.
    return "utf-8" if codec in UTF16 else codec


def _codec(label: str) -> str | None:
    return KNOWN.get(label.strip(" \t\n\f\r").lower())


def _meta_charsets(head: bytes) -> Iterator[str]:
    for tag in _TAG.finditer(head):
        if (tag[1] or b"").lower() != b"meta":
            continue
        attributes: dict[bytes, str] = {}
        for name, *values in _ATTRIBUTES.findall(tag[2]):
            attributes.setdefault(name.lower(), b"".join(values).decode("latin-1"))
        if b"charset" in attributes:
            yield attributes[b"charset"]
        elif attributes.get(b"http-equiv", "").lower() == "content-type" and (
            found := _CHARSET_PARAMETER.search(attributes.get(b"content", ""))
        ):
            yield found[1]
