"""A ``tokenizer.json`` made from a sentencepiece file, for models that ship nothing else.

Built from the file itself, not through transformers: version 5 leaves sentencepiece's normaliser
out of a DeBERTa tokenizer, so that full-width marks, which most Chinese texts are full of, become
other tokens than those the model was trained on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import MissingExtraError, ModelFormatError
from ..manifest import read_json

if TYPE_CHECKING:
    from tokenizers import Tokenizer

#: ``ModelProto.SentencePiece.Type`` of pieces that are always kept whole.
_USER_DEFINED = 4
_UNIGRAM = 1


@dataclass(frozen=True, slots=True)
class Family:
    """How a family of models numbers pieces and joins pairs.

    Attributes:
        tokens: Default text of each role's special token.
        front: Roles that have the ids from 0 on, in place of sentencepiece's first three pieces;
            empty where ids are sentencepiece's own.
        single: Template of one text, with roles in braces.
        pair: Template of a pair.
    """

    tokens: Mapping[str, str]
    front: tuple[str, ...]
    single: str
    pair: str


_DEBERTA = Family(
    {"cls_token": "[CLS]", "sep_token": "[SEP]", "pad_token": "[PAD]", "unk_token": "[UNK]",
     "mask_token": "[MASK]"},
    (),
    "{cls_token} $A {sep_token}",
    "{cls_token} $A {sep_token} $B:1 {sep_token}:1",
)  # fmt: skip
_XLMR = Family(
    {"cls_token": "<s>", "sep_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>",
     "mask_token": "<mask>"},
    ("cls_token", "pad_token", "sep_token", "unk_token"),
    "{cls_token} $A {sep_token}",
    "{cls_token} $A {sep_token} {sep_token} $B {sep_token}",
)  # fmt: skip
#: ``model_type`` to family.
FAMILIES: Mapping[str, Family] = {"deberta-v2": _DEBERTA, "xlm-roberta": _XLMR}


def special_tokens(source: Path, family: Family) -> dict[str, str]:
    """Text of each role's special token: the model's own files, else the family's default.

    Raises:
        ModelFormatError: A file is broken.
    """
    out = dict(family.tokens)
    for name in ("special_tokens_map.json", "tokenizer_config.json"):
        if not (source / name).is_file():
            continue
        data = read_json(source / name)
        for role in out:
            value = data.get(role)
            value = value.get("content") if isinstance(value, Mapping) else value
            if isinstance(value, str) and value:
                out[role] = value
    return out


def vocabulary(proto: Any, family: Family, tokens: Mapping[str, str]) -> list[tuple[str, float]]:
    """Pieces with their scores, in the order of the model's ids.

    Args:
        proto: A ``sentencepiece`` ``ModelProto``.
        family: How ids are given.
        tokens: From `special_tokens`.
    """
    pieces = [(piece.piece, float(piece.score)) for piece in proto.pieces]
    if not family.front:
        return pieces
    # fairseq's dictionary has four tokens of its own; sentencepiece's first three fall away.
    return [(tokens[role], 0.0) for role in family.front] + pieces[3:]


def _normaliser(spec: Any, *, lower: bool) -> Any:
    from tokenizers import Regex, normalizers

    steps: list[Any] = [normalizers.Lowercase()] if lower else []
    if spec.precompiled_charsmap:
        steps.append(normalizers.Precompiled(spec.precompiled_charsmap))
    if spec.remove_extra_whitespaces:  # of which only U+0020 counts as one
        steps.append(normalizers.Replace(Regex(r"\A +| +\z"), ""))
        steps.append(normalizers.Replace(Regex(" {2,}"), " "))
    return normalizers.Sequence(steps)


def _splitter(proto: Any, *, punctuation: bool) -> Any:
    from tokenizers import Regex, pre_tokenizers

    steps: list[Any] = []
    spec = proto.normalizer_spec
    if punctuation:
        steps.append(pre_tokenizers.Punctuation(behavior="isolated"))
    scheme = "always" if spec.add_dummy_prefix else "never"
    steps.append(pre_tokenizers.Metaspace(replacement="▁", prepend_scheme=scheme, split=False))
    whole = [p.piece for p in proto.pieces if p.type == _USER_DEFINED]
    if whole:
        pattern = "|".join(re.escape(p) for p in sorted(whole, key=len, reverse=True))
        steps.append(pre_tokenizers.Split(Regex(pattern), behavior="isolated"))
    return pre_tokenizers.Sequence(steps)


def _add_special(tokenizer: Tokenizer, source: Path, tokens: Mapping[str, str]) -> None:
    """Marks special tokens, and appends those that are no pieces in the order of their ids."""
    from tokenizers import AddedToken

    extra: dict[str, int] = {}
    if (source / "added_tokens.json").is_file():
        extra = {str(k): int(v) for k, v in read_json(source / "added_tokens.json").items()}
    ordered = sorted(tokens.values(), key=lambda token: extra.get(token, -1))
    ordered += sorted(set(extra) - set(tokens.values()), key=lambda token: extra[token])
    tokenizer.add_special_tokens([AddedToken(t, special=True, normalized=False) for t in ordered])
    for token, wanted in extra.items():
        if tokenizer.token_to_id(token) != wanted:
            raise ModelFormatError(
                f"{source / 'added_tokens.json'} gives {token!r} the id {wanted}, but "
                f"sentencepiece's pieces leave {tokenizer.token_to_id(token)} for it"
            )


def _post_processor(tokenizer: Tokenizer, family: Family, tokens: Mapping[str, str]) -> Any:
    from tokenizers import processors

    used = [tokens["cls_token"], tokens["sep_token"]]
    return processors.TemplateProcessing(
        single=family.single.format(**tokens),
        pair=family.pair.format(**tokens),
        special_tokens=[(token, tokenizer.token_to_id(token)) for token in dict.fromkeys(used)],
    )


def convert_pieces(source: Path, pieces: Path, family: Family) -> Tokenizer:
    """Makes a tokenizer that splits as sentencepiece does.

    Args:
        source: Hugging Face directory, for tokenizer_config.json, special_tokens_map.json and
            added_tokens.json where it has them.
        pieces: The sentencepiece file, a unigram model.
        family: From `FAMILIES`.

    Raises:
        MissingExtraError: sentencepiece or its protobuf is not installed.
        ModelFormatError: The file is broken, is no unigram model, or disagrees with
            added_tokens.json.
    """
    try:
        from google.protobuf.message import DecodeError

        # By name: its classes are made when it is imported, and no type checker sees them.
        format_: Any = import_module("sentencepiece.sentencepiece_model_pb2")
    except ImportError as exc:
        raise MissingExtraError(exc.name or "sentencepiece", "export") from exc
    from tokenizers import Tokenizer, decoders, models

    proto = format_.ModelProto()
    try:
        proto.ParseFromString(pieces.read_bytes())
    except DecodeError as exc:
        raise ModelFormatError(f"{pieces} is no sentencepiece model: {exc}") from exc
    if proto.trainer_spec.model_type != _UNIGRAM or not proto.pieces:
        kind = proto.trainer_spec.model_type
        raise ModelFormatError(
            f"{pieces} is a sentencepiece model of type {kind}; only unigram ({_UNIGRAM}) is read"
        )
    config = source / "tokenizer_config.json"
    options = read_json(config) if config.is_file() else {}
    tokens = special_tokens(source, family)
    vocab = vocabulary(proto, family, tokens)
    unknown = next((i for i, (piece, _) in enumerate(vocab) if piece == tokens["unk_token"]), None)
    if unknown is None:
        raise ModelFormatError(f"{pieces} has no piece {tokens['unk_token']!r} for the unknown")
    tokenizer = Tokenizer(models.Unigram(vocab, unknown, proto.trainer_spec.byte_fallback))
    spec = proto.normalizer_spec
    tokenizer.normalizer = _normaliser(spec, lower=bool(options.get("do_lower_case")))
    tokenizer.pre_tokenizer = _splitter(proto, punctuation=bool(options.get("split_by_punct")))
    tokenizer.decoder = decoders.Metaspace(
        replacement="▁", prepend_scheme="always" if spec.add_dummy_prefix else "never"
    )
    _add_special(tokenizer, source, tokens)
    tokenizer.post_processor = _post_processor(tokenizer, family, tokens)
    return tokenizer


def check_pieces(
    fast: Tokenizer, slow: Any, sample: tuple[str, ...], *, lower: bool = False
) -> None:
    """Compares a converted tokenizer with sentencepiece, piece by piece.

    Args:
        fast: The converted tokenizer.
        slow: A ``sentencepiece.SentencePieceProcessor``.
        sample: Texts to compare on.
        lower: Whether the model lowers its input before sentencepiece sees it.

    Raises:
        ModelFormatError: They differ; the first text that does is quoted with both results.
    """
    unknown = json.loads(fast.to_str())["model"]["unk_id"]
    for text in sample:
        encoded = fast.encode(text, add_special_tokens=False)
        ids, seen = slow.encode(text.lower() if lower else text), encoded.ids
        # What neither can spell, one gives as it stands and the other as its unknown token.
        got = [None if i == unknown else t for i, t in zip(seen, encoded.tokens, strict=True)]
        wanted = [None if i == slow.unk_id() else slow.id_to_piece(i) for i in ids]
        if got != wanted:
            raise ModelFormatError(
                f"the converted tokenizer differs from sentencepiece on {text!r}: "
                f"{_shown(got)} instead of {_shown(wanted)}"
            )


def _shown(pieces: list[str | None]) -> str:
    return " ".join("(unknown)" if piece is None else piece for piece in pieces)
