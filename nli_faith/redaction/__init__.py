"""Masks private numbers and addresses in texts before they are stored.

What is found, in half-width and full-width digits and letters alike:

* ``email``: ``name@host.tld``, in ASCII; addresses in Chinese characters are not recognised.
* ``mobile``: 11 digits from 13 to 19, with or without ``+86``, plain or cut by spaces, hyphens,
  dots or zero-width characters (3-4-4, 3-8, 7-4, 4-3-4, 3-3-5).
* ``landline``: area code and 7 or 8 digits joined by a hyphen, space or brackets, with or without
  an extension; 400 and 800 numbers, plain ones unless they end in 0000 or stand behind 订单号 and
  their like; any 7 to 12 digits, also in groups, behind a cue (电话, 座机, 传真, tel); 9 to 15
  digits behind ``+`` and a country code.
* ``id``: 18 characters whose birth date exists and whose check digit is right (GB 11643-1999, ISO
  7064 MOD 11-2), plain or as 6-8-4; behind a cue (身份证) also with a wrong check digit, and the
  old 15 digits.
* ``card``: 15 to 19 digits, plain or in groups, with the prefix and length of an issuer (UnionPay,
  Visa, Mastercard, JCB, American Express, ICBC's 9558) and the right check digit (Luhn, ISO/IEC
  7812-1); behind a cue (卡号, 账号) 12 to 19 digits whatever they are, in any groups.
* ``passport``: PRC forms (E and 8 digits, E, a letter and 7 digits, G and 8 digits, D S P H and 7
  or 8); they need the cue (护照, passport) unless they begin with E or G, and these are let be
  behind 型号, 订单号 and their like. Behind 通行证 or 台胞证 a letter and 7 to 10 digits, or 8.

Figures stay: a number with a decimal point, a currency sign before it or a unit behind it
(``13800000000元``, ``1.38``, ``￥…``) is no telephone number or card, and dates, years, thousands
and versions match no pattern. Names and postal addresses are not recognised.

A mask has the length of what it covers, with separators left in place (``***-****-****``), so that
the offsets of claims and evidence stay right.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nli_faith.errors import ConfigError
from nli_faith.redaction.find import KINDS, Private, cover, find_private

__all__ = ["KINDS", "Private", "find_private", "redact", "redact_row", "redact_value"]


def redact(text: str, *, mask: str = "*") -> str:
    """A text with what is private masked, character for character.

    Args:
        text: Any text.
        mask: One character that takes the place of each letter and digit.

    Returns:
        A text of the same length; redacting it again changes nothing.

    Raises:
        ConfigError: The mask is not one character, or is a letter or digit.
    """
    if len(mask) != 1 or mask.isalnum():
        raise ConfigError(f"the mask must be one character that is no letter or digit: {mask!r}")
    items = find_private(text)
    return cover(text, items, mask) if items else text


def redact_value(value: Any, *, mask: str = "*") -> Any:
    """A JSON value with every string in it redacted, keys too, and integers that are private.

    Args:
        value: Strings, numbers, lists and objects, nested at will.
        mask: See `redact`.

    Returns:
        A copy; what holds nothing private is equal to what it was.
    """
    if isinstance(value, str):
        return redact(value, mask=mask)
    if isinstance(value, Mapping):
        return {_key(k, mask): redact_value(v, mask=mask) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [redact_value(item, mask=mask) for item in value]
    if isinstance(value, int) and not isinstance(value, bool) and value >= 10**9:
        shown = redact(str(value), mask=mask)  # a telephone number that came as a number
        return value if shown == str(value) else shown
    return value


def redact_row(row: Mapping[str, Any], *, mask: str = "*", keep: tuple[str, ...] = ("id",)) -> Any:
    """A record or result row with every text redacted except under some keys.

    The id is kept by default: it joins files, and masked ids of one length would all be one.

    Args:
        row: The row.
        mask: See `redact`.
        keep: Top-level keys that are left as they are.
    """
    return {k: v if k in keep else redact_value(v, mask=mask) for k, v in row.items()}


def _key(key: Any, mask: str) -> Any:
    return redact(key, mask=mask) if isinstance(key, str) else key
