"""How the official evaluator asks the model, and how it reads the replies.

Source: `evaluation_metrics.py` of FHIR-AgentBench. Where it differs from Wardboard's own way:

- one message of the role `user`, without the assumption, and without shortening or marking the answer;
- no parameter beside model and messages: it gives o4-mini no temperature, and asks for no structure;
- the judge's reply is `0` or `1` after spaces and then single quotes are cut off its ends, and nothing else
  (`1.` and "1" in double quotes are not); why the reply ended does not matter;
- the normaliser's reply is a non-answer if it says `no answer` without punctuation, in any case; every other
  text counts as an answer;
- the same words are sent again after an unusable reply.

The evaluator asks for ever while replies are unusable, and scores 0 when the provider fails. Here these
answers stay undecided, so that an outage never makes an answer wrong. An answer that exceeds the model's
context is no outage: officially it scores 0, and here too.
"""

import hashlib
import json
import re
from typing import Any, Literal

from wardboard.scoring.fhir_agentbench.grading.references import NO_ANSWER
from wardboard.scoring.fhir_agentbench.judge.llm.options import LlmOptions
from wardboard.scoring.fhir_agentbench.judge.llm.prompts import Dialogue, PromptKind
from wardboard.scoring.fhir_agentbench.judge.llm.replies import Reply, read_reply
from wardboard.scoring.fhir_agentbench.judge.official.evaluator import Evaluator, fill
from wardboard.scoring.judging import Case

MODEL = "o4-mini"
_PUNCTUATION = re.compile(r"[^\w\s]")


class OfficialDialogue(Dialogue):
    by: Literal["llm", "official"] = "official"
    has_guards = False
    adapts = False
    too_long_is_zero = True

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

    def prompts(self, case: Case) -> tuple[PromptKind, ...]:
        if case.answer_is_null:
            # Null that does not pass for a non-answer is wrong, and the judge is not asked.
            return (PromptKind.NORMALISE,)
        # The evaluator asks the normaliser about every answer; its label only matters where there is none.
        return super().prompts(case)

    def messages(self, kind: PromptKind, case: Case, *, repeated: bool = False) -> list[dict[str, str]]:
        template = self._evaluator.judge if kind is PromptKind.JUDGE else self._evaluator.normalise
        fields = {"question": case.question, "ref_answer": case.true_answer, "answer": case.agent_answer}
        return [{"role": "user", "content": fill(template, fields)}]

    def key(self, kind: PromptKind, case: Case, *, model: str) -> bytes:
        texts = case.question, case.true_answer, case.agent_answer
        if kind is PromptKind.NORMALISE:
            texts = case.question, "", case.agent_answer
        parts = ["official", kind, self._evaluator.digest, model, *texts]
        return hashlib.sha256(json.dumps(parts).encode()).digest()

    def parameters(self, options: LlmOptions) -> dict[str, Any]:
        return {}

    def read(self, kind: PromptKind, body: bytes) -> Reply:
        return read_reply(body, _label_of_normaliser if kind is PromptKind.NORMALISE else _label_of_judge)


def _content(completion: Any) -> str | None:
    match completion:
        case {"choices": [{"message": {"content": str(text)}}, *_]}:
            return text.strip()
    return None


def _label_of_judge(completion: Any) -> bool | None:
    text = _content(completion)
    return None if text is None else {"1": True, "0": False}.get(text.strip("'"))


def _label_of_normaliser(completion: Any) -> bool | None:
    text = _content(completion)
    return None if text is None else _PUNCTUATION.sub("", text).strip().lower() == NO_ANSWER
