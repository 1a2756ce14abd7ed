"""Detect what is no answer: blanks, errors of a provider, refusals. A judge's rules call them wrong first.

Nothing is left of it beside errors, refusals, polite words and what tells of the search. Source: the rubric
of FHIR-AgentBench's evaluator, which gives credit for having looked and found nothing, and for nothing less.
"""

import json
import re
from collections import Counter
from collections.abc import Sequence

from wardboard.scoring.reading.formats.values import decoded

_BLANK = re.compile(
    r"[\W_]*(?:n\W?/?a|not (?:available|applicable)|undefined|nan|tbd|todo|unknown|blank|empty(?: "
    r"string)?)[\W_]*",
    re.I,
)
_NULL = re.compile(r"[\W_]*(?:null|nil|no answer|∅)[\W_]*", re.I)
_NONE = re.compile(r"[\W_]*(?:none|nothing)[\W_]*", re.I)
# What shows a text as the answer, and is none itself: "Final answer:", a tag, a call, the name of a field.
_SHELL = re.compile(
    r"</?\w+>|```\w*|\\boxed|\A\W*(?:finish|submit)(?=\s?\()|\b(?=[tfamro])(?:the )?(?:(?:final|agent|"
    r"model)[ _]?)?(?:answer|result|output|response)\b(?:[\"'*_]*\s*[:=]| (?:is|was)\b:?)",
    re.I,
)
# How no answer begins that was written for programs; then it may be long, and hold any value.
_PRINTED = re.compile(
    r"(?!.*\banswer\b)\W{0,3}(?:Traceback \(most recent|Error code: \d{3}\b|An error occurred \(|CUDA out of "
    r"memory|LLM call failed|(?:[a-z_]+\.)*[A-Z]\w+(?:Error|Exception|Timeout)(?::|\()|"
    r"\{\s*[\"'](?:error[\"']\s*:\s*\{|(?:type|object)[\"']\s*:\s*[\"']error\b))",
    re.S,
)
_APOSTROPHES = str.maketrans("\u2018\u2019\u02bc", "'''")
# Units of a text that are read apart; within one, what begins a part.
_UNIT = re.compile(r"(?<=[.!?;])\s+|[\n。！？；]+|,?\s(?=(?:but|however|yet)\b)", re.I)
_PART = re.compile(
    r"[,:(，：]\s*|\s[-–—]\s|\s(?=(?:(?:even )?though|although|because|after|since|while|when|so|as|and)\b)",
    re.I,
)
# The last mark of the answer, which is judged alone.
_MARK = re.compile(
    r".*(?:^|[\n.!?])(?:\W{0,9}(?:the |my )?(?:final )?answer\b\W{0,4}(?:[:=]|is\b:?))+", re.I | re.S
)
_CONCEDES = re.compile(r"\W*(?:although|(?:even )?though|while|after|despite)\b", re.I)
# Who refuses or fails: the agent, never the patient.
_AGENT = re.compile(
    r"\b(?:i|we|me|my|ai|llm|model|assistant|agent|system|tools?|it|this|that|question|request|answer|"
    r"information|data|you|there)\b|^\W*(?:(?:yet|but|mais|pero|aber|and|so|however|still|was|is|am|are|"
    r"were)\W+)*$|^[^a-z]*$",
    re.I,
)
# What is polite, leads to something else, or tells of the search.
_POLITE = re.compile(
    r"(?:\b(?:hello|hi|sure|certainly|thanks?(?: you)?|(?:(?:i'm|i am|we are|very) ){0,9}(?:sorry|afraid)|"
    r"apologies|i apologi[sz]e|unfortunately|at this time|as an? (?:ai|artificial|large|language|"
    r"assistant)\b(?: (?:intelligence|language|model|assistant|(?:developed|trained|created) by \w+))*|"
    r"however|lo siento|(?:je suis )?désolée?|(?:es )?tut mir leid)\b|很?抱歉|对不起|申し訳ありませんが?)",
    re.I,
)
_FILLER = re.compile(
    r"\W*(?:(?:and|so|but|however|then|also|or|yet) )*(?:(?:please )?(?:let me|feel free|note|consult|"
    r"contact|provide|share|try again|check)\b|(?:how|what) (?:can|may) i\b|(?:could|can|would) you\b|if "
    r"you\b|(?:i )?hope\b|you(?:'d|'ll)?\b|(?:i|we)(?:'d|'ll| would| will| can)? (?:also )?(?:be happy|"
    r"recommend|suggest|searched|tried|attempted|looked|retried|repeated|checked|start\w*+|stop\w*+|had to|"
    r"need\w*+|ask|now|look|search|call|begin)\b|(?:for \w+(?: and \w+)? reasons|based on|given|due to|"
    r"because|since|as|while|although|after|despite|when|in order|to (?:answer|find)|for (?:the|this) "
    r"patient)\b)(?!.*(?:\d|\b(?:found|finds?|shows?|was|were)\b))|"
    r"\{\s*[\"'](?:detail|message|code|status\w*)[\"']",
    re.I | re.S,
)
_SHORTEST = 40  # characters of a text that is more than "not applicable" and signs
_SAYS = re.compile(r"[^\W_]|[✓✔✅☑👍✗✘✖❌👎]")
_FAULT = (
    r"(?:error|exception|failure|time-?out|outage|crash|(?:technical|network|server) (?:issue|problem|"
    r"difficult\w+)|(?:issue|problem|difficult\w+)(?=s? (?:while|when|in|with)?\s?(?:the )?(?:\w+ing|tool|"
    r"server|data\w*|system)\b))s?"
)
_SYSTEM = (
    r"(?:server|api|connection|network|database|tools?|service|system|request|quer(?:y|ies)|call|fhir|model|"
    r"search(?:es)?|lookup|retrieval|agent|process|task)"
)
_NOT = r"(?:not|n't|unable to|never|failed to|inability to)"
_ERROR = re.compile(
    # What a program prints.
    r"^\W*(?:(?:\w+\.)*\w*(?:error|exception|failure|timeout)\b(?! bars?)(?: code \d+| (?:while |when |"
    r"during |in |from )?(?:\w+ing|response|reading|calling)\b(?:\s\w+){0,4})?\W*(?:[:\[]|$)|traceback\b|"
    r"[45]\d\d\b[\s:-]+(?:internal|bad|service|gateway|too many|unauthori\w+|forbidden|not found|client|"
    r"server|error|overloaded)\b|(?:\w+\()?(?:https?connectionpool|status ?code)\b)|\bmax(?:imum)? (?:"
    r"(?:number of )?(?:retries|iterations?|turns|tokens|rounds|attempts|tool calls)|steps(?! per)|"
    r"recursion)\b|\brate.?limits?(?:ed|error)?\b(?!:? \d)|\b(?:iteration|time|token|context|step|turn)s? "
    r"limit\b|\bcontext length\b|"
    rf"\b(?:internal|server|api|tool|fatal|unexpected|network|runtime|parsing|connection) {_FAULT}\b|"
    r"\b(?:service|temporarily|currently|server (?:is|was)) unavailable\b|\btimed?[- ]?out\b|\b"
    r"(?:context_length_exceeded|E(?:CONN\w+|TIMEDOUT|NOTFOUND)|bad gateway|invalid api key|something went "
    r"wrong|content[ _](?:policy|filter\w*)|(?:exceeded|insufficient)[^.\n]{0,20}quota|(?:model|server) is "
    r"overloaded)\b|\breturned no response\b|\bfailed to (?:fetch|generate)\b|^\W*(?:access denied|forbidden|"
    r"unauthori[sz]ed)\W*$|\b(?:resource(?: has been |_)?exhausted|deadline.exceeded|connection (?:refused|"
    r"reset|aborted)|gateway time-?out|no module named|not subscriptable|list index out of range|"
    r"null ?pointer\w*|recursion limit|(?:budget|limit) exceeded|credit balance is too low|need more steps|"
    r"errno \d+|content management policy|(?:blocked|filtered) due to|invalid format: missing|finish_reason|"
    r"too many requests|tokens exceeded|(?:prompt|input|request|context) is too long|expecting value|"
    r"segmentation fault|cuda error|incorrect api key|not authenticated|stopiteration|socket hang up|"
    r"insufficient funds|tool_use_failed|engine died|upstream connect|resulted in \d+ tokens|i encountered|"
    r"model not found|(?:does|do) not exist or you|could not (?:be )?pars\w+|throttl(?:ed|ing)\w*)\b|"
    r"^\W*http \d{3}\W*$|"
    # What a sentence tells of it.
    rf"\b(?:due to|because of|encountered|caused by|there was|after|with) (?:an? |the |some )?(?:\w+ "
    rf"){{0,3}}{_FAULT}\b|\b{_FAULT} (?:has |have )?(?:occurred|happened|while|when|during|prevented|in "
    rf"retriev\w+)\b|\b{_SYSTEM}\b[^.;\n]{{0,24}}?\b(?:failed|broke|crashed|(?:is|was|were|went) down|did(?: "
    rf"not|n't) (?:respond|work|run|complete)|"
    r"(?:could|can)(?: ?not|n't) be (?:reached|performed|completed|executed|run|made|contacted|queried)|"
    r"produced no|returned an error|refused)\b|^\W*<(?:!doctype|html)\b|^\W*(?:no|empty) (?:response|reply|"
    r"output|comment|completion)\b(?: from [\w ]+| \w+ed)?\W*$|^\W*sorry\W*$|\bmodel (?:did not|didn't) "
    r"return\b|\bmodel returned (?:an )?empty\b|^\W*generation failed\b|^\W*step \d+ failed\W*$|"
    # A word or a status in the place of an answer.
    r"^[\W_]*(?:skip(?:ped)?|pass|unanswer(?:able|ed)|refus(?:ed|al)|request denied|kill(?:ed)?|abort(?:ed)?|"
    r"fail(?:ed)?|cancell?ed|unavailable|overloaded|oom|idk|dunno|task (?:error|limit reached)|agent "
    r"(?:context limit|validation failed|invalid action))[\W_]*$",
    re.I,
)
_REFUSES = re.compile(
    rf"(?:\b{_NOT}|n't|\bcan ?not|\bno|lack(?:ing)?|without|limited) (?:(?:have|has|had|any|the|direct|"
    rf"currently|been|actual) )*access\b(?! (?:devices?|sites?|ports?)\b)|"
    r"\b(?:can ?not|can't|could ?n[o']t|can not|unable to|(?:not|\w+n't) able to|not been able to|won't|will "
    r"not|did ?n[o']t)\s(?:\w+ly )?(?:access|connect|reach|load|open|query|execute|run|complete|help|assist|"
    r"answer|process|proceed|parse|say|tell|check|look|do|perform|comply|fulfil+|be able to|share|disclose|"
    r"discuss|engage|respond|determine|find (?:the|an) answer|retrieve that|be (?:determined|answered)\b|"
    r"(?:provide|retrieve|give|obtain|fetch|reveal|release) (?:that|this|you|medical|personal|patient|health|"
    r"an answer)|be (?:shared|disclosed|provided|revealed|released|retrieved|completed|parsed))\b|\bno "
    r"(?:\w+ ){1,6}could be (?:retrieved|accessed|loaded|fetched)\b|\bi (?:ran (?:out of|into)|gave up)\b|"
    r"\b(?:having|had|have) trouble\b|\bsomething (?:broke|failed)\b|\b(?:breach|compromis)\w* (?:\w+ "
    r"){0,5}(?:confidentiality|privacy)\b|(?:\bnot|n't) (?:\w+ )?(?:look(?:ed)? (?:this|it|that|into)|"
    r"check(?:ed)? (?:this|it|that)|know\b(?! to))|(?:\bnot|n't|unable to|not able to|can ?not|possible to) "
    r"(?:find out|(?:see|retrieve|obtain|fetch) the (?:data|information|patient))\b|\bdid (?:not|n't) "
    r"search\b|\bno (?:patient )?data (?:was|were) provided\b|(?:\bno|(?:\bnot|n't) have(?: the| any)?) "
    r"(?:\w+ )?(?:tools?\b(?! (?:result|output))|ability\b)|^\W*(?:(?:it|this) )?(?:can ?not|could not) "
    r"(?:be )?determined?\W*$|\bneed (?:more information|access)\b|\bi give up\b|(?:\bnot enough|"
    r"\binsufficient|(?:\bnot|n't) have (?:enough|sufficient|that|the)) information\b|\b(?:must|have to|"
    r"would|respectfully) (?:\w+ly )?decline\b|\bmy guidelines\b|\b(?:prefer|rather|should) not (?:to )?"
    r"(?:answer|provide|say|share)\b|\bsomething i can help\b|\bi(?:'m| am) not (?:comfortable|programmed|"
    r"designed|allowed|permitted)\b|\binappropriate for me\b|\bi can only (?:answer|help)\b|\bviolat\w+ "
    r"(?:\w+ )?(?:usage|content|polic\w+|hipaa|privacy)\b|^\W*(?:you should |(?:could you )?please )"
    r"(?:provide|share|consult|contact)\b|(?:我|[無无]法)(?:[無无]法|不能)?(?:回答|提供|[協协]助|[幫帮]助|"
    r"[訪访][問问]|存取|取得|[獲获]取|查[詢询]|[確确]定|完成|知道)|不能(?:提供|回答)|[沒没]有?[權权]限|"
    r"できません|\bno puedo\b|\bje ne (?:peux|suis) pas\b|\bich kann\b[^.]{0,300}\bnicht\b|"
    r"\bn(?:ão|on) posso\b|\bik kan\b[^.]{0,300}\bniet\b|\bno idea\b|\b(?:not|un)[ -]?sure\b|"
    r"\bno answer (?:can|could|was|is)\b|^\W*(?:i (?:refuse|decline)|no comment)\b",
    re.I,
)
# That it looked and found nothing.
_FOUND = re.compile(
    r"(?:\b(?:no|not|nobody|never|none|nothing|without|zero)\b|n't\b)(?:[^.;\n]|\.\d){0,120}?\b(?:f[oi]und|"
    r"find|records?|recorded|chart(?:ed|s)?|document\w*|exist\w*|on file|listed|entr(?:y|ies)|given|"
    r"prescri\w+|performed|measured|results?|observations?|match\w*|administ\w+|ordered|received?|undergo\w*|"
    r"taken|identified|was retrieved|were retrieved|data available)\b(?! (?:credentials|access|consent|"
    r"permission))|\b(?:patient|he|she|they) (?:has|had|was|were|is|did|does)(?: no| not| never|n't)\b(?! "
    r"given consent)|\b(?:unable|failed|(?:not|\w+n't) able) to (?:find|"
    r"locate|identify)\b|^\W*(?:there (?:is|are) )?(?:no(?: (?:answer|data))?|none|never|nothing|zero)(?:, "
    r"never)?\W*$|\b(?:found|returned|shows?) (?:no|none|nothing)\b(?! way)|\bthere (?:is|are|was|were)(?: "
    r"no|n't)\b",
    re.I,
)
# That it is not there, in words that no refusal needs.
_ABSENT = re.compile(
    r"\b(?:nobody|no one|none of|nothing|no)\b[^.;\n]{0,80}?\b(?:charted|recorded|documented|exists?|listed|"
    r"ordered|prescribed|measured|given|on file)\b|(?:\b(?:is|was|are|were|been) not|n't|\bnot)(?: been)? "
    r"(?:charted|recorded|documented|listed|on file)\b|\bthere (?:is|are|was|were) (?:no|none|nothing)\b(?! "
    r"(?:data|way|answer|access))|\banswer is (?:none|zero|0|that no)\b|\bno (?:entr(?:y|ies)|"
    r"records?|match)\b",
    re.I,
)
_BLAMES = re.compile(r"\W*(?:because|since|as|due)\b", re.I)
# What leads from a caveat to the answer.
_TURNS = re.compile(
    r"(?:[,;，；]|(?<!\s))\s*(?:\b(?:but|so|yet|aber|pero|mais|maar|mas)\b|但是?|不過)|\s[-–]\s|—|\)\s|"
    r"\b(?:this|attempt|following|found):\s",
    re.I,
)
# The fields of a JSON object that hold its answer.
_FIELDS = ("answer", "final_answer", "agent_answer", "result", "response", "output")
_LONGEST = 600  # characters; a longer text says more than that it failed
_ID = re.compile(r"\b(?=[\w-]*\d)(?:[\w-]{16,}|[0-9a-f]{8,}|\d{5,})\b")
_MANY = 8  # answers of which a majority tells something
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
    if (field := _answer_field(text)) is not None:
        return is_no_answer(field)
    if is_blank(text) or is_printed_error(text):
        return True
    if (mark := _MARK.match(text)) and not is_blank(text[mark.end() :]):
        return is_no_answer(text[mark.end() :])
    return len(text) <= _LONGEST and not (_says_absent(text) or without_failures(text))


