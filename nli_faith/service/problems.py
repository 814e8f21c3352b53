"""What a client did wrong, or the service cannot do now, as one JSON shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from nli_faith.errors import RecordError


@dataclass
class Problem(Exception):
    """An error answer.

    Attributes:
        status: HTTP status, 400 to 599.
        code: A word for programs; see the API description.
        message: A sentence for people. It may quote the request, and so is never logged.
        limit: Name of the setting that was passed, its value, and what was given.
        where: Path to the value to blame, such as ``records[3].contexts``.
        headers: Extra headers.
    """

    status: int
    code: str
    message: str
    limit: Mapping[str, Any] | None = None
    where: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def body(self, request_id: str) -> dict[str, Any]:
        """The JSON form.

        Args:
            request_id: The request's id, to find it in the log.
        """
        error: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.where is not None:
            error["where"] = self.where
        if self.limit is not None:
            error["limit"] = dict(self.limit)
        return {"error": error, "request_id": request_id}


def over_limit(
    status: int, name: str, value: float, given: float | None, what: str, where: str | None = None
) -> Problem:
    """A limit was passed.

    Args:
        status: 413 or 422.
        name: The setting.
        value: What it allows.
        given: What came; None where reading stopped at the limit.
        what: The counted things, for the message.
        where: Path to the value to blame.
    """
    came = f"{given:,}" if given is not None else f"more than {value:,}"
    limit = {"name": name, "value": value, "given": given}
    code = "body_too_large" if status == 413 else "limit_exceeded"
    message = f"{came} {what}; the limit {name} is {value:,}"
    return Problem(status, code, message, limit=limit, where=where)


def bad_record(error: RecordError, where: str) -> Problem:
    """A record that the scorer's reader refuses.

    Args:
        error: What the reader says.
        where: Path to the record; empty for a body that is one.
    """
    path = ".".join(p for p in (where, error.field or "") if p)
    return Problem(422, "bad_record", error.reason, where=path or None)


def bad_value(where: str, message: str) -> Problem:
    """A value of options or policy that cannot work.

    Args:
        where: Path to it.
        message: Why, with the value.
    """
    return Problem(422, "bad_value", message, where=where)
