"""Detect answers that say both yes and no, or that are about something else."""

import re

from wardboard.scoring.fhir_agentbench.judge.rules.text.questions import ParsedQuestion

_YES_WORDS = r"yes|yeah|yep|yup|y|affirmative|correct|true|indeed|positive|1"
_NO_WORDS = r"no|nope|n|negative|false|untrue|incorrect|0"
_ONLY_SIDES = re.compile(rf"\W*(?:(?:{_YES_WORDS}|{_NO_WORDS}|and|or)\b\W*){{2,20}}", re.I)
_YES_ONE = re.compile(rf"\b(?:{_YES_WORDS})\b", re.I)
_NO_ONE = re.compile(rf"\b(?:{_NO_WORDS})\b", re.I)
# A side that stands alone between stops: "Yes. Negative."
_ALONE = r"(?:^|[.,;:/!?()\n-])\s*(?:it (?:is|was) )?(?:{})\s*(?=[.,;:/!?()\n-]|$)"
_YES_ALONE = re.compile(_ALONE.format(r"yes|yeah|yep|yup|affirmative|correct|true|indeed|positive"), re.I)
_NO_ALONE = re.compile(_ALONE.format(r"no|nope|negative|false|untrue|incorrect"), re.I)
# Phrases that sound like a denial without being one, or the reverse.
_TRICKS = re.compile(
    r"\bnone other than\b|\bno longer\b|\bno way to deny\b|\bno problems?\b|\banything but\b|"
    r"\b(?:0|zero) (?:doubts?|questions?|problems?|issues?)\b|\bnever mind\b|\bwithout fail\b|"
    r"\bno (?:wonder|surprise|allerg\w+)\b|\bif not\b|[✗✘✖❌☒🚫👎✓✔✅☑👍]",
    re.I,
)
_FALSE_THAT = re.compile(
    r"\b(?:false|untrue|incorrect|wrong|not true|a lie) that\b|n't true that\b|\bwrong to say\b|"
    r"\bis (?:false|untrue|incorrect|wrong|a lie)\b|"
    r"(?<!no )(?<!without )\bdoubt(?:ful)? (?:that|if|whether)\b|"
    r"\b(?:fake|hardly|scarcely|lacking)\b",
    re.I,
)
_OF_ANOTHER = re.compile(
    r"\b(?:to|for|by|of) another\b|\b(?:another|different|the wrong) (?:patient|person|subject)\b|"
    r"\b(?:roommate|neighbou?r)\b|\bsome(?:one|body) else\b|"
    r"\b(?:mother|father|brother|sister|son|daughter|wife|husband|spouse|partner|parents?|twin)\b",
    re.I,
)
_NOT_DONE = re.compile(
    r"\b(?:withheld|withhold\w*|(?:was|were|been) held|consider(?:ed|ing|s)?|contemplat\w+|"
    r"discuss\w+|recommend\w+|advis\w+|suggest\w+|allerg\w+|should have|offered|avoided|omitted|skipped|"
    r"unverified|contraindicated|cancell?ed|planned|scheduled|postponed|refused|declined|aborted|ruled out|"
    r"intended|would have|could have)\b",
    re.I,
)


def says_yes_and_no(text: str) -> bool:
    """Check whether `text` gives both yes and no, or means the opposite of what it sounds like."""
    if _ONLY_SIDES.fullmatch(text) and _YES_ONE.search(text) and _NO_ONE.search(text):
        return True
    if _NO_ALONE.search(text) and (_YES_ALONE.search(text) or " indeed it " in text):
        return True
    return _TRICKS.search(text) is not None


def calls_statement_false(text: str) -> bool:
    """Check whether `text` calls a whole statement false."""
    return _FALSE_THAT.search(text) is not None


def is_about_something_else(text: str, question: ParsedQuestion) -> bool:
    """Check whether `text`, unlike the question, is about someone else or a mere consideration."""
    return any(
        match[0].casefold()[:6] not in question.text
        for pattern in (_OF_ANOTHER, _NOT_DONE)
        for match in pattern.finditer(text)
    )
