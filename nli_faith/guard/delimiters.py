"""Quotes, brackets and emphasis that open in one sentence and close in another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_PAIRS: Final = {"”": "“", "」": "「", "』": "『", "）": "（", ")": "(", "》": "《", "】": "【"}
_OPEN: Final = frozenset(_PAIRS.values())
_TOGGLES: Final = frozenset({"**", "__", "`", '"'})
_TOKEN: Final = re.compile(r"\*\*|__|[`\"“”「」『』（）()《》【】]")


class Delimiters:
    """What is open in the text that stays, and what a removed sentence has opened."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._waiting: list[str] = []

    def new_block(self) -> None:
        """A new line or block: nothing stays open across it."""
        self._open.clear()
        self._waiting.clear()

    def removed(self, body: str) -> str:
        """A sentence is removed; returns the closers that the text before still needs."""
        needed = ""
        for token, opens in _unmatched(body, self._open + self._waiting):
            if opens:
                self._waiting.append(token)
                continue
            opener = _PAIRS.get(token, token)
            if opener in self._waiting:
                self._waiting.remove(opener)
            elif opener in self._open:
                self._open.remove(opener)
                needed += token
        return needed

    def kept(self, body: str) -> str:
        """A sentence stays; returns the openers that must stand before it."""
        openers = "".join(self._waiting)
        self._open += self._waiting
        self._waiting = []
        for token, opens in _unmatched(body, self._open):
            if opens:
                self._open.append(token)
            elif (opener := _PAIRS.get(token, token)) in self._open:
                self._open.remove(opener)
        return openers


def _unmatched(body: str, outside: list[str]) -> Iterator[tuple[str, bool]]:
    """Delimiters without a partner in the body: (token, whether it opens).

    A mark that opens and closes alike closes where one is open outside.
    """
    stack: list[str] = []
    closers: list[str] = []
    around = list(outside)
    for match in _TOKEN.finditer(body):
        token = match.group()
        if token in _TOGGLES:
            if token in stack:
                stack.remove(token)
            elif token in around:
                around.remove(token)
                closers.append(token)
            else:
                stack.append(token)
        elif token in _OPEN:
            stack.append(token)
        elif _PAIRS[token] in stack:
            stack.remove(_PAIRS[token])
        else:
            closers.append(token)
    for token in closers:
        yield token, False
    for token in stack:
        yield token, True
