"""Pairs of token ids, and batches of them that cannot influence one another.

Why buckets: a float sum depends on how many terms the kernel adds, so the same pair padded to two
lengths differs in its last bits, and its label may flip at a threshold. Here the padded length is
a function of the pair alone (its own length, rounded up to a bucket), and a batch holds one
bucket only. Which other pairs are in the batch, how many, and in what order, then cannot matter.

On a CPU the buckets are one token wide, so that nothing is ever padded. Measured on the bundled
model (``benchmarks/model_parity.py``): batches of one pair reach 98% of the rate of large ones,
so that splitting by exact length costs next to nothing, while padding to buckets of 8, 16 and 32
costs 10%: the padding itself and a slower attention kernel, which has to read a mask.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ..errors import BackendError, ConfigError

IntArray: TypeAlias = npt.NDArray[np.int64]
TokenIds: TypeAlias = npt.NDArray[np.int32]

#: Padded tokens in one batch. Measured with ``benchmarks/model_parity.py`` on the bundled model:
#: from 512 up the rate changes by 2%, while memory grows by about 30 MB for each 1,024 tokens.
DEFAULT_TOKEN_BUDGET = 2048

#: Bucket widths: (up to this length, round up to a multiple of this), the last without limit.
BucketSteps: TypeAlias = tuple[tuple[int, int], ...]

#: No padding: a bucket for every length. The default, and best on a CPU.
EXACT: BucketSteps = ((1 << 30, 1),)
#: Fewer, larger batches at the price of padding, for devices that need them.
PADDED: BucketSteps = ((64, 8), (128, 16), (1 << 30, 32))


@dataclass(frozen=True, slots=True, eq=False)
class PairIds:
    """A (premise, hypothesis) pair as token ids without special tokens."""

    premise_ids: TokenIds
    hypothesis_ids: TokenIds


#: Token types of premise and hypothesis, where they depend on the pair; see `matching`.
PairTyper: TypeAlias = Callable[[TokenIds, TokenIds], tuple[list[int], list[int]]]


@dataclass(frozen=True, slots=True)
class PairTemplate:
    """How a model joins premise and hypothesis: prefix + premise + middle + hypothesis + suffix.

    Attributes:
        prefix: Special token ids before the premise.
        middle: Special token ids between premise and hypothesis.
        suffix: Special token ids after the hypothesis.
        pad_id: Id that fills up a batch.
        prefix_types: Token type of each prefix token; likewise ``middle_types`` and
            ``suffix_types``.
        premise_type: Token type of the premise's tokens.
        hypothesis_type: Token type of the hypothesis's tokens.
        typer: Gives the types of premise and hypothesis instead, pair by pair.
    """

    prefix: tuple[int, ...]
    middle: tuple[int, ...]
    suffix: tuple[int, ...]
    pad_id: int
    prefix_types: tuple[int, ...]
    middle_types: tuple[int, ...]
    suffix_types: tuple[int, ...]
    premise_type: int = 0
    hypothesis_type: int = 0
    typer: PairTyper | None = None

    @property
    def overhead(self) -> int:
        """Number of special tokens that a pair carries."""
        return len(self.prefix) + len(self.middle) + len(self.suffix)

    @property
    def uses_types(self) -> bool:
        """Whether any token has a type other than 0."""
        if self.typer is not None:
            return True
        types = (*self.prefix_types, *self.middle_types, *self.suffix_types)
        return any((*types, self.premise_type, self.hypothesis_type))

    def types(self, pair: PairIds) -> tuple[Sequence[int], Sequence[int]]:
        """Token types of the premise's tokens and of the hypothesis's."""
        if self.typer is not None:
            return self.typer(pair.premise_ids, pair.hypothesis_ids)
        return (
            [self.premise_type] * len(pair.premise_ids),
            [self.hypothesis_type] * len(pair.hypothesis_ids),
        )

    def length(self, pair: PairIds) -> int:
        """Tokens of the assembled pair, special tokens included, padding excluded."""
        return self.overhead + len(pair.premise_ids) + len(pair.hypothesis_ids)


@dataclass(frozen=True, slots=True, eq=False)
class TokenBatch:
    """Assembled pairs of one bucket, as a backend takes them.

    Attributes:
        input_ids: int64, shape (pairs, padded length).
        attention_mask: int64 of the same shape, 1 on tokens and 0 on padding.
        token_type_ids: int64 of the same shape.
    """

    input_ids: IntArray
    attention_mask: IntArray
    token_type_ids: IntArray

    def __len__(self) -> int:
        return int(self.input_ids.shape[0])

    @property
    def padded_length(self) -> int:
        """Columns of the batch."""
        return int(self.input_ids.shape[1])


def bucket_length(length: int, max_length: int, steps: BucketSteps = EXACT) -> int:
    """Rounds a pair's length up to its bucket.

    Args:
        length: Tokens of the assembled pair.
        max_length: Most tokens the model takes; caps the bucket.
        steps: Bucket widths.

    Returns:
        The padded length, at least ``length``.

    Raises:
        BackendError: ``length`` exceeds ``max_length``; nothing is ever cut here.
    """
    if length > max_length:
        raise BackendError(
            f"a pair has {length} tokens but the model takes {max_length}: shorten the premise "
            "by windows before scoring; nothing is cut silently"
        )
    step = next((step for upper, step in steps if length <= upper), steps[-1][1])
    return min(max(-(-length // step), 1) * step, max_length)


def make_batches(
    lengths: npt.ArrayLike,
    token_budget: int = DEFAULT_TOKEN_BUDGET,
    *,
    max_length: int = 512,
    steps: BucketSteps = EXACT,
    lanes: int = 1,
) -> list[IntArray]:
    """Groups pairs into batches of one bucket each, within a budget of padded tokens.

    Args:
        lengths: Assembled length of each pair (see `PairTemplate.length`).
        token_budget: Most padded tokens in a batch; a single pair may exceed it.
        max_length: Most tokens the model takes.
        steps: Bucket widths.
        lanes: Batches that will run side by side: none holds more than its share of the pairs.

    Returns:
        Index arrays that together hold each pair once, longest bucket first, so that memory
        peaks at the start and not late in a run. Input order is kept within a bucket.

    Raises:
        BackendError: A pair is longer than ``max_length``.
        ConfigError: ``token_budget`` is not positive.
    """
    if token_budget < 1:
        raise ConfigError(f"token_budget must be at least 1, not {token_budget!r}")
    values = np.asarray(lengths, dtype=np.int64).reshape(-1)
    if not values.size:
        return []
    distinct, inverse = np.unique(values, return_inverse=True)
    widths = np.array([bucket_length(int(n), max_length, steps) for n in distinct], np.int64)
    buckets = widths[inverse]
    order = np.argsort(-buckets, kind="stable").astype(np.int64)
    edges = np.flatnonzero(np.diff(buckets[order])) + 1
    share = -(-values.size // lanes)
    batches: list[IntArray] = []
    for group in np.split(order, edges):
        size = min(max(token_budget // int(buckets[group[0]]), 1), share)
        batches += [group[i : i + size] for i in range(0, len(group), size)]
    return batches


def collate(
    pairs: Sequence[PairIds],
    template: PairTemplate,
    max_length: int = 512,
    steps: BucketSteps = EXACT,
) -> TokenBatch:
    """Assembles and pads pairs of one bucket.

    Args:
        pairs: Pairs whose padded lengths agree; see `make_batches`.
        template: The model's template.
        max_length: Most tokens the model takes.
        steps: Bucket widths, the same as given to `make_batches`.

    Returns:
        The batch; with no pairs, one of shape (0, 0).

    Raises:
        BackendError: A pair is too long, or the pairs belong to different buckets, in which
            case a score would depend on batch mates.
    """
    if not pairs:
        empty = np.zeros((0, 0), dtype=np.int64)
        return TokenBatch(empty, empty.copy(), empty.copy())
    lengths = [template.length(pair) for pair in pairs]
    width = bucket_length(max(lengths), max_length, steps)
    if bucket_length(min(lengths), max_length, steps) != width:
        raise BackendError(
            f"a batch mixes pairs of {min(lengths)} and {max(lengths)} tokens, which belong to "
            "different buckets: group them with make_batches"
        )
    shape = (len(pairs), width)
    ids = np.full(shape, template.pad_id, dtype=np.int64)
    mask = np.zeros(shape, dtype=np.int64)
    types = np.zeros(shape, dtype=np.int64)
    start = len(template.prefix)
    gap, tail = len(template.middle), len(template.suffix)
    ids[:, :start] = template.prefix
    with_types = template.uses_types
    for row, (pair, length) in enumerate(zip(pairs, lengths, strict=True)):
        cut = start + len(pair.premise_ids)
        end = length - tail
        ids[row, start:cut] = pair.premise_ids
        ids[row, cut : cut + gap] = template.middle
        ids[row, cut + gap : end] = pair.hypothesis_ids
        ids[row, end:length] = template.suffix
        mask[row, :length] = 1
        if with_types:
            premise, hypothesis = template.types(pair)
            types[row, :start] = template.prefix_types
            types[row, start:cut] = premise
            types[row, cut : cut + gap] = template.middle_types
            types[row, cut + gap : end] = hypothesis
            types[row, end:length] = template.suffix_types
    return TokenBatch(ids, mask, types)
