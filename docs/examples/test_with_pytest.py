CONTEXTS = ["整机保修期限为两年。", "电池保修期限为一年。"]


def ask(question: str) -> str:
    return "整机保修两年。"  # your RAG


def test_warranty(nli_faith):
    nli_faith.assert_faithful(ask("保修多久？"), CONTEXTS, min_score=0.8)
