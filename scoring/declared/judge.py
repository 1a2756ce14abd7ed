"""The judges of a declared benchmark: a language model with the declared prompt, or nobody."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from wardboard.scoring.declared.matching import compile_pattern, extract
from wardboard.scoring.fhir_agentbench.judge.llm.judge import LlmJudge
from wardboard.scoring.fhir_agentbench.judge.llm.options import LlmOptions
from wardboard.scoring.fhir_agentbench.judge.llm.prompts import Dialogue, PromptKind
from wardboard.scoring.fhir_agentbench.judge.llm.replies import Reply, message_label, read_reply
from wardboard.scoring.fhir_agentbench.judge.official.evaluator import fill
from wardboard.scoring.fhir_agentbench.judge.shorten import shorten
from wardboard.scoring.judging import Case, Judge, JudgeUnavailable, JudgeVerdict, Ledger, Watch

_FIELDS = re.compile(r"\{(question|gold|answer)\}")


class DeclaredDialogue(Dialogue):
    """The declared prompt as one message, and the declared words in the last place of the reply.

    rules: `judge` of a declaration
    """

    def __init__(self, rules: Mapping[str, Any]) -> None:
        self._prompt = tuple(_FIELDS.split(rules["prompt"]))
        self._pattern = compile_pattern(rules["verdict"])
        words = dict.fromkeys(rules["wrong"], False) | dict.fromkeys(rules["right"], True)
        self._labels = {word.casefold(): label for word, label in words.items()}
        self.digest = hashlib.sha256(json.dumps(rules, sort_keys=True).encode()).hexdigest()[:12]

    def prompts(self, case: Case) -> tuple[PromptKind, ...]:
        return (PromptKind.JUDGE,)

    def messages(self, kind: PromptKind, case: Case, *, repeated: bool = False) -> list[dict[str, str]]:
        answer = shorten(case.agent_answer)
        fields = {"question": case.question, "gold": case.true_answer, "answer": answer}
        # Half of a surrogate pair cannot be sent.
        text = fill(self._prompt, fields).encode("utf-8", "replace").decode()
        return [{"role": "user", "content": text}]

    def key(self, kind: PromptKind, case: Case, *, model: str) -> bytes:
        texts = case.question, case.true_answer, case.agent_answer
        return hashlib.sha256(json.dumps(["declared", self.digest, model, *texts]).encode()).digest()

    def parameters(self, options: LlmOptions) -> dict[str, Any]:
        return {
            name: value for name, value in super().parameters(options).items() if name != "response_format"
        }

    def read(self, kind: PromptKind, body: bytes) -> Reply:
        return read_reply(body, partial(message_label, read=self._label))

    def _label(self, text: str) -> bool | None:
        return self._labels.get((extract(self._pattern, text) or "").strip().casefold())


class DeclaredJudge(LlmJudge):
    """Ask a language model about the answers that the declared match does not accept."""

    def __init__(
        self, mode: str, rules: Mapping[str, Any], options: LlmOptions, ledger: Ledger | None
    ) -> None:
        super().__init__(options, ledger)
        self.mode = mode
        self._dialogue: DeclaredDialogue = DeclaredDialogue(rules)

    @property
    def models(self) -> str:
        return f"{self.options.display_name} prompt {self._dialogue.digest}"


class NoJudge(Judge):
    """Leave open every answer that the declared match does not accept."""

    mode = "rules"
    identity = "rules of the declaration"

    def judge_all(self, cases: Sequence[Case], *, watch: Watch | None = None) -> Sequence[JudgeVerdict]:
        return [JudgeVerdict(correct=None, by="rules", reason="not-judged", left_open=True)] * len(cases)


def make_judge(
    mode: str, rules: Mapping[str, Any], options: Mapping[str, Any], ledger: Ledger | None
) -> Judge:
    """Return the judge of `mode`. rules: `judge` of a declaration. Raises JudgeUnavailable, ValueError."""
    if mode == "rules":
        return NoJudge()
    if mode == "official":
        raise JudgeUnavailable("A declared benchmark has no official judge: choose the LLM.")
    return DeclaredJudge(mode, rules, LlmOptions(**options), ledger)
