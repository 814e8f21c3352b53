"""The golden set: 66 Chinese records over ten domains, written for this package.

Each has a question, contexts, an answer, a reference, relevant ids, and under ``meta``:

* ``domain``; ``version`` (``a`` or ``b``, two prompts of one assistant, say); ``context_ids``;
  ``latency_ms``, ``temperature`` and ``prompt``, for the diagnosis;
* ``planted``: the defect put into the answer, ``none`` for a good one: ``hallucination`` (adds
  what is in no context), ``wrong_number``, ``contradiction``, ``from_memory`` (right, but not in
  the contexts), ``stale_material`` (backed by a context that is out of date), ``missing_point``,
  ``copied_not_answering``, ``refusal`` (although the contexts have the answer);
* ``faithful``: whether every claim of the answer is in the contexts. With ``missing_point``,
  ``copied_not_answering``, ``stale_material`` and ``refusal`` it is, though no good answer.

26 records have two rephrased questions with answers and contexts in ``variants``. Companies and
rules in it are made up; laws and encyclopaedic facts are real, as far as a record needs them.
"""

from __future__ import annotations

from importlib import resources

GOLDEN = "golden_zh.jsonl"


def golden_bytes() -> bytes:
    """The golden records as UTF-8 JSON lines."""
    return resources.files("nli_faith.examples").joinpath(GOLDEN).read_bytes()
