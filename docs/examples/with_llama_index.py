from llama_index.core.schema import NodeWithScore, TextNode

from nli_faith.integrations.llama_index import EvidencePostprocessor, NliFaithfulnessEvaluator

texts = ["整机保修期限为两年。", "公司食堂每天中午供应三种套餐。"]
answer = "整机保修两年。"

done = NliFaithfulnessEvaluator(threshold=0.8).evaluate(response=answer, contexts=texts)
print(done.score, done.passing, done.feedback)

nodes = [NodeWithScore(node=TextNode(text=text), score=0.5) for text in texts]
for node in EvidencePostprocessor(keep="supporting").postprocess_nodes(nodes, query_str=answer):
    print(node.node.metadata["nli_faith_support"], node.node.get_content())
