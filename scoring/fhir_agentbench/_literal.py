"""Python literals under limits."""

import ast
from typing import Any


def parse_literal(text: str) -> Any:
    if len(text) > 8_000_000 or text.count("[") + text.count("(") + text.count("{") > 10_000:
        raise ValueError("too large")
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        raise ValueError("no literal") from None