def _answer_field(text: str) -> str | None:
    """Return the answer of a JSON object that has a field for it; None for any other text."""
    if len(text) > _READ or not text.lstrip().startswith("{"):
        return None
    document = decoded(text, {})
    return next((json.dumps(document[key]).strip('"') for key in _FIELDS if key in document), None)


def _says_absent(text: str) -> bool:
    """Check whether a clause of `text` says that something is not there, and blames no error for it."""
    for unit in _UNIT.split(text.translate(_APOSTROPHES)):
        parts = _PART.split(unit)
        is_blamed = any(_BLAMES.match(part) and _failure_in(part) for part in parts)
        if not is_blamed and any(_ABSENT.search(part) and not _failure_in(part) for part in parts):
            return True
    return False


def without_failures(text: str) -> str:
    """Return what `text` says beside errors, refusals and polite words; "" for nothing else."""
    units = _UNIT.split(_SHELL.sub(" ", text.translate(_APOSTROPHES)))
    return " ".join(part for unit in units for part in _beside_failure(unit) if _is_statement(part))


def _failure_in(unit: str) -> re.Match[str] | None:
    """Return the first report of an error, or refusal of the agent, in `unit`."""
    all_refusals = _REFUSES.finditer(unit)
    refusals = (m for m in all_refusals if _AGENT.search(_PART.split(unit[: m.start()][-_LONGEST:])[-1]))
    found = [match for match in (_ERROR.search(unit), next(refusals, None)) if match]
    return min(found, key=re.Match.start, default=None)


