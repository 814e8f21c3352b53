"""docs/reference/python*.md: the public names, read from the source without importing it.

Reading the syntax tree needs none of the libraries behind the extras, so the page comes out the
same on every machine.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

from reference_docstring import render, summary
from reference_surface import PAGES, Page

ROOT = Path(__file__).resolve().parents[1]
Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
Function = ast.FunctionDef | ast.AsyncFunctionDef
_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
# Generated or of use to the package alone.
_HIDDEN_METHODS = {"__init__"}
_WIDTH = 90


class Source:
    """Finds definitions in the package, following re-exports."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._trees: dict[str, ast.Module] = {}

    def path(self, module: str) -> Path:
        """The file of a module."""
        base = self.root.joinpath(*module.split("."))
        return base / "__init__.py" if base.is_dir() else base.with_suffix(".py")

    def tree(self, module: str) -> ast.Module:
        """The syntax tree of a module."""
        if module not in self._trees:
            self._trees[module] = ast.parse(self.path(module).read_text(encoding="utf-8"))
        return self._trees[module]

    def public(self, module: str) -> list[str]:
        """``__all__`` of a module, or its public definitions in order."""
        for node in self.tree(module).body:
            if isinstance(node, ast.Assign) and _names(node) == ["__all__"]:
                return list(ast.literal_eval(node.value))
        body = self.tree(module).body
        kinds = (ast.ClassDef, *_FUNCTION)
        return [n.name for n in body if isinstance(n, kinds) and not n.name.startswith("_")]

    def find(self, module: str, name: str) -> tuple[str, ast.stmt, str]:
        """Where a name is defined: module, node, and the text under an assignment."""
        nodes = list(_statements(self.tree(module)))
        for at, node in enumerate(nodes):
            if isinstance(node, (ast.ClassDef, *_FUNCTION)) and node.name == name:
                return module, node, ""
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and name in _names(node):
                return module, node, self._about(module, node, nodes[at + 1 :])
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    if (alias.asname or alias.name) == name:
                        return self.find(self._origin(module, node), alias.name)
        raise LookupError(f"{module} has no {name}")

    def _about(self, module: str, node: ast.stmt, after: list[ast.stmt]) -> str:
        """What is said of a constant: a string under it, or ``#:`` above it."""
        follower = after[0] if after else None
        if isinstance(follower, ast.Expr) and isinstance(follower.value, ast.Constant):
            return str(follower.value.value)
        lines = self.path(module).read_text(encoding="utf-8").splitlines()
        above = lines[node.lineno - 2] if node.lineno > 1 else ""
        return above.removeprefix("#:").strip() if above.startswith("#:") else ""

    def _origin(self, module: str, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        package = module.split(".")
        if not self.path(module).name.startswith("__init__"):
            package = package[:-1]
        package = package[: len(package) - node.level + 1]
        return ".".join([*package, *([node.module] if node.module else [])])


def _statements(tree: ast.Module) -> list[ast.stmt]:
    """Statements of a module, those under ``if TYPE_CHECKING`` and ``try`` among them."""
    found: list[ast.stmt] = []
    for node in tree.body:
        inner = node.body if isinstance(node, (ast.If, ast.Try)) else []
        found += [node, *inner]
    return found


def _names(node: ast.Assign | ast.AnnAssign) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [t.id for t in targets if isinstance(t, ast.Name)]


def _argument(arg: ast.arg, default: ast.expr | None, mark: str = "") -> str:
    note = f": {ast.unparse(arg.annotation)}" if arg.annotation else ""
    equals = (" = " if note else "=") + ast.unparse(default) if default else ""
    return f"{mark}{arg.arg}{note}{equals}"


def arguments(function: Function, *, bound: bool) -> list[str]:
    """The parameters as written, without ``self`` or ``cls`` where it is bound."""
    spec = function.args
    plain = [*spec.posonlyargs, *spec.args]
    defaults: list[ast.expr | None] = [None] * (len(plain) - len(spec.defaults))
    defaults += spec.defaults
    out = [_argument(a, d) for a, d in zip(plain, defaults, strict=True)]
    if spec.posonlyargs:
        out.insert(len(spec.posonlyargs), "/")
    if bound:
        out = out[1:]
    if spec.vararg:
        out.append(_argument(spec.vararg, None, "*"))
    elif spec.kwonlyargs:
        out.append("*")
    out += [_argument(a, d) for a, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True)]
    if spec.kwarg:
        out.append(_argument(spec.kwarg, None, "**"))
    return out


def call(name: str, parts: list[str], returns: str = "") -> str:
    """A signature, on one line where it fits."""
    tail = f" -> {returns}" if returns else ""
    line = f"{name}({', '.join(parts)}){tail}"
    if len(line) <= _WIDTH:
        return line
    return "\n".join([f"{name}(", *(f"    {part}," for part in parts), f"){tail}"])


def _decorators(node: Definition) -> set[str]:
    return {ast.unparse(d).partition("(")[0].rpartition(".")[2] for d in node.decorator_list}


