"""The operator's settings for the language model that judges."""

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

OPENAI = "https://api.openai.com/v1"
# Characters allowed in an HTTP header; the usual mistake is a line break at the end of a key file.
_SENDABLE = re.compile(r"[!-~]*")
# Reasoning models refuse a temperature.
_REASONING = re.compile(r"(?:.*/)?(?:o\d|gpt-5)(?![a-z])", re.IGNORECASE)
# Most completion tokens of such a model for one answer; it needs a few hundred.
_REASONING_TOKENS = 2_000
_CHARACTERS_A_TOKEN = 3  # low, so that estimates are rather too high


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmOptions:
    """Hold the settings of the model. Raises ValueError, without the key, for invalid values.

    - base_url: of a server with OpenAI's chat completions; None is OpenAI.
    - api_key: None for a server that needs none.
    - timeout: seconds for one reply, in total: with pauses, and with tries after a fault.
    - price_prompt, price_completion: US dollars per million tokens.
    - name: identifies the judge and its stored verdicts. None is the model's name, or `model@host:port` on
      servers other than OpenAI's, which may run another build of the model.
    - wrong_truth_share: of all answers, 0..1, are also judged against a wrong true answer.
    - evaluator: path of the official evaluator's program, for the official judge only.
    - max_completion_tokens: None is 2,000 for reasoning models, and no limit for others.
    """

    model: str = "o4-mini"
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    concurrency: int = 16
    timeout: float = 60.0
    price_prompt: float = 0.0
    price_completion: float = 0.0
    name: str | None = None
    max_completion_tokens: int | None = None
    wrong_truth_share: float = 0.0
    evaluator: str | None = None

    def __post_init__(self) -> None:
        name = self.model if self.name is None else self.name
        if not (name.strip() and name.isprintable()):
            raise ValueError("the judge's model, and its name, is a line of text")
        if min(self.concurrency, self.timeout) <= 0 or min(self.price_prompt, self.price_completion) < 0:
            raise ValueError("the judge's concurrency and time-out are more than 0, its prices 0 or more")
        if not _SENDABLE.fullmatch(self.api_key or ""):
            raise ValueError(
                "the judge's API key holds a space, a line break or a character that is not ASCII"
            )
        parts = urlsplit(self.address)
        # A password in the address would appear in logs.
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError("the judge's base address must look like http://localhost:8000/v1")
        if "@" in parts.netloc:
            raise ValueError("the judge's base address must not hold a password: give it as the API key")

    @property
    def address(self) -> str:
        """The base URL of all calls."""
        return self.base_url or OPENAI

    @property
    def display_name(self) -> str:
        """The name that distinguishes the model's verdicts from another's."""
        host = urlsplit(self.address).netloc.lower()
        return self.name or (self.model if host == urlsplit(OPENAI).netloc else f"{self.model}@{host}")

    @property
    def completion_limit(self) -> int | None:
        """The token limit of a reply; None to send none."""
        return self.max_completion_tokens or (_REASONING_TOKENS if _REASONING.match(self.model) else None)

    @property
    def temperature(self) -> float | None:
        """The temperature; None for a model that accepts none."""
        return None if _REASONING.match(self.model) else 0.0

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Return the cost in US dollars."""
        return (prompt_tokens * self.price_prompt + completion_tokens * self.price_completion) / 1e6

    def estimate_cost(self, characters: int) -> float:
        """Return the cost in US dollars of a call of that length and the longest reply allowed."""
        return self.cost(self.tokens_in(characters), self.completion_limit or _REASONING_TOKENS)

    @staticmethod
    def tokens_in(characters: int) -> int:
        """Estimate the tokens in so many characters."""
        return -(-characters // _CHARACTERS_A_TOKEN)
