from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda, RunnablePassthrough

from nli_faith.guard import GuardPolicy
from nli_faith.integrations.langchain import FaithfulnessEvaluator, FaithfulnessGuard

# Stand-ins for your retriever and your model.
retriever = RunnableLambda(lambda question: [Document(page_content="整机保修期限为两年。")])
model = RunnableLambda(lambda turn: "整机保修两年。门店提供上门取件服务。")

chain = (
    {"input": RunnablePassthrough(), "context": retriever}
    | RunnablePassthrough.assign(answer=model)
    | FaithfulnessGuard(GuardPolicy(max_removed=0.5))
)
print(chain.invoke("保修多久？"))
for part in chain.stream("保修多久？"):  # whole, backed sentences, as they come
    print(part, end="", flush=True)
print()

evaluate_answer = FaithfulnessEvaluator()
outputs = {"answer": "整机保修两年。", "context": ["整机保修期限为两年。"]}
print(evaluate_answer(inputs={"input": "保修多久？"}, outputs=outputs))
