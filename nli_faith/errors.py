"""Every error this package raises on purpose.

NliFaithError
├── ConfigError            an option has a value that cannot work          (ValueError)
├── RecordError            a row cannot be read: source, line and field    (ValueError)
├── InputError             an input file as a whole cannot be read
│   └── InputEncodingError     the bytes are not in the stated encoding
├── OutputError            an output cannot be written
│   ├── OutputPathError        the path can never be one: a directory, no such folder
│   ├── OutputExistsError      it is there already, with content
│   ├── OutputLockedError      another run is writing it
│   └── ResumeMismatchError    it was written under another configuration
├── CacheError             the pair cache cannot be used
├── MissingExtraError      an optional dependency is not installed         (ImportError)
├── ModelError
│   ├── ModelNotFoundError     no such model, locally or by name
│   ├── ModelFormatError       files missing, truncated or of a wrong kind
│   ├── ModelIntegrityError    a file's sha256 differs from the manifest
│   └── LabelMapError          the label order cannot be known
└── BackendError           inference failed, or gave numbers that are no probabilities
    └── WorkerError            worker processes died again and again on the same records
"""

from __future__ import annotations


class NliFaithError(Exception):
    """Base of all errors raised on purpose by nli_faith."""


class ConfigError(NliFaithError, ValueError):
    """An option has a value that cannot work; the message quotes it."""


class RecordError(NliFaithError, ValueError):
    """One row cannot be used.

    Attributes:
        reason: What is wrong, in plain words.
        source: File name or other origin, if known.
        line: 1-based line or row number in ``source``, if known.
        field: Name of the offending field, if one is to blame.
    """

    def __init__(
        self,
        reason: str,
        *,
        source: str | None = None,
        line: int | None = None,
        field: str | None = None,
    ) -> None:
        self.reason = reason
        self.source = source
        self.line = line
        self.field = field
        super().__init__(reason)

    @property
    def location(self) -> str:
        """``file:line`` as far as it is known, else an empty string."""
        parts = [p for p in (self.source, str(self.line) if self.line is not None else None) if p]
        return ":".join(parts)

    def __str__(self) -> str:
        prefix = f"{self.location}: " if self.location else ""
        name = f"field {self.field!r}: " if self.field else ""
        return f"{prefix}{name}{self.reason}"


class InputError(NliFaithError):
    """An input as a whole cannot be read (missing, empty, binary, wrong format)."""


class InputEncodingError(InputError):
    """The bytes of an input are not valid in the stated encoding."""


class OutputError(NliFaithError):
    """An output cannot be written; rows written before stay where they are."""


class OutputPathError(OutputError):
    """The path cannot be this output: a directory, in no folder, or of a kind that cannot do it."""


class OutputExistsError(OutputError):
    """The output has content already and neither resume nor overwrite was asked for."""


class OutputLockedError(OutputError):
    """Another process holds the output's lock."""


class ResumeMismatchError(OutputError):
    """The existing output was written under another model or configuration."""


class CacheError(NliFaithError):
    """The pair cache is no such cache, is damaged, or cannot be written."""


class MissingExtraError(NliFaithError, ImportError):
    """An optional dependency is missing.

    Attributes:
        package: The module that could not be imported.
        extra: The extra of nli_faith that brings it.
    """

    def __init__(self, package: str, extra: str) -> None:
        self.package = package
        self.extra = extra
        super().__init__(
            f"this needs the package {package!r}, which is not installed: "
            f"pip install {package}, or install nli_faith with its extra [{extra}]"
        )


class ModelError(NliFaithError):
    """A model cannot be found, read or trusted."""


class ModelNotFoundError(ModelError):
    """No model under this name or path."""


class ModelFormatError(ModelError):
    """The model's directory lacks a file, or a file is broken."""


class ModelIntegrityError(ModelError):
    """A model file's sha256 is not the one its manifest states."""


class LabelMapError(ModelError):
    """The order of entailment, neutral and contradiction cannot be known."""


class BackendError(NliFaithError):
    """Inference failed or produced values that are not probabilities."""


class WorkerError(BackendError):
    """Worker processes died on the same records until it was given up."""
