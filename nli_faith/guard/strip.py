"""Takes sentences out of a text so that what is left is well-formed.

An online algorithm: pieces come one by one with the word whether they stay, text goes out as soon
as nothing that follows can change it. So the same code serves whole answers and streams.

What it looks after: items go with their markers and later ones are renumbered; a table keeps its
header as long as a row stays; a heading or lead-in under which nothing is left goes too, and only
then; quotes, brackets and emphasis stay in pairs; a connective whose partner is gone goes with it.
What it leaves: pronouns (它), counts (以下三点) and references (见第3点) that a removed sentence
made wrong.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from nli_faith.guard.connectives import detach
from nli_faith.guard.delimiters import Delimiters
from nli_faith.guard.leads import Lead, Waiting
from nli_faith.guard.numbering import Renumberer, has_marker
from nli_faith.guard.pieces import Piece

_TERMINATOR: Final = re.compile(r"[。！？!?.…]+[”’」』）)\"]*\Z")
_CLAUSE_LEAD: Final = re.compile(r"\s*[，；、,;]\s*\Z")
_TABLE_END: Final = re.compile(r"(?:\s*</(?:thead|tbody|table)\s*>)+", re.IGNORECASE)
_UNDERLINE: Final = re.compile(r"[=-]{3,}\s*")


@dataclass(slots=True)
class Stripper:
    """Removes pieces from a text, one after the other.

    Attributes:
        orphans: Headings and lead-ins that went because nothing under them is left.
    """

    orphans: list[str] = field(default_factory=list)
    _numbers: Renumberer = field(default_factory=Renumberer)
    _marks: Delimiters = field(default_factory=Delimiters)
    _waiting: list[Waiting] = field(default_factory=list)
    _item: Lead | None = None  # lead of an item of which nothing has stayed yet
    _header: str = ""  # of a table of which no row has stayed yet
    _furniture: str = ""
    _newlines: int = 0  # the widest gap since the last text that went out
    _emptied: bool = False  # the table at hand lost rows, and none has stayed
    _in_table: bool = False  # one has
    _started: bool = False  # something went out
    _stayed: int = 0
    _removed: bool = False  # anything at all
    _after_removed: bool = False
    _line_has_text: bool = False
    _unfinished: bool = False  # the last sentence that went out lost its end
    _tail_to: str = ""  # who owns the rest of the last piece's line: out, waiting or nobody

    def feed(self, piece: Piece, keep: bool) -> str:
        """Take the next piece.

        Args:
            piece: The piece.
            keep: Whether it stays.

        Returns:
            Text that can go out.
        """
        out = self._rest_of_line(piece)
        lead, starts_line = self._read_lead(piece)
        marked = lead.number is not None or has_marker(lead.prefix, piece.body)
        goes_on = starts_line and not marked and lead.goes_on(self._item)
        new_item = marked or (starts_line and not goes_on)
        if starts_line:
            self._marks.new_block()
            self._line_has_text = False
        if new_item:
            self._item = None
        out += self._close_scopes(piece, starts_line)
        if not keep:
            return out + self._drop(piece, lead, new_item)
        if self._item is not None:
            lead, self._item = self._item, None
        if piece.is_heading or piece.introduces:
            level = piece.level() if piece.is_heading else 0
            if self._newlines > lead.newlines:
                lead.newlines, lead.raw = self._newlines, "\n" * self._newlines + lead.prefix
            self._newlines = 0
            self._waiting.append(Waiting(lead, piece.body, level, piece.body))
            self._tail_to = "waiting"
            return out
        return out + self._keep(piece, lead, starts_line)

    def finish(self, tail: str = "") -> str:
        """The end of the text.

        Args:
            tail: What stands behind the last piece.
        """
        out = ""
        end = _TABLE_END.match(tail)
        if end is not None:
            out += "" if self._emptied else end.group()
            tail = tail[end.end() :]
        owner = self._tail_to
        out += self._flush_or_drop(self._waiting)
        self._waiting = []
        if self._started and (owner != "nobody" or not tail.strip()):
            out += tail if owner != "nobody" else tail[len(tail.rstrip("\n")) :]
        return out

    # --- leads

    def _rest_of_line(self, piece: Piece) -> str:
        """What stands behind the last piece on its line goes where that piece went."""
        lead = piece.lead
        end = _TABLE_END.match(lead)
        closing = ""
        if end is not None:
            closing = "" if self._emptied else end.group()
            self._emptied = False
            lead = lead[end.end() :]
        rest, newline, below = lead.partition("\n")
        if not newline:
            return closing
        line, more, _ = below.partition("\n")
        if self._tail_to == "waiting" and self._waiting:
            self._waiting[-1].body += rest
            if more and self._underlines(line):
                self._waiting[-1].body += "\n" + line
            return closing
        return closing + (rest if self._tail_to == "out" else "")

    def _read_lead(self, piece: Piece) -> tuple[Lead, bool]:
        """The lead read, and whether it begins a line."""
        text = piece.lead
        end = _TABLE_END.match(text)
        if end is not None:
            text = text[end.end() :]
        head, newline, prefix = text.rpartition("\n")
        first = not self._tail_to
        if not newline and not first and end is None:
            if piece.is_table:  # an HTML row: a header stands on the same line
                return Lead(text, 0, "", "", header=prefix), False
            return Lead(text, 0, "", prefix, self._numbers.see(prefix, piece.body)), False
        raw = text if first else text[text.find("\n") :] if newline else text
        lines = head.split("\n") if newline else []
        # The first line is the rest of the last piece's, but at the beginning of the text.
        lines = lines if first else lines[1:]
        if lines and self._underlines(lines[0]):
            raw = raw[1 + len(lines[0]) :]  # taken as the underline of the heading
            lines = lines[1:]
        solid = [line for line in lines if line.strip()]
        newlines = text.count("\n") - len(solid)
        if piece.is_table:
            header = "".join(f"{line}\n" for line in solid)
            if prefix.strip():  # HTML
                header, prefix = header + prefix, ""
            return Lead(raw, newlines, "", prefix, header=header), True
        self._header = ""
        furniture = "".join(f"{line}\n" for line in solid)
        number = self._numbers.see(prefix, piece.body)
        return Lead(raw, newlines, furniture, prefix, number), True

    def _underlines(self, line: str) -> bool:
        """Whether a line is the underline of the heading before it."""
        heads = self._tail_to == "waiting" and self._waiting and self._waiting[-1].level
        return bool(heads) and _UNDERLINE.fullmatch(line) is not None

    # --- going and staying

    def _drop(self, piece: Piece, lead: Lead, new_item: bool) -> str:
        if new_item:
            self._item = lead
            self._furniture += lead.furniture
            lead.furniture = ""
        self._header = lead.header or self._header
        if piece.is_table:
            self._in_table = self._in_table and not lead.header
            self._emptied = not self._in_table
        self._newlines = max(self._newlines, lead.newlines)
        for waiting in self._waiting:
            waiting.removed += 1
        closers = self._marks.removed(piece.body)
        out = closers if self._started else ""
        self._removed = True
        end = _TERMINATOR.search(piece.body)
        if self._unfinished and _CLAUSE_LEAD.match(lead.prefix) and end is not None:
            out += end.group()
            self._unfinished = False
        self._after_removed = True
        self._tail_to = "nobody"
        return out

    def _keep(self, piece: Piece, lead: Lead, starts_line: bool) -> str:
        out = self._flush(starts_line)
        body = piece.body
        if not piece.is_table:
            if self._after_removed and _CLAUSE_LEAD.match(lead.prefix) and not self._unfinished:
                lead = Lead("", 0, "", "")
                body = piece.first.text  # a clause whose subject went carries it in its text
            if self._after_removed:
                body = detach(body, before_removed=True, nothing_before=self._stayed == 0)
            body = self._marks.kept(body) + body
        out += self._write_lead(lead, table=piece.is_table)
        self._after_removed = False
        self._line_has_text = self._started = True
        self._stayed += 1
        self._unfinished = _TERMINATOR.search(body) is None
        self._tail_to = "out"
        return out + body

    def _write_lead(self, lead: Lead, *, table: bool = False) -> str:
        lost = self._newlines if not self._line_has_text else 0
        furniture = self._furniture
        header = (lead.header or self._header) if table else ""
        self._newlines, self._furniture = 0, ""
        if table:
            self._header, self._in_table, self._emptied = "", True, False
        prefix = self._numbers.write(lead.prefix, lead.number)
        whole = not furniture and not lost and header == lead.header
        if whole and (self._started or not self._removed):
            return lead.raw[: len(lead.raw) - len(lead.prefix)] + prefix
        if not self._started:
            return header + prefix
        # Of two rules with nothing left between them one stays.
        furniture = lead.furniture or furniture
        newlines = max(lead.newlines, lost)
        newlines = min(newlines, 2 if furniture else max(2, lead.newlines))
        if furniture and newlines:
            furniture += "\n" * (newlines > 1)
        return "\n" * newlines + furniture + header + prefix

    # --- headings and lead-ins

    def _flush(self, starts_line: bool) -> str:
        """Let go out what waited for something that stays, the piece at hand."""
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return ""
        # What was dropped stood behind what waited.
        lost, self._newlines = self._newlines, 0
        furniture, self._furniture = self._furniture, ""
        out = "".join(map(self._emit, waiting))
        self._newlines, self._furniture = lost, furniture
        self._line_has_text = not starts_line
        return out

    def _emit(self, item: Waiting) -> str:
        self._line_has_text = False
        header, self._header = self._header, ""
        out = self._write_lead(item.lead) + item.body
        self._header = header
        self._started = self._line_has_text = True
        self._unfinished = False
        return out

    def _flush_or_drop(self, closed: list[Waiting]) -> str:
        """End of scopes: what was emptied goes, what was empty before stays."""
        out = ""
        for item in closed:
            if item.removed:
                self.orphans.append(item.orphan)
                self._newlines = max(self._newlines, item.lead.newlines)
                self._after_removed = True
                self._tail_to = "nobody"
                continue
            out += self._emit(item)
            self._stayed += item.level == 0
            self._tail_to = "out"
        return out

    def _close_scopes(self, piece: Piece, starts_line: bool) -> str:
        """Headings and lead-ins whose scope ends before this piece."""
        level = piece.level() if piece.is_heading else 0
        for i, item in enumerate(self._waiting):
            if self._ends(item, level, piece, starts_line):
                closed, self._waiting = self._waiting[i:], self._waiting[:i]
                if not any(c.removed for c in closed):
                    # Nothing was taken away: parents stay as well, and in order.
                    closed, self._waiting = self._waiting + closed, []
                return self._flush_or_drop(closed)
        return ""

    def _ends(self, item: Waiting, level: int, piece: Piece, starts_line: bool) -> bool:
        if item.level:
            return level > 0 and item.level >= level
        return level > 0 or item.ends_before(piece, starts_line)
