from deepeval import assert_test
from deepeval.test_case import LLMTestCase

from nli_faith.integrations.deepeval import NliFaithfulnessMetric


def test_warranty():
    case = LLMTestCase(
        input="保修多久？",
        actual_output="整机保修两年。",
        retrieval_context=["整机保修期限为两年。"],
    )
    assert_test(case, [NliFaithfulnessMetric(threshold=0.8)])


if __name__ == "__main__":
    test_warranty()
    print("passed")
