"""Detect what is no answer: blanks, errors of a provider, refusals. A judge's rules call them wrong first.

Source: the rubric of FHIR-AgentBench's evaluator, which gives credit for having looked and found nothing, and
for nothing less.
"""

import re

_BLANK = re.compile(
    r"[\W_]*(?:n\W?/?a|not (?:available|applicable)|undefined|nan|tbd|todo|unknown|blank|empty(?: string)?)"
    r"[\W_]*",
    re.I,
)
_NULL = re.compile(r"[\W_]*(?:null|nil|no answer|∅)[\W_]*", re.I)
_NONE = re.compile(r"[\W_]*(?:none|nothing)[\W_]*", re.I)
# What shows a text as the answer, and is none itself: "Final answer:", a tag, a call, the name of a field.
_SHELL = re.compile(
    r"</?\w+>|```\w*|\\boxed|\A\W*(?:finish|submit)(?=\s?\()|"
    r"(?:\bthe )?\b(?:(?:final|agent|model)[ _]?)?(?:answer|result|output|response)\b"
    r"(?:[\"'*_]*\s*[:=]| (?:is|was)\b:?)",
    re.I,
)
# How no answer begins that was written for programs; then it may be long, and hold any value.
_PRINTED = re.compile(
    r"(?!.*\banswer\b)\W{0,3}(?:Traceback \(most recent|Error code: \d{3}\b|An error occurred \(|"
    r"CUDA out of memory|LLM call failed|"
    r"(?:[a-z_]+\.)*[A-Z]\w+(?:Error|Exception|Timeout)(?::|\()|"
    r"\{\s*[\"'](?:error[\"']\s*:\s*\{|(?:type|object)[\"']\s*:\s*[\"']error\b))",
    re.S,
)
_APOSTROPHES = str.maketrans("\u2018\u2019\u02bc", "'''")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_SHORTEST = 40  # characters of a text that is more than "not applicable" and signs
_SAYS = re.compile(r"[^\W_]|[✓✔✅☑👍✗✘✖❌👎]")
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
    r"\breturned no response\b|\bfailed to (?:fetch|generate)\b|^\W*(?:access denied|unauthori[sz]ed)\W*$|"
    r"\b(?:resource(?: has been |_)exhausted|deadline.exceeded|connection (?:refused|reset|aborted)|"
    r"gateway time-?out|no module named|not subscriptable|list index out of range|null ?pointer\w*|"
    r"recursion limit|(?:budget|limit) exceeded|credit balance is too low|need more steps|errno \d+|"
    r"content management policy|(?:blocked|filtered) due to|invalid format: missing|finish_reason|"
    r"too many requests|stopiteration|throttl(?:ed|ing)\w*)\b|^\W*http \d{3}\W*$|"
    # What a sentence tells of it.
    rf"\b(?:due to|because of|encountered|caused by|there was|after|with) (?:an? |the |"
    rf"some )?(?:\w+ ){{0,3}}{_FAULT}\b|"
    rf"\b{_FAULT} (?:has |have )?(?:occurred|happened|while|when|during|prevented|in retriev\w+)\b|"
    rf"\b{_SYSTEM}\b[^.;\n]{{0,24}}?\b(?:failed|broke|crashed|(?:is|was|were|went) down|did(?: not|"
    rf"n't) (?:respond|work|run|complete)|"
    r"(?:could|can)(?: ?not|n't) be (?:reached|performed|completed|executed|run|made|contacted|queried)|"
    r"produced no|returned an error|refused)\b|"
    r"^\W*(?:no|empty) (?:response|reply|output|comment|completion)\b(?: from [\w ]+)?\W*$|^\W*sorry\W*$|"
    r"\bmodel (?:did not|didn't) return\b|\bmodel returned (?:an )?empty\b|^\W*generation failed\b|"
    r"^\W*step \d+ failed\W*$|"
    # A word or a status in the place of an answer.
    r"^[\W_]*(?:skip(?:ped)?|pass|unanswer(?:able|ed)|refus(?:ed|al)|request denied|kill(?:ed)?|abort(?:ed)?|"
    r"fail(?:ed)?|cancell?ed|unavailable|overloaded|task (?:error|limit reached)|"
    r"agent (?:context limit|validation failed|invalid action))[\W_]*$",
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
    r"check|look|do|perform|comply|fulfil+|be able to|share|disclose|discuss|engage|respond|determine|"
    r"find (?:the|an) answer|retrieve that|be (?:determined|answered)\b|"
    r"provide (?:that|this|medical|personal|an answer))\b|"
    r"(?:\bnot|n't) (?:\w+ )?(?:look(?:ed)? (?:this|it|that|into)|check(?:ed)? (?:this|it|that)|"
    r"know\b(?! to))|(?:\bnot|n't|unable to|not able to|can ?not|possible to) (?:find out|"
    r"(?:see|retrieve|obtain|fetch) the (?:data|information|patient))\b|\bdid (?:not|n't) search\b|"
    r"\bno (?:patient )?data (?:was|were) provided\b|"
    r"(?:\bno|(?:\bnot|n't) have(?: the| any)?) (?:\w+ )?(?:tools?\b(?! (?:result|output))|ability\b)|"
    r"^\W*(?:(?:it|this) )?(?:can ?not|could not) (?:be )?determined?\W*$|"
    r"\bneed (?:more information|access)\b|\bi give up\b|"
    r"(?:\bnot enough|\binsufficient|(?:\bnot|n't) have (?:enough|sufficient|that|the)) information\b|"
    r"\b(?:must|have to|would|respectfully) (?:\w+ly )?decline\b|\b(?:against|my) guidelines\b|"
    r"\b(?:prefer|rather|should) not (?:to )?(?:answer|provide|say|share)\b|\bsomething i can help\b|"
    r"\bi(?:'m| am) not (?:comfortable|programmed|designed|allowed|permitted)\b|"
    r"\binappropriate for me\b|\bi can only (?:answer|help)\b|"
    r"\bviolat\w+ (?:\w+ )?(?:usage|content|polic\w+|hipaa|privacy)\b|"
    r"^\W*(?:you should |(?:could you )?please )(?:provide|share|consult|contact)\b|"
    r"無法|无法|我不能|不能提供|抱歉|对不起|申し訳|\blo siento\b|\bdésolée?\b|\btut mir leid\b|"
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
_READ = 4_000  # characters of an answer that are looked at


