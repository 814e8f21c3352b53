from nli_faith import FaithfulnessScorer, Record
from nli_faith.citations import cite

scorer = FaithfulnessScorer.from_pretrained("bundled")
contexts = ("整机保修期限为两年。", "电池保修期限为一年。")
record = Record("1", "整机保修期限为两年[2]。电池保修期限为一年。", contexts)
cited = cite(scorer.score(record), record, style="[n]", scorer=scorer)

print(cited.text)  # 整机保修期限为两年[1]。电池保修期限为一年[2]。
print(cited.check.counts())
for marker in cited.check.markers:
    print(marker.marker.text, marker.verdict)
