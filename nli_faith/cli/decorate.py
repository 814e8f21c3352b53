"""Several options of a command as one decorator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def decorate(command: F, *options: Callable[[F], F]) -> F:
    """A command with options, in the order in which its help lists them.

    Args:
        command: The command's function.
        options: From `click.option` and `click.argument`.
    """
    for option in reversed(options):
        command = option(command)
    return command
