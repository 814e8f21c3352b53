"""Adapters to the tools people already use; each imports its library only when it is used.

============  ===========================================  ====================
module        what it brings                               extra
============  ===========================================  ====================
ragas         a metric for ``evaluate`` and experiments    ``ragas``
deepeval      a metric for ``assert_test``                 ``deepeval``
langchain     an evaluator and a runnable guard            ``langchain``
llama_index   an evaluator and a node postprocessor        ``llama-index``
otel          span attributes and an evaluation event      ``otel``
assertions    ``assert_faithful`` for any test             none
pytest_plugin the fixture ``nli_faith`` (on by itself)     none
============  ===========================================  ====================

All of them hand the answer to a `FaithfulnessScorer` and pass its verdict on; none scores by
itself, and none asks for an LLM.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nli_faith.integrations.assertions import assert_faithful, explain

__all__ = ["assert_faithful", "explain"]


def __getattr__(name: str) -> Any:
    # Loaded on first use: the pytest plugin, in this package, is imported in every pytest run.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from nli_faith.integrations import assertions

    return getattr(assertions, name)
