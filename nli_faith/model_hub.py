"""Names of models and where they lie. Never a network call."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from .errors import MissingExtraError, ModelNotFoundError
from .manifest import MANIFEST, FileCheck, Manifest, check_hashes, load_manifest

#: Weights that transformers reads, any of them.
TORCH_FILES = ("model.safetensors", "model.safetensors.index.json", "pytorch_model.bin")
#: What a hub id's snapshot must hold.
_WEIGHTS = {
    "onnx": ("model.onnx",),
    "torch": TORCH_FILES,
    "any": ("model.onnx", *TORCH_FILES),
}


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A model that can be asked for by name.

    Attributes:
        name: Name to pass to ``load_backend`` or ``from_pretrained``.
        path: Its directory.
        manifest: What its manifest says.
    """

    name: str
    path: Path
    manifest: Manifest

    @property
    def size(self) -> int:
        """Bytes of all its files together."""
        return sum(fact.size for fact in self.manifest.files.values())


def bundled_dir() -> Path:
    """Directory of the model that ships with the package (whether or not it exists)."""
    package = Path(__file__).resolve().parent
    installed = package / "_bundled"
    return installed if installed.is_dir() else package.parent / "models" / "bundled"


def list_models() -> list[ModelSpec]:
    """Models that can be asked for by name on this machine.

    Raises:
        ModelFormatError: A manifest is broken.
    """
    path = bundled_dir()
    if not (path / MANIFEST).is_file():
        return []
    return [ModelSpec("bundled", path, load_manifest(path))]


def resolve(name_or_path: str | os.PathLike[str], *, weights: str = "onnx") -> Path:
    """Finds a model's directory. Makes no network call.

    Args:
        name_or_path: ``"bundled"``, a local directory, or a hub id ``org/name`` that is in the
            local Hugging Face cache.
        weights: Of a hub id: ``onnx`` wants a model.onnx in the cache, ``torch`` the weights that
            transformers reads, ``any`` either.

    Returns:
        The directory; its content is checked when it is loaded.

    Raises:
        ModelNotFoundError: Nothing by that name; the message says what to do.
    """
    if not isinstance(name_or_path, (str, os.PathLike)):
        raise ModelNotFoundError(f"a model is a name or a path, not {name_or_path!r:.60}")
    name = os.fspath(name_or_path)
    if name == "bundled":
        path = bundled_dir()
        if not path.is_dir():
            raise ModelNotFoundError(
                f"the bundled model is not at {path}: reinstall the package, or rebuild it with "
                "scripts/export_bundled.py"
            )
        return path
    path = Path(name).expanduser()
    if name.strip() and path.is_dir():
        return path
    if path.is_file():
        raise ModelNotFoundError(f"{name} is a file: pass the directory that holds it")
    return _from_hub_cache(name, weights)


def _is_hub_id(name: str) -> bool:
    parts = name.split("/")
    return len(parts) == 2 and all(
        p
        and not p.startswith(".")
        and p.replace("-", "").replace("_", "").replace(".", "").isalnum()
        for p in parts
    )


def _hub_cache() -> Path:
    """Where huggingface_hub keeps its cache, by its own environment variables."""
    for variable in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if value := os.environ.get(variable):
            return Path(value).expanduser()
    if value := os.environ.get("HF_HOME"):
        return Path(value).expanduser() / "hub"
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache).expanduser() / "huggingface" / "hub"


def _from_hub_cache(name: str, weights: str) -> Path:
    if not _is_hub_id(name):
        raise ModelNotFoundError(
            f"no model {name!r}: it is no known name ('bundled'), no local directory and no hub "
            "id of the form org/name"
        )
    root = _hub_cache() / f"models--{name.replace('/', '--')}"
    snapshots = root / "snapshots"
    if not snapshots.is_dir():
        raise ModelNotFoundError(
            f"{name!r} is not in the local Hugging Face cache, and nothing is downloaded here: "
            f"run `hf download {name}` on a machine with internet (HF_ENDPOINT selects a mirror), "
            "then pass the directory it prints"
        )
    main = root / "refs" / "main"
    revision = main.read_text(encoding="utf-8").strip() if main.is_file() else ""
    found = [snapshots / revision] if revision else sorted(snapshots.iterdir())
    for directory in found:
        if any((directory / file).is_file() for file in _WEIGHTS[weights]):
            return directory
    raise ModelNotFoundError(
        f"{name!r} is in the local Hugging Face cache but without a {_WEIGHTS[weights][0]} "
        "beside its config.json: export it with `nli-faith models export` and pass the export's "
        "directory"
    )


def fetch(name_or_path: str, *, revision: str | None = None) -> tuple[Path, str | None]:
    """A source to export: a local directory, a hub id in the cache, or a download.

    What is in the local cache makes no call. Else huggingface_hub downloads it (extra ``export``)
    from where the environment variable HF_ENDPOINT says, a mirror for instance.

    Args:
        name_or_path: A directory or a hub id ``org/name``.
        revision: Branch, tag or commit of a hub id.

    Returns:
        The directory, and the commit of a hub id.

    Raises:
        ModelNotFoundError: There is no such model, or it cannot be downloaded.
        MissingExtraError: It is not in the cache and huggingface_hub is not installed.
    """
    if Path(name_or_path).expanduser().is_dir():
        return Path(name_or_path).expanduser(), None
    if not _is_hub_id(name_or_path):
        raise ModelNotFoundError(f"{name_or_path!r} is neither a directory nor a hub id org/name")
    if revision is None:
        try:
            path = _from_hub_cache(name_or_path, "torch")
        except ModelNotFoundError:
            pass
        else:
            return path, path.name
    try:
        from huggingface_hub import snapshot_download
    except ImportError as exc:
        raise MissingExtraError("huggingface_hub", "export") from exc
    try:
        path = Path(snapshot_download(
            name_or_path, revision=revision, allow_patterns=["*.json", "*.safetensors", "*.model"]
        ))  # fmt: skip
    except Exception as exc:  # the library and its transport raise many kinds
        raise ModelNotFoundError(
            f"{name_or_path!r} cannot be downloaded ({exc}); HF_ENDPOINT selects a mirror"
        ) from exc
    return path, path.name


def verify(name_or_path: str | os.PathLike[str]) -> list[FileCheck]:
    """Hashes every file that a model's manifest lists.

    Returns:
        One outcome a file, all of them equal to the manifest.

    Raises:
        ModelIntegrityError: A hash differs; the message names the file and both hashes.
        ModelFormatError: The manifest or a file is missing or unreadable.
        ModelNotFoundError: No such model.
    """
    return check_hashes(resolve(name_or_path))
