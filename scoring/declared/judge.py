"""The judges of a declared benchmark: a language model with the declared prompt, or nobody."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from wardboard.scoring.declared.matching import extract
from wardboard.scoring.fhir_agentbench.judge.llm import replies
from wardboard.scoring.fhir_agentbench.judge.llm.options import LlmOptions
from wardboard.scoring.fhir_agentbench.judge.llm.prompts import Dialogue, PromptKind
from wardboard.scoring.fhir_agentbench.judge.official.evaluator import fill
from wardboard.scoring.fhir_agentbench.judge.shorten import shorten
from wardboard.scoring.judging import Case, Judge, JudgeVerdict, Watch

_FIELDS = re.compile(r"\{(question|gold|answer)\}")
_OPEN = JudgeVerdict(correct=None, by="rules", reason="not-judged", left_open=True)


class DeclaredDialogue(Dialogue):
    """Ask with the declared prompt as one message; the last place of the declared pattern is the verdict."""

    def __init__(self, rules: Mapping[str, Any]) -> None:
        self._prompt = tuple(_FIELDS.split(rules["prompt"]))
        self._pattern = rules["verdict"]
        self._labels = {word.casefold(): False for word in rules["wrong"]}
        self._labels |= {word.casefold(): True for word in rules["right"]}
        self.version = hashlib.sha256(json.dumps(rules, sort_keys=True).encode()).hexdigest()[:12]

    def prompts(self, case: Case) -> tuple[PromptKind, ...]:
        return (PromptKind.JUDGE,)

    def messages(self, kind: PromptKind, case: Case, *, repeated: bool = False) -> list[dict[str, str]]:
        answer = shorten(case.agent_answer)
        text = fill(self._prompt, {"question": case.question, "gold": case.true_answer, "answer": answer})
        return [{"role": "user", "content": text}]

    def parameters(self, options: LlmOptions) -> dict[str, Any]:
        stated = super().parameters(options)
        return {name: stated[name] for name in stated if name != "response_format"}

    def read(self, kind: PromptKind, body: bytes) -> replies.Reply:
        return replies.read_reply(body, partial(replies.message_label, read=self._label))

    def _label(self, text: str) -> bool | None:
        verdict = extract(self._pattern, replies.without_thoughts(text)) or ""
        return self._labels.get(verdict.strip().casefold())


class NoJudge(Judge):
    """Leave open every answer that the declared match does not accept."""

    mode = "rules"
    identity = "rules of the declaration"

    def judge_all(self, cases: Sequence[Case], *, watch: Watch | None = None) -> Sequence[JudgeVerdict]:
        return [_OPEN] * len(cases)
