"""Contrastive claims by program: rewritten sentences of a document and their edited twins.

`nli_faith.training.perturb.corpus.make` does the whole; `document.make_draft` gives all that may
be claimed about one document, `balance.assemble` chooses from it so that no word tells the label.
"""
