"""What the operator says of the language model that judges."""

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

OPENAI = "https://api.openai.com/v1"
# What may stand in an HTTP header; a line break at the end of a key file is the usual mistake.
_SENDABLE = re.compile(r"[!-~]*")
# Models that reason refuse a temperature.
_REASONING = re.compile(r"(?:.*/)?(?:o\d|gpt-5)(?![a-z])", re.IGNORECASE)
# What such a model may think and say of one answer; it needs a few hundred.
_THOUGHT = 2_000
_CHARACTERS_A_TOKEN = 3  # few, so that an estimate is rather too high


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmOptions:
    """model: as the provider names it. base_url: of any server that speaks OpenAI's chat completions; None
    is OpenAI. api_key: None for a server that wants none. concurrency: calls under way at a time.

    timeout: seconds for one answer, in all. attempts: failures in a row after which a call, and where
    nothing else succeeds the provider, is given up. backoff, longest_wait: seconds, of the first pause and
    of the longest; a provider that asks for a longer one counts as down. asks: how often one question is
    put when replies are of no use. price_prompt, price_completion: US dollars per million tokens.

    name: what the judge is called in its identity and what its verdicts are kept under; None is the model,
    and `model@host:port` where another server than OpenAI's runs it, which may run another build of it.
    max_completion_tokens: None is 2,000 for models that reason, and no limit for others.
    Raises ValueError where a value is of no use; its text never holds the key.
    """

    model: str = "o4-mini"
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    concurrency: int = 16
    timeout: float = 60.0
    attempts: int = 6
    backoff: float = 0.5
    longest_wait: float = 60.0
    asks: int = 3
    price_prompt: float = 0.0
    price_completion: float = 0.0
    name: str | None = None
    max_completion_tokens: int | None = None

    def __post_init__(self) -> None:
        if not self.model:
            raise ValueError("the judge needs the name of a model")
        if self.name is not None and not (self.name.strip() and self.name.isprintable()):
            raise ValueError("the judge's name is a line of text")
        if self.max_completion_tokens is not None and self.max_completion_tokens < 1:
            raise ValueError("a reply to the judge may take 1 token or more")
        if min(self.concurrency, self.attempts, self.asks) < 1:
            raise ValueError("the judge's concurrency, attempts and asks are 1 or more")
        if min(self.timeout, self.longest_wait) <= 0 or self.backoff < 0:
            raise ValueError("the judge's time-out and waits are more than 0 seconds")
        if min(self.price_prompt, self.price_completion) < 0:
            raise ValueError("the prices of the judge's tokens are 0 or more")
        if not _SENDABLE.fullmatch(self.api_key or ""):
            raise ValueError(
                "the judge's API key holds a space, a line break or a character that is not ASCII"
            )
        parts = urlsplit(self.address)
        # A password in the address would stand in every log of it.
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError("the judge's base address must look like http://localhost:8000/v1")
        if "@" in parts.netloc:
            raise ValueError("the judge's base address must not hold a password: give it as the API key")

    @property
    def address(self) -> str:
        """The base address that is called."""
        return self.base_url or OPENAI

    @property
    def called(self) -> str:
        """What the model is called wherever its verdicts are told from another's."""
        host = urlsplit(self.address).netloc.lower()
        return self.name or (self.model if host == urlsplit(OPENAI).netloc else f"{self.model}@{host}")

    @property
    def completion_limit(self) -> int | None:
        """What to send as the limit of a reply, in tokens; None: nothing."""
        return self.max_completion_tokens or (_THOUGHT if _REASONING.match(self.model) else None)

    @property
    def temperature(self) -> float | None:
        """What to send as the temperature; None where the model takes none."""
        return None if _REASONING.match(self.model) else 0.0

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Return US dollars."""
        return (prompt_tokens * self.price_prompt + completion_tokens * self.price_completion) / 1e6

    def likely_cost(self, characters: int) -> float:
        """Return US dollars for a call with so many characters whose reply is as long as it may be."""
        return self.cost(self.tokens_in(characters), self.completion_limit or _THOUGHT)

    @staticmethod
    def tokens_in(characters: int) -> int:
        """Return an estimate of the tokens in so many characters."""
        return -(-characters // _CHARACTERS_A_TOKEN)
