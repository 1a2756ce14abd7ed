"""Determine the stance of an answer: yes or no, nothing found, unable to answer, unsure."""

import re
from dataclasses import dataclass

from wardboard.scoring.fhir_agentbench.judge.rules.text.normalise import sentences

_YES = re.compile(
    r"^\W*(?:yes|yeah|yep|yup|affirmative|correct|true|indeed|certainly|definitely|absolutely)\b"
)
_NO = re.compile(r"^\W*(?:no|nope|negative|false|incorrect)(?:\s*[,.;:!(-]|\s*$|\s+-)")
_ANY_YES = re.compile(r"\byes\b")
_ANY_NO = re.compile(r"(?:^|[.;:,]\s*)no\s*(?:[,.;:!]|$)")
# Negative words that deny nothing.
_HARMLESS = re.compile(
    r"\b(?:in|on|at|from) either\b|\beither (?:of (?:the|these|those|them)|day|visit|stay)\b|\bnot only\b|"
    r"\bno (?:problem|worries|rush|trouble)\b|\bno doubt\b|\bno (?:fewer|less|more|later|earlier) than\b|"
    r"\bwithout (?:any )?(?:a )?(?:doubt|problems?|"
    r"complications?|incident|difficulty)\b|\bno longer than\b|\bno other\b|\bno further\b|"
    r"\bnot limited to\b|\bno additional\b|\bcould be (?:found|identified|located|retrieved)\b|"
    r"^\W*(?:that|this|it) would be\b|\bif not\b|\bno\.\s?\d|\bnot to exceed\b|\bwhether or not\b"
)
_TWICE = re.compile(
    r"\bnot without\b|\bnot (?:un(?:common|usual|likely|true|detected|observed)|in(?:correct|accurate|"
    r"significant|valid)|impossible|absent)\b|\bnever (?:not|failed)\b|\bcannot rule out\b|"
    r"\bcan't rule out\b|\bno (?:absence|lack)\b|\bnot (?:true|the case|correct) that\b|\bnot (?:false|"
    r"incorrect|wrong)\b|\bnot not\b|\bonly\b[^.]{0,40}\bnot\b|"
    # "Never missed a dose", "no one can deny", "was never without", "no dose was skipped".
    r"\b(?:(?:no|not|never|nobody|none|cannot|without|nor|neither|hardly)|"
    r"\w+n't)(?:\s+\w+){0,4}?\s+(?:without|"
    r"miss(?:ed|es|ing)?|fail(?:ed|s)?|den(?:y|ied|ies)|lack(?:ed|s|ing)?|skip(?:ped|s)?|stop(?:ped|s)?|"
    r"refus\w+|withh\w+|omit\w*|discontinu\w+|absent|absence|dispute\w*|doubt\w*|unrecorded|undocumented|"
    r"untreated|free of)\b|\b(?:never|not|nor|nobody|no one|\w+n't) (?:yet |once |ever )?(?:left|leaves?|"
    r"leaving|lost|lose|forgot\w*|off)\b"
)
_DENIAL = re.compile(
    r"\b(?:no|not|never|none|nothing|neither|nor|nobody|without|cannot|zero)\b|n't\b|\b(?:lacks?|lacked|"
    r"absence of|absent|den(?:y|ies|ied)|"
    r"free of|failed to (?:undergo|receive|have)|ruled out|(?:is|are|was|were|came back|tested|"
    r"returned) negative)\b|\bneg(?:ative)? for\b|\bnan\b|\bempty\b|\bin vain\b"
)
_RECORDS = (
    r"(?:records?|data|information|entr(?:y|ies)|results?|observations?|measurements?|encounters?|"
    r"visits?|stays?|"
    r"prescriptions?|medications?|procedures?|tests?|conditions?|diagnos[ei]s|resources?|values?|readings?|"
    r"documentation|evidence|history|details?|codes?|match(?:es|ing)?|orders?|admissions?|events?|"
    r"answer|organisms?|such)"
)
_ABSENT = re.compile(
    rf"\bno\b[^.;\n]{{0,160}}?\b{_RECORDS}\b"
    r"|\bno\b[^.;\n]{0,200}?\b(?:found|recorded|available|exists?|documented|retrieved|identified|"
    r"present|noted|listed|detected|"
    r"performed|prescribed|given|administered|ordered|measured|reported|returned|taken|made|received)\b"
    r"|\bnot? (?:been )?(?:found|recorded|available|documented|exist|present|applicable|identified|"
    r"listed|specified|any)\b|\b(?:did|does|do|has|have|had|was|were|is|are|could|been)(?: not|n't| never)\b"
    r"|\bnever\b|\bnone\b|\bnothing\b|\b(?:zero|0) (?:records?|results?|observations?|entries|matches)\b"
    r"|\bn/a\b|^\W*n\.?a\.?\W*$|\bnull\b|\bnan\b|\bno answer\b|\bno such\b|"
    r"\bthere (?:is|are|was|were|has been|have been) no\b|\bwithout any\b"
    r"|\bempty\b|\black(?:s|ed|ing)?\b|\bno\s+record\b|\bmissing\b"
)
_UNABLE = re.compile(
    r"\b(?:unable|inability|not able|impossible|not possible|cannot|can't|can not|"
    r"(?:could not|couldn't)(?! be (?:found|identified|located))|"
    r"insufficient (?:data|information|details?|records?|evidence)|not enough|unclear|undetermined|"
    r"not (?:be )?determin\w+|don't know|do not know|not sure|inconclusive|fail(?:ed|s|ure) to|"
    r"(?:is|are|was|were|remains?) (?:\w+ )?(?:unknown|insufficient))\b"
)
_UNKNOWN = re.compile(r"\W*unknown\b")
_BROKEN = re.compile(
    # "Entered in error" is no failure.
    r"\b(?:(?<!in )(?<!by )errors?|exception|timed? ?out|timeout|crash\w*|traceback|failed)\b"
)
_HEDGE = re.compile(
    r"\b(?:maybe|perhaps|possibly|might|may (?:be|have)|could (?:be|have)|guess|uncertain|not sure|unsure|"
    r"either|one of|whichever|unconfirmed|"
    r"let me|i (?:will|need|would need|have to|am going to)|i'll|we (?:need|should)|"
    r"to answer|the question|whether|"
    r"expected|would be|if the|cancell?ed|planned|scheduled|postponed|refused|declined|aborted)\b|\?\s*$"
)
_CHOICE = re.compile(r"\b(?:either|one of|whichever|any of|between|or)\b")
_TURN = re.compile(
    r"\b(?:but|however|although|though|except|nevertheless|yet|on the other hand|alternatively|actually|"
    r"wait|correction|(?:wrong|incorrect|false) (?:value|number|answer|count|figure|result))\b"
)
_BARE = re.compile(r"^[^\w-]*(1|0|1\.0|0\.0|true|false)\W*$")

