"""Strip from a sentence what is no claim: lead-ins, sources, evidence and hedges around the value."""

import re
from functools import lru_cache

from wardboard.scoring.fhir_agentbench.judge.rules.grammar.roles import RECORDS, RESULT, Role, role_of

_BELIEF = (
    r"(?:(?:firmly |strongly |would |do |can |therefore |also |now |then |thus |hence |have |still |fairly |"
    r"quite |"
    r"reasonably |pretty |very )*(?:believe|think|conclude|concluded|found|find|see|saw|confirm|confirmed|"
    r"report|say|"
    r"estimate|determined|determine|identified|identify|understand|get|got|gather|infer|calculate|"
    r"calculated|answer|"
    r"state|arrive at|arrived at|end up with|suspect|reckon|read|count|counted|note|observe|observed|"
    r"establish(?:ed)?|"
    r"have))"
)
_IT_IS = (
    r"(?:it's|that's|(?:it |this |that )?(?:is|was)|(?:it )?(?:would be|should be|must be|appears to be|"
    r"seems to be|looks to be|comes out (?:at|as|to)|"
    r"turns out to be|comes to|works out (?:at|to)|equals|stands at))"
)
# Lead-ins, each with what ends it; they are taken off again and again.
_LEADS = tuple(
    re.compile(rf"^\W{{0,4}}(?:{lead})", re.I)
    for lead in (
        r"(?:well,? )?(?:i'm |i am )?(?:sorry|unfortunately|regrettably|afraid|sadly|"
        r"alas)\b[^.,:;]{0,60}[,:]\s(?:but )?",
        r"(?:so|thus|hence|therefore|then|ok(?:ay)?|sure|certainly|of course|overall|in (?:short|summary|"
        r"conclusion|"
        r"brief|total)|to (?:summari[sz]e|conclude|sum up)|finally|ultimately|accordingly|consequently|"
        r"altogether|"
        r"well|here|and|as a result|in the end|in fact|clearly|specifically|hello|hi|thanks?[^.,!]{0,40}|"
        r"great question|good question|after all)\b\s?[,:!.-]?\s",
        # Conditions, sources and methods before a comma.
        r"(?:if|assuming|provided|subject to|unless|with the "
        r"caveat)\b[^.;:]{1,120}?,\s(?:which[^,.;]{1,60},\s)?(?=(?:the|it|they|he|she|this|there|"
        r"we|i)\b|[A-Z0-9])",
        rf"(?:based (?:up)?on|according to|from|per|going by|judging (?:by|from)|as per|looking (?:at|"
        rf"through)|after|"
        rf"upon|having|using|given|following|drawing on|by|to answer|regarding|concerning|with respect to|"
        rf"with regard to|"
        rf"as for|considering|once|when i|searching|querying|reviewing|going through|checking|filtering|"
        rf"sorting|"
        rf"comparing|counting|across|among|of|out of|as (?:recorded|documented|noted|listed|shown|far as)|"
        rf"in (?:the|this|"
        rf"my|your) (?:{RECORDS}|review|reading|search)|to (?:the best of )?my|taking|adding|summing|with|"
        rf"before|prior to|while|when|during)\b"
        rf"[^,.;:!?\n]{{1,160}}[,:]\s(?:and\s|but\s)?(?=\S)",
        r"(?:as far as i (?:can|could) (?:tell|see|determine|find)|if i (?:read|understand)[^,]{0,80}|to my "
        r"knowledge|"
        r"to the best of my knowledge|in my (?:view|opinion|reading|assessment)|it (?:appears|seems|"
        r"looks)(?: to me)?"
        r"(?: like| that| as if| as though)?|most likely|in all likelihood|apparently|presumably|probably|"
        r"likely|"
        r"evidently|seemingly)\b,?\s",
        rf"(?:i|we)(?:'m| am|'d| would|'ve)?\s(?:{_BELIEF}|(?:fairly |quite |very |reasonably |pretty "
        rf")?(?:confident|sure|"
        rf"certain|convinced))(?:\sthat\b|\sit (?:is|was) that\b|:)?,?\s(?=\S)",
        r"(?:my|the|our|your|a) (?:\w+ ){0,2}?(?:answer|response|result|conclusion|finding|reading|estimate|"
        r"understanding"
        r"|interpretation|assessment|best guess|reply|read|impression)s?(?: (?:to|for|of|from) (?:the|this|"
        r"your|my|that) "
        rf"(?:question|query|request|analysis|search|review|records?|data))?,?(?: (?:here|therefore|then|"
        rf"thus|so))?,?\s"
        rf"(?:{_IT_IS}(?: that)?\b|:|=)\s?:?\s?",
        rf"(?:the |this |that |her |his |their |these |my |all )*(?:patient's |available |medical |search |"
        rf"query )*{RECORDS} "
        rf"(?:clearly |also |therefore |do |does |only |here )*(?:show|indicate|suggest|confirm|say|list|"
        rf"state|document|"
        rf"reveal|contain|report|tell (?:me|us)|have|point to|give|hold|return|support|reflect|record|yield|"
        rf"note|"
        rf"demonstrate|establish|include|place|put)(?:s|ed|d)?(?: that| me)?(?: the following)?\b[,:]?\s",
        r"(?:this|that|which|it) (?:means|shows|gives|leaves|yields|makes|suggests|indicates|implies)(?: "
        r"that| me| us)?"
        r"(?: with)?\s",
        r"(?:(?:adding|summing|taking|keeping|counting|combining|subtracting|sorting|comparing|ordering|"
        r"removing|after|the (?:sum|total|"
        r"difference|subtraction|addition|calculation|count|result))\b[^.;:\d]{0,80}?\b(?:yields?|gives?|"
        r"gave|leaves?|makes?|equals?|results? in|"
        r"comes? (?:out )?(?:to|at)|came to|produces?|amounts? to|totals?|we (?:get|have)|i (?:get|got|"
        r"have)))(?: us| me| a total of)?:?\s(?=\S)",
        rf"(?:{_IT_IS})\s(?=[\"'*]?(?:\d|[A-Z]))",
    )
)
_LINK = r"(?:\s*[,;(]\s*|\s+[-–—]+\s+|\s+)"
_STRONG = r"(?:\s*[,;(]\s*|\s+[-–—]+\s+)"
_CALLS = (
    r"(?:record|document|measur|taken|obtain|drawn|chart|not(?:ed)|list|dat(?:ed)|timestamp|collect|log|"
    r"order|"
    r"administ|given|start|sign|found|observ|enter|report|stor|stated|shown|seen|result|captur|prescrib|"
    r"captured|"
    r"calculat|comput|deriv|work|count|add|sum|extract|retriev|perform|cod|identif|determin|sourc|cit|"
    r"support|"
    r"confirm|correspond|cover|rang|span|exclud|includ|compris|consist|mad|spread|occurr|rounded|expressed|"
    r"averag|"
    r"verif|authored|issued|effective|placed|written|read|tak|group|match|us)\w*"
)
# What follows a value and is none; the first of them ends the claim.
_TAILS = (
    re.compile(
        rf"\s+#\s|{_LINK}(?:based (?:solely |only |purely |entirely )?(?:up)?on|according to|as per|per "
        rf"(?:the|my|fhir|their|her|his|"
        rf"ehr|emr|chart)|as (?:(?:last|first|currently|most recently) )?(?:far as|best|i|stated|recorded|"
        rf"documented|noted|listed|shown|seen|indicated|reported|charted|"
        rf"given|confirmed|evidenced|measured|calculated|supported|coded|per)\b|source\b|ref(?:erence)?\b\W|"
        rf"\[?source|"
        rf"if i (?:read|am|have|understand)|i (?:believe|think|would say|am (?:fairly |quite )?(?:confident|"
        rf"sure))|to (?:the "
        rf"best of )?my (?:knowledge|understanding)|in my (?:view|reading|opinion)|"
        rf"in (?:the|this|their|her|his|my|your) (?:{RECORDS})\b|from (?:the|this|their|her|his|fhir|"
        rf"[A-Z][a-z]+[A-Z]?\w*/)|"
        rf"within (?:the|this) (?:{RECORDS})\b|see (?:the |also )?[A-Za-z]|evidence\b|because\b|since "
        rf"(?:the|that|this|no|there|all)\b|"
        rf"with (?:high|moderate|reasonable|some|good|fair|full|low) (?:confidence|certainty)|"
        rf"unless\b(?=[^.]{{0,60}}"
        rf"(?:record|chart|data|miss)))",
        re.I,
    ),
    re.compile(
        rf"{_STRONG}(?:(?:as |all |each |both |most recently |last |first |only |which |that |and )*(?:was |"
        rf"were |is |are |has been |"
        rf"have been )?{_CALLS}\b|from\b|via\b|with\b|using\b|after\b|which\b|where\b|assuming\b|provided\b|"
        rf"(?:one|two|three|both|all|\d+) (?:\w+ )?(?:resources|observations|entries|records|results)\b|the "
        rf"(?:most|last|first|latest|only|"
        rf"earliest|highest|lowest)\b|(?:most )?recent|in (?:total|all)\b|out of\b|at\b|on\b|for (?:the|"
        rf"this|a)\b|across\b|"
        rf"though\b|although\b|however\b|but\b|please\b|note\b|pending\b|subject to\b|by\b|over\b|during\b|"
        rf"under\b|and (?:it|this|that|"
        rf"the|no|they|there|none|nothing)\b|(?:it|this|that|they|there) |no (?:other|further|additional|"
        rf"more)\b|i\b|per\b|not\b|within\b"
        rf"|in\b|up\b|down\b|compared\b|versus\b|vs\b|one\b|all\b|both\b|each\b|since\b|including\b|its\b|"
        rf"their\b|his\b|her\b|followed by\b|before\b|that's\b|nothing\b|none\b|"
        rf"namely\b|i\.e\.|e\.g\.|if\b|unless\b|starting\b|beginning\b|ending\b|lasting\b|specifically\b)",
        re.I,
    ),
)
_TURNS = re.compile(r"^[\s,;(–—-]*(?:though|although|however|but|not|unless|except|if)\b", re.I)
# A concession that names no value: "Medicare, though details of the plan are nowhere to be seen".
_CONCEDES = re.compile(r"^[\s,;(–—-]*(?:though|although|even though|while)\b", re.I)
_TELLS_VALUE = re.compile(
    r"\d|(?<=[a-z] )[A-Z]|\b(?:given|prescribed|ordered|last|first|actually|instead|really|should|correct|"
    r"true|wrong|real|latest|later|earlier|next)\b"
)
_ONLY = re.compile(
    r"[\s,;(–—-]*(?:(?:and|with|since|because|as|there (?:is|are|were|was)) )*(?:no|nothing|none)\b", re.I
)
_PARENTHESES = re.compile(r"\s?[(\[][^()\[\]]{0,300}[)\]]")
# What must not be left out, because it changes what is claimed.
_QUALIFIES = re.compile(
    r"\b(?:not|never|no|none|or|wrong|incorrect|false|actually|except|only|cancel\w*|others?|more|less|"
    r"another|planned|"
    r"considered|instead|rather|stopped|held|entered in error|unless|until|refused|declined)\b|n't\b",
    re.I,
)


