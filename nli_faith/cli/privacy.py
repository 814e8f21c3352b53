"""``--redact``: the option, and what it does to rows that could not be read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from nli_faith.io import Reject

redact_option = click.option(
    "--redact",
    is_flag=True,
    help="Mask telephone, card and ID numbers and e-mails in every text that is written.",
)


def masked_reject(reject: Reject) -> Reject:
    """A rejected row with what is private masked; it is stored as well.

    Args:
        reject: The row.
    """
    from nli_faith.redaction import redact

    return replace(reject, raw=redact(reject.raw), reason=redact(reject.reason))
