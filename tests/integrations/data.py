"""What the cases score: a good answer, a bad one, one without a score."""

QUESTION = "整机和电池的保修期限是多久？"
CONTEXTS = ["整机保修期限为两年。", "电池保修期限为一年。七天内可以无条件退款。"]
GOOD = "整机保修期限为两年。电池保修期限为一年。"
BAD = "门店每逢周末都提供上门取件服务。"
REFUSAL = "材料未提供相关信息，无法确定。"
