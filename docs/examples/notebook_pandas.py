"""Scored answers in a frame: worst first, by group, and judged anew without running the model."""

import json

import pandas as pd

from nli_faith.examples.golden import golden_bytes
from nli_faith.pipelines.frames import score_frame

rows = [json.loads(line) for line in golden_bytes().decode("utf-8").splitlines()]
df = pd.DataFrame(rows)[["id", "question", "contexts", "answer", "meta"]]
df["version"] = df["meta"].map(lambda meta: meta["version"])

scored = score_frame(df, progress=False)  # progress=True shows a bar
print(scored.filter(like="nf_").columns.tolist())

# Not measured is NaN, which pandas leaves out of the mean. Look at how many that is.
figures = scored.groupby("version")["nf_score"].agg(["mean", "count", "size"])
print(figures.round(3))

worst = scored.sort_values("nf_score").head(3)
print(worst[["id", "nf_score", "nf_contradicted"]].to_string(index=False))

# One row a claim, with its evidence.
claims = (
    scored[["id", "nf_claims"]]
    .assign(claim=scored["nf_claims"].map(json.loads))
    .explode("claim")
    .dropna(subset=["claim"])
)
claims = pd.json_normalize(claims["claim"].tolist())[["text", "label", "support", "flags"]]
print(claims["label"].value_counts().to_dict())