def _beside_failure(unit: str, turns: int = 3) -> tuple[str, ...]:
    if (failure := _failure_in(unit)) is None:
        return (unit,)
    begins = [part.start() for part in _PART.finditer(unit, 0, failure.start() + 1)]
    rest = unit[failure.end() :]
    turned = [*_TURNS.split(rest, maxsplit=1), ""][1]
    conceded = rest.partition(", ")[2] if _CONCEDES.match(unit) else ""
    after = _beside_failure(turned, turns - 1) if turned and turns else (conceded,)
    return unit[: begins[-1] if begins else 0], *after


def _is_statement(part: str) -> bool:
    part = _POLITE.sub("", part)
    return bool(_SAYS.search(part)) and (_ABSENT.search(part) is not None or not _FILLER.match(part))


def reports_failure(text: str) -> bool:
    """Check whether `text` reports an error, or refuses, whatever else it says."""
    return any(map(_failure_in, _UNIT.split(text.translate(_APOSTROPHES))))


def fingerprint(text: str) -> int:
    """Return a number, the same for texts that differ in case, space and ids; of long ones, by both ends."""
    read = text if len(text) <= _READ else text[: _READ // 2] + text[-_READ // 2 :]
    said = " ".join(_SHELL.sub(" ", read).casefold().split())
    return hash(_ID.sub("#", said) if " " in said else said)


def count_no_answers(fingerprints: Sequence[int | None]) -> int:
    """Count what is no answer (None), and one or two texts that most answers are, which answer no question.

    fingerprints: of each answer, that of `fingerprint`; None of what is none
    """
    counts = Counter(one for one in fingerprints if one is not None).most_common(2)
    repeated = sum(count for _, count in counts if count >= _MANY)
    return fingerprints.count(None) + (repeated if 2 * repeated > len(fingerprints) else 0)


def says_nothing(text: str) -> bool:
    """Check whether `text`, whatever was asked, is no answer: null or "none", or as `is_no_answer`.

    A text that says that nothing was found is an answer.
    """
    text = text.strip()[:_READ]
    said = _SHELL.sub(" ", text)
    return is_null(said) or _NONE.fullmatch(said) is not None or is_no_answer(text)


def says_none_was_found(text: str) -> bool:
    """Check whether `text` says, beside errors and refusals, that nothing was found, is there or was done."""
    return _FOUND.search(without_failures(text)) is not None