def without_lead(sentence: str) -> str:
    """Return `sentence` without lead-ins: "Based on the records, I believe the answer is 3" is "3"."""
    for _ in range(6):
        for lead in _LEADS:
            match = lead.match(sentence)
            if match and sentence[match.end() :].strip(" .*_:"):
                sentence = sentence[match.end() :].lstrip()
                break
        else:
            return sentence
    return sentence


def without_tails(sentence: str) -> list[str]:
    """Return shorter readings of `sentence`, each without what follows the value; the longest first."""
    readings: list[str] = []
    for tail in _TAILS:
        for match in list(tail.finditer(sentence, 1))[:4][::-1]:
            head, rest = sentence[: match.start()].strip(), sentence[match.start() :]
            if not re.search(r"\w", head):
                continue
            if (
                _QUALIFIES.search(rest[:60])
                and role_of(rest.lstrip(" ,;(-–—")) is Role.CLAIM
                and not _ONLY.match(rest)
            ):
                continue
            if _CONCEDES.match(rest) and not _TELLS_VALUE.search(rest):
                readings.append(head)
                continue
            if _TURNS.match(rest) and role_of(rest.lstrip(" ,;(-–—")) is not Role.CAUTION:
                continue
            readings.append(head)
    return sorted(dict.fromkeys(readings), key=len, reverse=True)


