"""The tokenizer of a model: ids without special tokens, and how a pair is assembled from them.

The tokenizer is shared by threads, so nothing is ever set on it after loading. Truncation and
padding, which a ``tokenizer.json`` may carry, are switched off: a text is never cut silently.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from ..errors import MissingExtraError, ModelFormatError
from .batching import PairIds, PairTemplate, TokenIds
from .matching import SCHEME, MatchTyper

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

#: By token id: whether it is a special token of the template.
SpecialIds: TypeAlias = npt.NDArray[np.bool_]

#: Texts the template is checked on: scripts, digits, markup, an emoji, white space at the edges.
_PROBE_PAIRS = (
    ("公司2023年营收增长12%。", "营收增长了百分之十二。"),
    ("The warranty lasts 24 months.", "保修期为两年。"),
    ("《办法》（试行）第三章 住宿标准：500 元/晚", "住宿上限是 500元。"),
    (" 你好😀 ", "x"),
    ("a" * 40, "12.5% 〇"),
)

#: Texts for `concat_safe`: pieces that a tokenizer might join or change at a seam.
_SEAMS = (
    "标准为500元/晚。", "由部门负责人审批。", "It rained, again.", "the end", "12", "%", "３",
    "（试行）", "…", "ing", "😀", "——", "《办法》", "A", "。", "é", "٣",
)  # fmt: skip


def load_tokenizer(path: Path) -> Tokenizer:
    """Reads ``tokenizer.json`` and switches truncation and padding off.

    Raises:
        MissingExtraError: ``tokenizers`` is not installed.
        ModelFormatError: The file is missing or broken.
    """
    try:
        from tokenizers import Tokenizer
    except ImportError as exc:  # pragma: no cover - a base dependency
        raise MissingExtraError("tokenizers", "all") from exc
    try:
        # From bytes, so that a path with non-ASCII characters cannot matter.
        tokenizer = Tokenizer.from_buffer(path.read_bytes())
    except FileNotFoundError as exc:
        raise ModelFormatError(f"{path.parent} has no tokenizer.json") from exc
    except Exception as exc:  # the library raises bare Exception
        raise ModelFormatError(f"{path} is no readable tokenizer: {exc}") from exc
    tokenizer.no_truncation()
    tokenizer.no_padding()
    # "[SEP]" in a document is text; see also `special_ids`.
    tokenizer.encode_special_tokens = True
    return tokenizer


def _clean(text: str) -> str:
    """Replaces lone surrogates, which no tokenizer takes."""
    return text.encode("utf-8", "replace").decode("utf-8")


def special_ids(tokenizer: Tokenizer, template: PairTemplate) -> SpecialIds:
    """A table by token id: whether it belongs to the template or is padding.

    A text that spells a special token must not become one: ``</s>`` in a document would forge
    the end of the premise. Switching special tokens off is not enough where the model's own
    vocabulary lists them as pieces, as sentencepiece's does.
    """
    own = {*template.prefix, *template.middle, *template.suffix, template.pad_id}
    marked = {i for i, token in tokenizer.get_added_tokens_decoder().items() if token.special}
    table = np.zeros(tokenizer.get_vocab_size(with_added_tokens=True) + 1, dtype=np.bool_)
    table[[i for i in own & marked if i < len(table)]] = True
    return table


def encode_texts(
    tokenizer: Tokenizer, texts: Sequence[str], special: SpecialIds | None = None
) -> list[TokenIds]:
    """Token ids without special tokens, one array a text; safe to call from many threads.

    Args:
        tokenizer: From `load_tokenizer`.
        texts: Any strings; lone surrogates are replaced.
        special: From `special_ids`; such ids are dropped.
    """
    if not texts:
        return []
    try:
        encodings = tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
    except (UnicodeEncodeError, TypeError):
        cleaned = [_clean(text) for text in texts]
        encodings = tokenizer.encode_batch_fast(cleaned, add_special_tokens=False)
    arrays = [np.array(encoding.ids, dtype=np.int32) for encoding in encodings]
    if special is None:
        return arrays
    hits = (special[ids] for ids in arrays)
    return [ids[~hit] if hit.any() else ids for ids, hit in zip(arrays, hits, strict=True)]


def _runs(encoding: Encoding) -> list[tuple[int | None, list[int], list[int]]]:
    """Splits a pair encoding into runs of (sequence or None, ids, types)."""
    runs: list[tuple[int | None, list[int], list[int]]] = []
    items = zip(encoding.sequence_ids, encoding.ids, encoding.type_ids, strict=True)
    for sequence, token, kind in items:
        if not runs or runs[-1][0] != sequence:
            runs.append((sequence, [], []))
        runs[-1][1].append(token)
        runs[-1][2].append(kind)
    return runs


def read_template(
    tokenizer: Tokenizer, pad_id: int, match_types: str | None = None
) -> PairTemplate:
    """Learns the pair template by encoding a pair, and checks it on several.

    Args:
        tokenizer: A loaded tokenizer.
        pad_id: Padding id from the model's config.
        match_types: The config's scheme of match types (see `matching`), if it has one.

    Returns:
        The template.

    Raises:
        ModelFormatError: Pairs are not assembled as special tokens around the premise, then the
            hypothesis; or the scheme is unknown here.
    """
    runs = _runs(tokenizer.encode(*_PROBE_PAIRS[0]))
    layout = [run[0] for run in runs]
    texts = [s for s in layout if s is not None]
    if texts != [0, 1]:
        raise ModelFormatError(
            f"tokenizer.json assembles a pair in the order {layout}: premise, then hypothesis, "
            "each once, is expected"
        )
    empty: tuple[int | None, list[int], list[int]] = (None, [], [])
    at, behind = layout.index(0), layout.index(1)
    before = runs[0] if at > 0 else empty
    between = runs[at + 1] if behind > at + 1 else empty
    after = runs[behind + 1] if behind + 1 < len(runs) else empty
    template = PairTemplate(
        prefix=tuple(before[1]),
        middle=tuple(between[1]),
        suffix=tuple(after[1]),
        pad_id=pad_id,
        prefix_types=tuple(before[2]),
        middle_types=tuple(between[2]),
        suffix_types=tuple(after[2]),
        premise_type=runs[at][2][0],
        hypothesis_type=runs[behind][2][0],
    )
    _check_template(tokenizer, template)
    if match_types is None:
        return template
    if match_types != SCHEME:
        raise ModelFormatError(
            f"the model's config names match_types {match_types!r}; known is {SCHEME!r}"
        )
    return replace(template, typer=MatchTyper(tokenizer.id_to_token))


def assemble(pair: PairIds, template: PairTemplate) -> tuple[list[int], list[int]]:
    """Ids and token types of one pair, as plain lists."""
    premise, hypothesis = pair.premise_ids.tolist(), pair.hypothesis_ids.tolist()
    ids = [*template.prefix, *premise, *template.middle, *hypothesis, *template.suffix]
    left, right = template.types(pair)
    types = [
        *template.prefix_types, *left, *template.middle_types, *right, *template.suffix_types
    ]  # fmt: skip
    return ids, types


def _check_template(tokenizer: Tokenizer, template: PairTemplate) -> None:
    for premise, hypothesis in _PROBE_PAIRS:
        whole = tokenizer.encode(premise, hypothesis)
        made = assemble(PairIds(*encode_texts(tokenizer, [premise, hypothesis])), template)
        if made != (whole.ids, whole.type_ids):
            raise ModelFormatError(
                "tokenizer.json does not assemble pairs by a fixed template: "
                f"{premise!r} with {hypothesis!r} gives {whole.ids}, expected {made[0]}"
            )


def is_concat_safe(tokenizer: Tokenizer) -> bool:
    """Whether ``ids(a + " " + b) == ids(a) + ids(b)`` on a sample of seams.

    Meant for texts without white space at their edges, as segments are; tokenizers differ in what
    they make of two spaces in a row. If so, a window of several segments can be made of the
    segments' ids, and each segment is tokenised once however many windows hold it.
    """
    joined = [f"{a} {b}" for a in _SEAMS for b in _SEAMS]
    single = dict(zip(_SEAMS, encode_texts(tokenizer, _SEAMS), strict=True))
    whole = encode_texts(tokenizer, joined)
    seams = ((a, b) for a in _SEAMS for b in _SEAMS)
    return all(
        np.array_equal(ids, np.concatenate([single[a], single[b]]))
        for ids, (a, b) in zip(whole, seams, strict=True)
    )
