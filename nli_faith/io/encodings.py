"""Which encoding bytes are in: checked against what was stated, and said when it is another."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator

from nli_faith.errors import ConfigError, InputEncodingError, InputError

UTF8_BOM = codecs.BOM_UTF8

_BOMS = (  # UTF-32 first: its little-endian mark begins like UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16", "UTF-16"),
)
_MAGIC = (
    (b"PK\x03\x04", "a ZIP or Excel file: export it as CSV or JSONL"),
    (b"%PDF", "a PDF file"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"\xd0\xcf\x11\xe0", "an old Excel or Word file: export it as CSV or JSONL"),
    (b"SQLite format 3\0", "a SQLite database"),
    (b"ARROW1\0\0", "an Arrow file: convert it to Parquet or JSONL"),
    (b"\x7fELF", "a program"),
    (b"\x80\x04\x95", "a Python pickle"),
    (b"\x80\x05\x95", "a Python pickle"),
)
_CONTROL = bytes(range(9)) + b"\x0b" + bytes(range(0x0E, 0x1B)) + bytes(range(0x1C, 0x20))
_TAG = {"gb18030": "GB18030", "big5": "Big5", "utf-16": "UTF-16", "utf-8": "UTF-8"}
_MIN_CJK = 8  # a few characters of GB text can by chance be valid UTF-8; eight cannot
_MANY_BAD = 20


def canonical(encoding: str) -> str:
    """The encoding's canonical name; GBK and GB2312 become their superset GB18030, ASCII UTF-8.

    Raises:
        ConfigError: There is no such text encoding.
    """
    try:
        info = codecs.lookup(encoding)
        codecs.getincrementaldecoder(encoding)
    except (LookupError, TypeError, ValueError):
        raise ConfigError(f"encoding {encoding!r} is unknown; try utf-8 or gb18030") from None
    if not getattr(info, "_is_text_encoding", True):
        raise ConfigError(f"encoding {encoding!r} is not one of text; try utf-8 or gb18030")
    name = info.name
    if name in ("gbk", "gb2312"):  # cp936 is an alias of gbk
        return "gb18030"
    return "utf-8" if name in ("ascii", "utf-8-sig") else name


def check(head: bytes, encoding: str, name: str, *, complete: bool) -> None:
    """Check the beginning of an input against its stated encoding.

    A few bad lines among good ones pass: they are rejected one by one later.

    Args:
        head: The first bytes.
        encoding: As :func:`canonical` returns it.
        name: For messages.
        complete: Whether ``head`` is the whole input.

    Raises:
        InputError: The input is binary.
        InputEncodingError: It is text in another encoding.
    """
    _check_mark(head, encoding, name)
    for magic, what in _MAGIC:
        if head.startswith(magic):
            raise InputError(f"{name}: is not text but {what}")
    valid = _decodes(head, encoding, complete)
    if encoding.startswith(("utf-16", "utf-32")):
        # JSON and CSV have ASCII characters, which have a NUL byte there.
        if not valid or 0 not in head:
            raise InputEncodingError(f"{name}: is not valid {encoding}{_instead(head)}")
        return
    _check_binary(head, encoding, name, valid)
    if encoding != "utf-8":
        if head.isascii() or not _decodes(head, "utf-8", complete):
            if not valid:
                _check_lines(head, encoding, name)
        elif not valid or _cjk(head.decode("utf-8", "ignore")) >= _MIN_CJK:
            raise InputEncodingError(
                f"{name}: is UTF-8, not {encoding}: leave out --encoding {encoding}"
            )
    elif not valid:
        _check_lines(head, encoding, name)


def guess(data: bytes) -> str | None:
    """``gb18030`` or ``big5`` if bytes that are not UTF-8 are Chinese text in it, else ``None``.

    Judged by the common planes: nine of ten non-ASCII characters must be level 1 hanzi or
    punctuation. (Latin-1 accents rarely stand in pairs, so they fail; Big5's second bytes fall
    out of GB 2312's range half of the time.)
    """
    for encoding, narrow, planes in (
        ("gb18030", "gb2312", (*range(0xA1, 0xA4), *range(0xB0, 0xD8))),
        ("big5", "big5", (*range(0xA1, 0xA4), *range(0xA4, 0xC7))),
    ):
        try:
            # A cut may have halved the last character: what is not finished is left out.
            text = codecs.getincrementaldecoder(encoding)("strict").decode(data, final=False)
        except UnicodeDecodeError:
            continue
        letters = [char for char in text if ord(char) > 0x7F]
        common = sum(1 for char in letters if _lead(char, narrow) in planes)
        if letters and common >= 0.9 * len(letters):
            return encoding
    return None


def describe_bad_bytes(line: bytes, encoding: str = "utf-8") -> str:
    """Why a line (transcoded to UTF-8, bad bytes kept) cannot be decoded, with a guess."""
    try:
        line.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        column = len(line[: error.start].decode("utf-8", "replace")) + 1
        hint = _hint(guess(line)) if encoding == "utf-8" else ""
        return (
            f"byte 0x{line[error.start]:02x} at column {column} is not valid "
            f"{_TAG.get(encoding, encoding)}{hint}"
        )
    return f"not valid {_TAG.get(encoding, encoding)}"


def to_utf8(
    chunks: Iterable[bytes], encoding: str, name: str, *, complete: bool = True
) -> Iterator[bytes]:
    """Chunks as UTF-8 without byte order mark; bytes that do not decode are passed through.

    So passed through, they make their line (and no other) invalid UTF-8, and it is rejected.

    Args:
        chunks: Bytes in ``encoding``.
        encoding: As :func:`canonical` returns it.
        name: For messages.
        complete: Whether the text ends with the chunks; else a character cut there is left out.

    Raises:
        InputEncodingError: The bytes cannot be decoded at all (UTF-16 and UTF-32).
    """
    first = True
    if encoding != "utf-8":
        chunks = _transcode(chunks, encoding, name, complete)
    for chunk in chunks:
        if first and chunk:
            first = False
            chunk = chunk[3:] if chunk.startswith(UTF8_BOM) else chunk
        if chunk:
            yield chunk


def _transcode(
    chunks: Iterable[bytes], encoding: str, name: str, complete: bool
) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)("surrogateescape")
    offset = 0
    try:
        for chunk in chunks:
            text = decoder.decode(chunk)
            offset += len(chunk)
            if text:
                yield text.encode("utf-8", "surrogateescape")
        if complete:
            yield decoder.decode(b"", True).encode("utf-8", "surrogateescape")
    except UnicodeError as error:
        raise InputEncodingError(
            f"{name}: is not valid {encoding} behind byte {offset}: {error}"
        ) from error


def _check_mark(head: bytes, encoding: str, name: str) -> None:
    for mark, codec, label in _BOMS:
        if head.startswith(mark):
            if not encoding.startswith(codec):
                raise InputEncodingError(
                    f"{name}: is {label} (it begins with its byte order mark), not "
                    f"{encoding}: pass --encoding {codec}"
                )
            return
    if head.startswith(UTF8_BOM) and encoding != "utf-8":
        raise InputEncodingError(
            f"{name}: is UTF-8 (it begins with its byte order mark), not {encoding}: "
            f"leave out --encoding {encoding}"
        )


def _check_binary(head: bytes, encoding: str, name: str, valid: bool) -> None:
    controls = len(head) - len(head.translate(None, _CONTROL))
    nuls = head.count(0)
    if nuls > 0.05 * len(head):
        even = head[::2].count(0)
        if max(even, nuls - even) > 0.9 * nuls and len(head) > nuls * 1.2:
            codec = "utf-16-be" if even > nuls - even else "utf-16-le"
            if _decodes(head, codec, False):
                raise InputEncodingError(
                    f"{name}: looks like UTF-16 without a byte order mark, not {encoding}: "
                    f"pass --encoding {codec}"
                )
    if controls > (0.3 if valid else 0.01) * len(head):
        raise InputError(
            f"{name}: is binary, not text ({controls} control bytes in the first {len(head)})"
        )


def _check_lines(head: bytes, encoding: str, name: str) -> None:
    """Complain if no line with non-ASCII text decodes; a file with some good lines is read."""
    lines = head.split(b"\n")
    if len(lines) > 1:
        lines.pop()  # cut by the end of the head, or empty
    odd = [line for line in lines if not line.isascii()]
    if any(_decodes(line, encoding, True) for line in odd):
        return
    other = guess(b"\n".join(odd))
    if other is None and len(odd) < _MANY_BAD:
        return
    number = next((i for i, line in enumerate(lines, 1) if not line.isascii()), 1)
    hint = _hint(other) if other not in (None, encoding) else "; state it with --encoding"
    where = describe_bad_bytes(odd[0]).split(" is not")[0] + " of " if encoding == "utf-8" else ""
    raise InputEncodingError(
        f"{name}: is not {_TAG.get(encoding, encoding)} ({where}line {number}){hint}"
    )


def _decodes(data: bytes, encoding: str, complete: bool) -> bool:
    try:
        codecs.getincrementaldecoder(encoding)("strict").decode(data, complete)
    except UnicodeError:
        return False
    return True


def _instead(head: bytes) -> str:
    if _decodes(head, "utf-8", False):
        return "; looks like UTF-8: leave out --encoding"
    return _hint(guess(head))


def _hint(encoding: str | None) -> str:
    return f"; looks like {_TAG[encoding]}: pass --encoding {encoding}" if encoding else ""


def _lead(char: str, encoding: str) -> int:
    try:
        return char.encode(encoding)[0]
    except UnicodeEncodeError:
        return 0


def _cjk(text: str) -> int:
    return sum(1 for char in text if "\u3000" <= char <= "\u9fff")
