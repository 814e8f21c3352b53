import asyncio

from nli_faith.integrations.ragas import NliFaithfulness

metric = NliFaithfulness()  # the bundled model; or NliFaithfulness(scorer=...)
rows = [
    {"response": "整机保修两年。", "retrieved_contexts": ["整机保修期限为两年。"]},
    {"response": "门店提供上门取件。", "retrieved_contexts": ["整机保修期限为两年。"]},
]
for row, done in zip(rows, asyncio.run(metric.abatch_score(rows)), strict=True):
    print(row["response"], done.value, done.reason, sep="\n")
