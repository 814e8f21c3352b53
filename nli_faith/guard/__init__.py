"""The guard: an answer is checked before it leaves, whole or while it is written.

:func:`guard` and :func:`aguard` check a whole answer, :func:`guard_stream` and
:func:`aguard_stream` one that is still being written, by :class:`GuardPolicy`.
"""

from nli_faith.guard.guard import aguard, guard, guard_record, guard_records, strip
from nli_faith.guard.policy import Action, Guarded, GuardPolicy
from nli_faith.guard.stream import StreamGuard, aguard_stream, guard_stream

__all__ = [
    "Action",
    "GuardPolicy",
    "Guarded",
    "StreamGuard",
    "aguard",
    "aguard_stream",
    "guard",
    "guard_record",
    "guard_records",
    "guard_stream",
    "strip",
]
