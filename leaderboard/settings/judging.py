"""The LLM that judges free-text answers, and what it may cost."""

from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from leaderboard import env

# Any server with OpenAI's chat completions API; wardboard.scoring.fhir_agentbench.judge.LlmOptions.
JUDGE = {
    "model": env.text("JUDGE_MODEL", "o4-mini"),
    "base_url": env.url("JUDGE_BASE_URL") or None,
    "api_key": env.text("JUDGE_API_KEY") or None,
    # The official evaluator's program, from which the official judge takes its prompts.
    "evaluator": env.text("JUDGE_OFFICIAL_EVALUATOR") or None,
    "concurrency": env.number("JUDGE_CONCURRENCY", 16, least=1),
    "timeout": 60,  # seconds
    # Of all answers so many are also judged against a wrong true answer.
    "wrong_truth_share": 0.02,
    # US dollars per million tokens.
    "price_prompt": env.amount("JUDGE_PRICE_PROMPT") or 0.0,
    "price_completion": env.amount("JUDGE_PRICE_COMPLETION") or 0.0,
}
if JUDGE["evaluator"] and not Path(str(JUDGE["evaluator"])).is_file():
    raise ImproperlyConfigured(f"JUDGE_OFFICIAL_EVALUATOR names no file: {JUDGE['evaluator']}")
# What the operator declares about the LLM: "local", "no-retention", or "" for nothing. Leaderboards with
# credentialed data ask it only after one of the two.
JUDGE_DATA = env.choice("JUDGE_DATA", "", ("", "local", "no-retention"))
# For a leaderboard and day (UTC). Cost in US dollars; None for no limit.
JUDGE_BUDGET = {
    "day_calls": env.amount("JUDGE_DAY_CALLS"),
    "day_cost": env.amount("JUDGE_DAY_COST"),
}
# The LLM judge stays off until the operator sets a daily limit (`none` means no limit).
JUDGE_HAS_DAY_BUDGET = bool(env.text("JUDGE_DAY_CALLS") or env.text("JUDGE_DAY_COST"))
if JUDGE_BUDGET["day_cost"] is not None and not (JUDGE["price_prompt"] and JUDGE["price_completion"]):
    raise ImproperlyConfigured(
        "A budget in dollars needs JUDGE_PRICE_PROMPT and JUDGE_PRICE_COMPLETION: else every call costs 0"
    )
# A submission fails after being resumed so often in a row without one usable reply.
JUDGE_RESUMPTIONS = 10