def is_blank(text: str) -> bool:
    """Check whether `text` has no word, or only "n/a" or "unknown", whatever shows it as the answer."""
    said = _SHELL.sub(" ", text)
    return not _SAYS.search(said) or (len(said) < _SHORTEST and _BLANK.fullmatch(said) is not None)


def is_null(text: str) -> bool:
    """Check whether `text` is null in words, which is right where there is no answer, as null is."""
    return _NULL.fullmatch(text) is not None


def is_printed_error(text: str) -> bool:
    """Check whether a program printed `text`: a traceback, an exception, the error object of an API."""
    return _PRINTED.match(text) is not None


def is_no_answer(text: str) -> bool:
    """Check whether `text` is blank, an error of a program or a refusal, and says nothing else."""
    if is_blank(text) or is_printed_error(text):
        return True
    plain = text.translate(_APOSTROPHES)
    return len(text) <= _LONGEST and bool(_ERROR.search(plain) or _REFUSES.search(plain))


def says_nothing(text: str) -> bool:
    """Check whether `text`, whatever was asked, is no answer: null or "none", or as `is_no_answer`.

    A text that says that nothing was found is an answer.
    """
    text = text.strip()[:_READ]
    said = _SHELL.sub(" ", text)
    if is_null(said) or _NONE.fullmatch(said):
        return True
    return is_no_answer(text) and (is_printed_error(text) or not says_none_was_found(text))


def says_none_was_found(text: str) -> bool:
    """Check whether a sentence of `text` that reports no error says that nothing was found."""
    return any(
        _FOUND.search(_REFUSES.sub(" ", sentence))
        for sentence in _SENTENCE.split(text.translate(_APOSTROPHES))
        if not _ERROR.search(sentence)
    )
