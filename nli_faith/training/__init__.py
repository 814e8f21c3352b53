"""Training of the bundled model: data, loop, checkpoints. Needs the extra ``train``.

Never imported by the scorer.
"""
