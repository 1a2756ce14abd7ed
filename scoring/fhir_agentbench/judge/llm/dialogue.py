"""The part in which judges that ask a model differ."""

from typing import Any, Literal, Protocol

from wardboard.scoring.fhir_agentbench.judge.llm.options import LlmOptions
from wardboard.scoring.fhir_agentbench.judge.llm.prompts import PromptKind
from wardboard.scoring.fhir_agentbench.judge.llm.replies import Reply
from wardboard.scoring.judging import Case


class Dialogue(Protocol):
    """How a language model is asked about an answer, and how its replies are read.

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