# A search in vain is a denial, not an inability to answer.
_IN_VAIN = re.compile(
    r"\b(?:(?:was |were |am |is |are )?(?:unable|not able) to|(?:could|can|did|do|does) ?n[o']t|cannot|"
    r"fail(?:ed|s)? to)\s(?:find|locate|identify|see|detect|spot|discover|come across|turn up)\b"
)

_BEGIN, _END = 1_000, 600  # characters read; an answer's conclusion is at its beginning or end


@dataclass(frozen=True, slots=True)
class Stance:
    """Hold the stance of an answer, apart from its values.

    - side: True for yes, False for no, None for neither.
    - explicit: it begins with yes, no or the like.
    - denies: its first sentence denies something.
    - denies_later: only a later sentence denies something.
    - absent: it says that there is nothing.
    - chooses: it leaves a choice between several values.
    - ambiguous: it may say both yes and no.
    - contradictory: it certainly says both.
    - bare: it consists of 0, 1, true or false only.
    """

    side: bool | None
    explicit: bool
    denies: bool
    denies_later: bool
    absent: bool
    unable: bool
    failed: bool
    hedged: bool
    chooses: bool
    retracts: bool
    ambiguous: bool
    contradictory: bool
    bare: bool

    @property
    def doubts(self) -> bool:
        """Whether it chooses, takes back, denies or is unable, so that a value in it is not simply given."""
        return self.chooses or self.retracts or self.unable or self.denies


def read_stance(text: str) -> Stance:
    """Return the stance of the normalised `text`."""
    # Lowered here, because case-insensitive patterns are twice as slow.
    text = (text if len(text) <= _BEGIN + _END else f"{text[:_BEGIN]}\n{text[-_END:]}").lower()
    text = _IN_VAIN.sub("found no", text)
    calm = _HARMLESS.sub(" ", text)
    parts = sentences(calm)
    first = parts[0] if parts else ""
    explicit = True if _YES.search(text) else (False if _NO.search(text) else None)
    bare = _BARE.match(text)
    if bare and explicit is None:
        explicit = bare[1].casefold() in ("1", "1.0", "true")
    head = re.sub(r"^\W*(?:yes|no)\b\W*", "", first) if explicit is not None else first
    denies = _DENIAL.search(head) is not None
    unable = _UNABLE.search(calm) is not None or _UNKNOWN.match(calm) is not None
    absent = _ABSENT.search(calm) is not None
    retracts = _TURN.search(calm) is not None
    twice = _TWICE.search(text) is not None
    later = any(_DENIAL.search(part) for part in parts[1:])
    side = explicit if explicit is not None else (None if unable and not denies else not denies)
    return Stance(
        side=side,
        explicit=explicit is not None,
        denies=denies,
        denies_later=later and not denies,
        absent=absent,
        unable=unable,
        failed=_BROKEN.search(text) is not None,
        hedged=_HEDGE.search(calm) is not None,
        chooses=_CHOICE.search(calm) is not None,
        retracts=retracts,
        contradictory=twice
        or (retracts and denies and explicit is None)
        or _says_both(text, explicit, denies),
        ambiguous=_clashes(text, explicit, denies or later or twice, retracts or twice),
        bare=bare is not None,
    )


def contains_denial(sentence: str) -> bool:
    """Check whether a sentence denies something."""
    return _DENIAL.search(_HARMLESS.sub(" ", _IN_VAIN.sub("found no", sentence.lower()))) is not None


def _says_both(text: str, explicit: bool | None, denies: bool) -> bool:
    yes, no = _ANY_YES.search(text) is not None, _ANY_NO.search(text) is not None
    return (explicit is True and denies) or (yes and (no or explicit is False))


def _clashes(text: str, explicit: bool | None, denies: bool, retracts: bool) -> bool:
    says_yes = explicit is not True and _ANY_YES.search(text) is not None
    says_no = explicit is not False and _ANY_NO.search(text) is not None
    return says_yes or says_no or retracts or (explicit is True and denies)
