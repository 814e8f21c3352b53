"""Words that mean the same, and words by which an aspect is spoken of; users may extend both."""

from nli_faith.lexicon.synonyms import Lexicon, default_lexicon, load_lexicon

__all__ = ["Lexicon", "default_lexicon", "load_lexicon"]