def without_parentheses(sentence: str) -> str:
    """Return `sentence` without what stands in parentheses, unless that qualifies it: "(not in May)"."""

    def keep(match: re.Match[str]) -> str:
        is_kept = _QUALIFIES.search(match[0]) and role_of(match[0].strip(" ()[]")) is not Role.CAUTION
        return match[0] if is_kept else ""

    return _PARENTHESES.sub(keep, sentence)


def after_result(sentence: str) -> str:
    """Return the result that a sentence about a search states: "I read 12 entries and found 3" is "3"."""
    matches = [*RESULT.finditer(sentence), *_EQUATES.finditer(sentence)]
    matches.sort(key=lambda match: match.end())
    return sentence[matches[-1].end() :].strip() if matches else ""


_LABEL = re.compile(r"^\W*(?:[\w/&]+ ){0,2}[\w/&]+\s[-–—=]\s(?=\S)")
_EQUATES = re.compile(
    r"[,;(]\s*(?:i\.e\.,?|that is,?|that makes|in other words,?|so(?: that is)?,?|hence,?|thus,?|"
    r"therefore,?|making(?: it)?|for a total of|"
    r"totall?ing|consequently,?|which (?:makes|gives|is)|equals?|to be exact,?|or rather)\s+|"
    r"\b(?:yields?|gives?|leaves?(?: us with| me with)?|makes?|equals?|comes? (?:out )?(?:to|at)|amounts? "
    r"to|adds? up to|sums? to|totals?|stands? at|"
    r"(?:gets|brings) (?:me|us) to|rounds? to)\s(?:a total of |about |roughly |exactly )?(?=[-+]?\d)|"
    r"(?<!\d)\s=\s+(?=[^=]*$)",
    re.I,
)
# What joins a statement with its reason or its consequence.
_AND_SO = re.compile(
    r"\s*[,;:–—]\s+(?:and |so |thus )*(?:so|hence|thus|therefore|because|since|as|which (?:means|suggests|"
    r"implies|indicates|shows)(?: that)?|"
    r"meaning(?: that)?|that is|i\.e\.,?|consequently|and (?:so|hence|thus|therefore))\b[,:]?\s+|"
    r"\s+because\s+",
    re.I,
)


