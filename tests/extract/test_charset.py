"""E1, D3: byte order mark, then header, then the document's own word, then UTF-8, then windows-1252."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.extract.charset import KNOWN, UTF16, decode


@pytest.mark.parametrize(
    ("body", "content_type", "expected"),
    [
        pytest.param("é".encode(), None, "é", id="UTF-8 when nobody says anything"),
        pytest.param(b"caf\xe9", None, "café", id="windows-1252 when it is not UTF-8"),
        pytest.param(b"\x93x\x94", "text/html; charset=ISO-8859-1", "“x”", id="latin-1 means windows-1252"),
        pytest.param(b"\xef\xbb\xbf\xc3\xa9", "text/html; charset=latin1", "é", id="mark beats header"),
        pytest.param("\ufeffé".encode("utf-16-be"), "text/html; charset=utf-8", "é", id="UTF-16 mark beats header"),
        pytest.param(b"+ADw-", "text/html; charset=utf-7", "+ADw-", id="trap: UTF-7 is not a web charset"),
        pytest.param("é".encode() + b"\xc3", None, "é\ufffd", id="UTF-8 that was cut off is still UTF-8"),
        pytest.param("é".encode() * 20 + b"\xe9", None, "é" * 20 + "\ufffd", id="and so is UTF-8 with a slip"),
        pytest.param("<?xml?>é".encode("utf-16-le"), None, "<?xml?>é", id="XML in UTF-16 without a mark"),
        pytest.param("<?xml?>é".encode("utf-16-be"), None, "<?xml?>é", id="either way round"),
        pytest.param(b"a\xff", "text/html; charset=utf-8", "a\ufffd", id="what is impossible is marked"),
    ],
)
def test_text_is_decoded_by_the_best_evidence(body: bytes, content_type: str | None, expected: str) -> None:
    assert decode(body, content_type) == expected


@pytest.mark.parametrize(
    ("markup", "letter"),
    [
        pytest.param(b"", "Ð", id="nothing: windows-1252"),
        pytest.param(b'<META  CharSet = "koi8-r">', "п", id="meta charset"),
        pytest.param(b"<meta content='text/html; charset=koi8-r' http-equiv=content-type>", "п", id="meta http-equiv"),
        pytest.param(b"<?xml version='1.0' encoding='koi8-r'?>", "п", id="XML declaration"),
        pytest.param(b"<!-- <meta charset=koi8-r> -->", "Ð", id="trap: in a comment"),
        pytest.param(b"<meta name=description content='charset=koi8-r'>", "Ð", id="trap: in a description"),
        pytest.param(b"<meta charset=utf-16>", "\ufffd", id="trap: UTF-16 cannot be, so it is UTF-8"),
        pytest.param(b"<meta charset=x-user-defined>", "Ð", id="trap: a charset of one's own"),
        pytest.param(b"<meta charset=' koi8-r '>", "п", id="white space around the name"),
        pytest.param(b"<meta charset=utf-8 charset=koi8-r>", "\ufffd", id="trap: the first of two attributes counts"),
        pytest.param(b"<meta charset=none><meta charset=koi8-r>", "п", id="trap: an unknown name is passed over"),
        pytest.param(b"<a title='<meta charset=koi8-r>'>", "Ð", id="trap: in an attribute"),
        pytest.param(b"<!x <meta charset=koi8-r>", "Ð", id="trap: in a declaration"),
        pytest.param(b"</meta charset=koi8-r>", "Ð", id="trap: an end tag"),
        pytest.param(b"<metacharset=koi8-r>", "Ð", id="trap: another tag"),
        pytest.param(b"<!--><meta charset=koi8-r><!-- -->", "п", id="trap: the shortest comment"),
        pytest.param(b"<meta http-equiv=refresh content='0; charset=koi8-r'>", "Ð", id="trap: another http-equiv"),
        pytest.param(b" " * 1020 + b"<meta charset=koi8-r>", "Ð", id="trap: beyond 1024 bytes"),
        pytest.param(b"<meta charset=zlib_codec>", "Ð", id="trap: a codec that is no charset"),
    ],
)
def test_e1_a_document_may_name_its_own_charset(markup: bytes, letter: str) -> None:
    assert decode(markup + b"\xd0", None) == markup.decode() + letter


@pytest.mark.parametrize(
    ("label", "letter"),
    [
        ("ISO_8859-1:1987", "Ð"),
        ("csISOLatin1", "Ð"),
        ("cskoi8r", "п"),
        ("windows-1251", "\N{CYRILLIC CAPITAL LETTER ER}"),
        ("latin2", "Đ"),
        ("x-mac-ukrainian", "\N{EN DASH}"),
        ("greek8", "Π"),
        ("l5", "Ğ"),
    ],
)
def test_e1_a_charset_has_many_names(label: str, letter: str) -> None:
    assert decode(b"\xd0", f"text/html; charset={label}") == letter


def test_the_header_beats_what_the_document_says() -> None:
    assert decode(b"<meta charset=utf-8>\xd0", "text/html; charset=koi8-r").endswith("п")


@settings(deadline=None, max_examples=200)
@given(
    st.binary(max_size=200), st.sampled_from([None, "text/html; charset=shift_jis", "a; charset=utf-16", "x;charset=?"])
)
def test_decoding_never_raises_and_leaves_no_half_characters(body: bytes, content_type: str | None) -> None:
    text = decode(body, content_type)

    assert text.encode().decode() == text


@pytest.mark.parametrize("name", sorted(set(KNOWN.values()) - UTF16))
def test_all_charsets_that_a_document_may_name_agree_about_ascii(name: str) -> None:
    text = bytes(set(range(128)) - {0x1B})

    assert text.decode(name) == text.decode("ascii")


def test_an_escape_may_shift_what_follows() -> None:
    assert decode(b'<meta charset=iso-2022-jp>\x1b$B$"\x1b(B', None) == "<meta charset=iso-2022-jp>あ"
