"""A guard between a model and its reader: whole answers, many at once, and a stream."""

import asyncio

from nli_faith.guard import Action, GuardPolicy, StreamGuard, aguard, guard

CONTEXTS = ["整机保修两年，电池保修一年。", "维修请送至门店。"]
ANSWER = "整机保修两年。门店提供免费的上门取件服务。"


def retrieve(question: str) -> list[str]:
    return CONTEXTS  # your retriever


def write(question: str, contexts: list[str]) -> str:
    return ANSWER  # your model


def reply(question: str) -> str:
    """What the reader sees."""
    contexts = retrieve(question)
    checked = guard(write(question, contexts), contexts, question=question)
    for claim in checked.removed:
        print(f"  removed ({claim.label}): {claim.text}")
    return checked.text


print("stripped:", reply("保修多久？"))

# Where a wrong sentence costs more than no answer: any claim without support sends it to a person.
strict = GuardPolicy(max_removed=0.0, beyond=Action.HUMAN, human_text="已转人工客服。")
checked = guard(ANSWER, CONTEXTS, policy=strict)
print(f"strict: {checked.action}:", checked.text)


async def serve() -> list[str]:
    """In an event loop: the model runs in a worker thread, other requests go on."""
    answers = [ANSWER, "抱歉，材料中没有提到价格。"]
    done = await asyncio.gather(*(aguard(answer, CONTEXTS) for answer in answers))
    return [one.text for one in done]


print("async:", asyncio.run(serve()))

# A stream: sentences come out when they are whole and backed. What is out cannot be taken back.
stream = StreamGuard(CONTEXTS)
shown = "".join(stream.feed(token) for token in ANSWER) + stream.finish()
print("streamed:", shown, "| held back:", [claim.text for claim in stream.removed])