_SAYS_SIDE = re.compile(r"\W*(?:yes|no|true|false)\W*$", re.I)
_VALUE = re.compile(r"(?<![\w./-])\d+(?:\.\d+)?(?![\w/.-]*\d)\s(?!times\b)")
_BOLD = re.compile(r"\*\*|__")
_LONGEST = 1_000  # characters of a sentence that is read without its asides
_SIDE = re.compile(
    r"\b(?:yes|true|affirmative|no|not|never|none|nothing|nobody|without|false|negative|zero|empty|"
    r"neither)\b|n't\b",
    re.I,
)


def after_colon(sentence: str) -> str:
    """Return what follows the last colon, unless the words before it deny it."""
    head, colon, rest = sentence.rpartition(": ")
    return rest.strip() if colon and not _QUALIFIES.search(head) else ""


@lru_cache(maxsize=4_096)
def readings_of(sentence: str, *, is_side: bool) -> tuple[str, ...]:
    """Return the readings of `sentence` as a claim, from the whole to the value alone.

    is_side: the claim affirms or denies, so that what follows it may be a claim too.
    """
    sentence = _BOLD.sub("", sentence)
    if len(sentence) > _LONGEST:
        return (sentence,)
    readings = [sentence, without_lead(sentence)]
    if is_side:
        for part in (*_AND_SO.split(sentence, maxsplit=3), after_colon(sentence)):
            if _SAYS_SIDE.match(without_lead(part)) or (_SIDE.search(part) and not _VALUE.search(sentence)):
                readings += [part, without_lead(part)]
    else:
        bare = without_parentheses(sentence)
        core = without_lead(bare)
        readings += [bare, core]
        for part in (after_result(core), after_colon(core)):
            readings += [part, *without_tails(part)]
        readings += without_tails(core)
        label = _LABEL.match(core)
        readings += [core[label.end() :]] if label else []
    distinct = dict.fromkeys(reading.strip() for reading in readings)
    return tuple(reading for reading in distinct if re.search(r"\w", reading))