def _function(node: Function, name: str, *, bound: bool) -> str:
    marks = _decorators(node)
    returns = ast.unparse(node.returns) if node.returns else ""
    if marks & {"property", "cached_property"}:
        return f"{name}: {returns}"
    start = "async " if isinstance(node, ast.AsyncFunctionDef) else ""
    return start + call(name, arguments(node, bound=bound and "staticmethod" not in marks), returns)


def _fields(node: ast.ClassDef) -> list[str]:
    """Fields of a dataclass that a caller may give."""
    out = []
    for item in node.body:
        if not isinstance(item, ast.AnnAssign) or not isinstance(item.target, ast.Name):
            continue
        note, value = ast.unparse(item.annotation), item.value
        text = ast.unparse(value) if value else ""
        if item.target.id.startswith("_") or "ClassVar" in note or "init=False" in text:
            continue
        out.append(f"{item.target.id}: {note}" + (f" = {_default(text)}" if value else ""))
    return out


def _default(text: str) -> str:
    lambda_ = re.fullmatch(r"field\(default_factory=lambda: (.*)\)", text, re.S)
    made = re.search(r"default_factory=([\w.]+)", text)
    if lambda_:
        return lambda_[1]
    return f"{made[1]}()" if made else re.sub(r"^field\(default=([^,)]+).*", r"\1", text)


def _members(node: ast.ClassDef) -> list[str]:
    """Members of an enum."""
    pairs = [(n, i.value) for i in node.body if isinstance(i, ast.Assign) for n in _names(i)]
    return [f"- `{n}` = `{ast.unparse(v)}`" for n, v in pairs if not n.startswith("_")]


def _class(source: Source, node: ast.ClassDef, module: str, name: str) -> list[str]:
    bases = [ast.unparse(b) for b in node.bases]
    init = _init(source, node, module)
    out: list[str] = []
    if any("Enum" in base for base in bases):
        head = f"```python\nclass {name}({', '.join(bases)})\n```"
        return [head, *_text(node), "\n".join(_members(node))]
    if init is not None:
        out.append(f"```python\n{call(name, arguments(init, bound=True))}\n```")
    elif "dataclass" in _decorators(node):
        out.append(f"```python\n{call(name, _fields(node))}\n```")
    elif bases:
        out.append(f"```python\nclass {name}({', '.join(bases)})\n```")
    out += _text(node)
    if init is not None and ast.get_docstring(init):
        out.append(render(ast.get_docstring(init) or "", sections_only=True))
    for item in node.body:
        if not isinstance(item, _FUNCTION) or item.name in _HIDDEN_METHODS:
            continue
        if (item.name.startswith("_") and item.name != "__call__") or not ast.get_docstring(item):
            continue
        if "setter" in _decorators(item):
            continue
        shown = _function(item, f"{name}.{item.name}", bound=True)
        out += [f"#### {name}.{item.name}", f"```python\n{shown}\n```", *_text(item)]
    return out


def _init(source: Source, node: ast.ClassDef, module: str) -> Function | None:
    """The ``__init__`` of a class, or of a private class it is built on in its own module."""
    for item in node.body:
        if isinstance(item, _FUNCTION) and item.name == "__init__":
            return item
    for base in node.bases:
        if isinstance(base, ast.Name) and base.id.startswith("_"):
            found = source.find(module, base.id)[1]
            if isinstance(found, ast.ClassDef):
                return _init(source, found, module)
    return None


def _text(node: Definition) -> list[str]:
    text = ast.get_docstring(node)
    return [render(text)] if text else []


def entry(source: Source, module: str, name: str) -> str:
    """The part of one name."""
    home, node, about = source.find(module, name)
    head = [f"### {name}", *([f"Defined in `{home}`."] if home != module else [])]
    if isinstance(node, ast.ClassDef):
        body = _class(source, node, home, name)
    elif isinstance(node, _FUNCTION):
        body = [f"```python\n{_function(node, name, bound=False)}\n```", *_text(node)]
    else:
        text = source.path(home).read_text(encoding="utf-8")
        shown = ast.get_source_segment(text, node) or ""
        body = [f"```python\n{shown}\n```" if len(shown) < 500 else "", render(about)]
    return "\n\n".join(part for part in [*head, *body] if part)


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def python_page(page: Page, root: Path = ROOT) -> str:
    """One page, with the others named on the first."""
    source = Source(root)
    contents, parts = [], []
    for room in page.rooms:
        names = [n for n in room.names or source.public(room.module) if n not in room.rest]
        about = ast.get_docstring(source.tree(room.module)) or ""
        told = ", ".join(f"`{n}`" for n in names) if len(names) < 7 else summary(about)
        contents.append(f"- [`{room.module}`](#{_anchor(room.module)}): {told}")
        entries = [entry(source, room.module, name) for name in names]
        parts.append("\n\n".join([f"## {room.module}", render(about), *entries]))
    others = [f"[{other.title}]({other.file})" for other in PAGES if other is not page]
    head = (
        "<!-- Made by scripts/make_docs.py from the docstrings: edit those and run `make docs`. -->"
        f"\n\n# Python reference: {page.title}\n\nOther pages: {', '.join(others)}. What they "
        "list is public; other modules and names may change without notice. What needs an extra "
        "raises `MissingExtraError` where it is not installed."
    )
    return "\n\n".join([head, "\n".join(contents), *parts]) + "\n"
