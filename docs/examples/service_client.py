"""A client of `nli-faith serve` that needs nothing but the standard library."""

import json
import os
import time
import urllib.error
import urllib.request

BASE = os.environ.get("NLI_FAITH_URL", "http://127.0.0.1:8087")
KEY = os.environ.get("NLI_FAITH_API_KEY")


def post(path: str, body: dict, tries: int = 5) -> dict:
    """One request; when the service is full (429) or starting (503) it waits as it is told."""
    headers = {"Content-Type": "application/json"}
    if KEY:
        headers["Authorization"] = f"Bearer {KEY}"
    data = json.dumps(body).encode("utf-8")
    for left in reversed(range(tries)):
        request = urllib.request.Request(BASE + path, data=data, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code not in (429, 503) or not left:
                raise RuntimeError(f"{error.code}: {error.read().decode('utf-8')}") from error
            time.sleep(float(error.headers.get("Retry-After", "1")))
    raise AssertionError("not reached")


contexts = ["整机保修两年，电池保修一年。"]
one = post("/v1/score", {"answer": "整机保修三年。", "contexts": contexts})
print(one["status"], one["score"], one["claims"][0]["flags"])

# Many records in one request are scored together.
records = [
    {"id": "a", "answer": "电池保修一年。", "contexts": contexts},
    {"id": "b", "answer": "抱歉，材料中没有提到。", "contexts": contexts},
]
for row in post("/v1/score", {"records": records})["results"]:
    print(row["id"], row["status"], row["score"])

answer = "整机保修两年。门店上门取件。"
shown = post("/v1/guard", {"answer": answer, "contexts": contexts})
print(shown["action"], shown["text"])

try:
    post("/v1/score", {"answer": "整机保修两年。"})
except RuntimeError as refused:
    print(str(refused)[:3], json.loads(str(refused)[5:])["error"]["where"])
