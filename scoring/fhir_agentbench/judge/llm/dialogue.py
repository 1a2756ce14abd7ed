"""How a language model is asked about an answer, and how its replies are read."""

from typing import Any, Literal, Protocol

from wardboard.scoring.fhir_agentbench.grading.references import NO_ANSWER
from wardboard.scoring.fhir_agentbench.judge.llm import prompts
from wardboard.scoring.fhir_agentbench.judge.llm.options import LlmOptions
from wardboard.scoring.fhir_agentbench.judge.llm.prompts import PromptKind
from wardboard.scoring.fhir_agentbench.judge.llm.replies import Reply, read_reply
from wardboard.scoring.judging import Case


class Dialogue(Protocol):
    """The part in which judges that ask a model differ: words, parameters, reading.

    - by: what verdicts name as the one that decided.
    - has_guards: whether answers that address the judge are kept from the model, and some answers are also
      judged against a wrong truth.
    - adapts: whether a parameter that the server reports as unsupported is left out from then on.
    - too_long_is_zero: whether an answer that exceeds the model's context counts as a reply of 0.
    """

    by: Literal["llm", "official"]
    has_guards: bool
    adapts: bool
    too_long_is_zero: bool

    def prompts(self, case: Case) -> tuple[PromptKind, ...]:
        """Return the prompts to ask in turn until one decides."""

    def messages(self, kind: PromptKind, case: Case, *, repeated: bool) -> list[dict[str, str]]:
        """Return the chat messages about `case`. repeated: the last reply was unusable."""

    def length(self, kind: PromptKind, case: Case) -> int:
        """Return roughly how many characters `messages` returns."""

    def key(self, kind: PromptKind, case: Case, *, model: str) -> bytes:
        """Return the sha256 of everything that the model's reply depends on. model: LlmOptions.name."""

    def parameters(self, options: LlmOptions) -> dict[str, Any]:
        """Return what a request holds beside model and messages."""

    def read(self, kind: PromptKind, body: bytes) -> Reply:
        """Read the body of a chat completion, however malformed it is."""


class WardboardDialogue:
    """Wardboard's own prompts, with a reply of a fixed structure."""

    by: Literal["llm", "official"] = "llm"
    has_guards = True
    adapts = True
    too_long_is_zero = False

    def prompts(self, case: Case) -> tuple[PromptKind, ...]:
        if case.true_answer == NO_ANSWER:
            return (PromptKind.NORMALISE, PromptKind.JUDGE)
        return (PromptKind.JUDGE,)

    def messages(self, kind: PromptKind, case: Case, *, repeated: bool) -> list[dict[str, str]]:
        return prompts.build_messages(kind, case, repeated=repeated)

    def length(self, kind: PromptKind, case: Case) -> int:
        return prompts.prompt_length(kind, case)

    def key(self, kind: PromptKind, case: Case, *, model: str) -> bytes:
        return prompts.prompt_key(kind, case, model=model)

    def parameters(self, options: LlmOptions) -> dict[str, Any]:
        parameters: dict[str, Any] = {"response_format": prompts.REPLY_SCHEMA}
        if options.temperature is not None:
            parameters["temperature"] = options.temperature
        if options.completion_limit is not None:
            parameters["max_completion_tokens"] = options.completion_limit
        return parameters

    def read(self, kind: PromptKind, body: bytes) -> Reply:
        return read_reply(body)
