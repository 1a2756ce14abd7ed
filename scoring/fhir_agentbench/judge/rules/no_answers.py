"""Detect what is no answer: blanks, errors of a provider, refusals. They are wrong before any rule.

Source: the rubric (judge.py), which gives credit for having looked and found nothing, and for nothing less.
"""

import re

from wardboard.scoring.fhir_agentbench.judge.rules.text.normalise import sentences

_BLANK = re.compile(
    r"\W*(?:n\W?/?a|not (?:available|applicable)|undefined|nan|tbd|todo|unknown|blank)\W*", re.I
)
_SHORTEST = 40  # characters of a text that is more than "not applicable" and signs
_SAYS = re.compile(r"[\w✓✔✅☑👍✗✘✖❌👎]")
_FAULT = (
    r"(?:error|exception|failure|time-?out|outage|crash|(?:technical |network )?(?:issue|problem|"
    r"difficult\w+))s?"
)
_SYSTEM = (
    r"(?:server|api|connection|network|database|tools?|service|system|request|quer(?:y|ies)|call|fhir|model|"
    r"search(?:es)?|lookup|retrieval|agent|process|task)"
)
_NOT = r"(?:not|n't|unable to|never|failed to|inability to)"
_ERROR = re.compile(
    # What a program prints.
    r"^\W*(?:(?:\w+\.)*\w*(?:error|exception|failure|timeout)\b(?! bars?)(?:\s?\w+){0,4}\W*(?:[:(\[]|$)|"
    r"traceback\b|[45]\d\d\b[\s:-]+"
    r"(?:internal|bad|service|gateway|too many|unauthori\w+|forbidden|not found|client|server|error)\b|"
    r"(?:\w+\()?(?:https?connectionpool|status ?code)\b)|"
    r"\bmax(?:imum)? (?:retries|iterations?|turns|steps|tokens|number of)\b|\brate.?limit\w*|"
    r"\b(?:iteration|time|token|context|step|turn)s? limit\b|\bcontext length\b|"
    rf"\b(?:internal|server|api|tool|fatal|unexpected|network|runtime|parsing|connection) {_FAULT}\b|"
    r"\b(?:service|temporarily|currently|server (?:is|was)) unavailable\b|\btimed?[- ]?out\b|"
    r"\b(?:context_length_exceeded|E(?:CONN\w+|TIMEDOUT|NOTFOUND)|bad gateway|invalid api key|"
    r"something went wrong|content (?:policy|filter\w*)|(?:exceeded|insufficient)[^.\n]{0,20}quota|"
    r"(?:model|server) is overloaded)\b|"
    r"\breturned no response\b|\bfailed to fetch\b|^\W*(?:access denied|unauthori[sz]ed)\W*$|"
    # What a sentence tells of it.
    rf"\b(?:due to|because of|encountered|caused by|there was|after|with) (?:an? |the |"
    rf"some )?(?:\w+ ){{0,3}}{_FAULT}\b|"
    rf"\b{_FAULT} (?:has |have )?(?:occurred|happened|while|when|during|prevented|in retriev\w+)\b|"
    rf"\b{_SYSTEM}\b[^.;\n]{{0,24}}?\b(?:failed|broke|crashed|(?:is|was|were|went) down|did(?: not|"
    rf"n't) (?:respond|work|run|complete)|"
    r"(?:could|can)(?: ?not|n't) be (?:reached|performed|completed|executed|run|made|contacted|queried)|"
    r"produced no|returned an error|refused)\b|"
    r"^\W*(?:no|empty) (?:response|reply|output|comment|completion)\W*$|^\W*sorry\W*$|"
    r"^\W*step \d+ failed\W*$",
    re.I,
)
_REFUSES = re.compile(
    r"\bas an? (?:ai|artificial|large language|language|assistant)\b|"
    rf"(?:\b{_NOT}|n't|\bcan ?not|\bno|lack(?:ing)?|without|limited) (?:(?:have|has|had|any|the|direct|"
    rf"currently|been|actual) )*access\b|"
    r"\b(?:can ?not|can't|could ?n[o']t|can not|unable to|not able to|not been able to|won't|will not|"
    r"did ?n[o']t)\s"
    r"(?:\w+ly )?(?:access|connect|reach|load|open|query|execute|run|complete|help|assist|answer|process|"
    r"proceed|parse|say|tell|"
    r"check|look|do|perform|comply|provide (?:that|this|medical|personal|an answer))\b|"
    r"(?:\bnot|n't) (?:\w+ )?(?:look(?:ed)? (?:this|it|that|into)|check(?:ed)? (?:this|it|that)|"
    r"know\b(?! to))|(?:\bnot|n't|unable to|not able to|can ?not|possible to) (?:find out|"
    r"(?:see|retrieve|obtain|fetch) the (?:data|information|patient))\b|\bdid (?:not|n't) search\b|"
    r"\bno (?:patient )?data (?:was|were) provided\b|"
    r"(?:\bno|(?:\bnot|n't) have(?: the| any)?) (?:\w+ )?(?:tools?\b(?! (?:result|output))|ability\b)|"
    r"^\W*(?:(?:it|this) )?(?:can ?not|could not) (?:be )?determined?\W*$|\bneed more information\b|"
    r"\bno idea\b|\b(?:not|un)[ -]?sure\b|\bno answer (?:can|could|was|is)\b|^\W*(?:i (?:refuse|decline)|"
    r"no comment)\b",
    re.I,
)
# That it looked and found nothing.
_FOUND = re.compile(
    r"(?:\b(?:no|not|nobody|never|none|nothing|without|zero)\b|n't\b)[^.;\n]{0,120}?"
    r"\b(?:f[oi]und|find|records?|recorded|"
    r"chart(?:ed|s)?|document\w*|exist\w*|on file|listed|entr(?:y|ies)|given|prescri\w+|performed|measured|"
    r"results?|observations?|match\w*)\b|\b(?:found|returned|shows?) (?:no|none|nothing)\b|"
    r"\bthere (?:is|are|was|were)(?: no|n't)\b",
    re.I,
)
_LONGEST = 600  # characters; a longer text says more than that it failed


def is_blank(text: str) -> bool:
    """Check whether `text` has no word, or only "n/a" or "unknown"."""
    return not _SAYS.search(text) or (len(text) < _SHORTEST and _BLANK.fullmatch(text) is not None)


def is_no_answer(text: str) -> bool:
    """Check whether `text` is blank, an error of a program or a refusal, and says nothing else."""
    return is_blank(text) or (len(text) <= _LONGEST and bool(_ERROR.search(text) or _REFUSES.search(text)))


def says_none_was_found(text: str) -> bool:
    """Check whether a sentence of `text` that reports no error says that nothing was found."""
    return any(
        _FOUND.search(_REFUSES.sub(" ", sentence))
        for sentence in sentences(text)
        if not _ERROR.search(sentence)
    )
