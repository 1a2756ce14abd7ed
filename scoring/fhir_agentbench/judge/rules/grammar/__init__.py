"""The grammar of answers: which part of an answer is its claim, and which parts are none."""
