"""Name what a sentence of an answer does: it claims, tells the method, gives a source, or cautions.

The classes of words are closed (connectives, pronouns, modal verbs, words of reporting) or name what every
answer about a patient's record speaks of (records, searches, sources). What is asked for is in none of them.
"""

import re
from enum import StrEnum
from functools import lru_cache


class Role(StrEnum):
    """Name what a sentence does.

    - CLAIM: it says something about the patient.
    - METHOD: it tells how the answer was found.
    - SOURCE: it names where the answer stands.
    - CAUTION: it limits how far the answer can be trusted, or is polite.
    - EVIDENCE: it says more about what was claimed before it.
    """

    CLAIM = "claim"
    METHOD = "method"
    SOURCE = "source"
    CAUTION = "caution"
    EVIDENCE = "evidence"


_READ = 400  # characters of a sentence that say what it does

# What records are kept in.
RECORDS = (
    r"(?:(?:fhir |clinical |medical |health |electronic |patient(?:'s)? |hospital |structured |underlying |"
    r"available |"
    r"provided |retrieved |relevant |returned |coded |raw |full |whole |entire |ehr |emr |source |"
    r"lab(?:oratory)? )*"
    r"(?:data(?:base|set)?|records?|charts?|resources?|bundles?|entr(?:y|ies)|documentation|information|ehr|"
    r"emr|system|"
    r"server|store|notes?|files?|results?|observations?|encounters?|queries|query|search(?:es)?|history|"
    r"timestamps?|"
    r"extracts?|exports?|tables?|evidence))"
)
_DETERMINER = (
    r"(?:(?:the|this|these|that|all|any|my|our|your|his|her|their|its|what|of|each|every|both|no|some)\s)*"
)
# Verbs of looking, which lead to a claim and make none.
_LOOK = (
    r"(?:search|look|quer|retriev|filter|check|review|sort|compar|examin|pull|fetch|scan|go|went|start|"
    r"began|begin|"
    r"us(?:e|ed|ing)\b|took|read|load|order(?:ed|ing) (?:them|these|the)|inspect|cross|verif|walk|trac|list|"
    r"collect|"
    r"gather|restrict|limit|narrow|group|pars|match|add(?:ed|ing)?\b|sum(?:med|ming)?\b|averag|tall|consider|"
    r"exclud|ignor|discard|dropp|remov|comput|calculat|count|join|link|map|open|request|ran\b|run|access|"
    r"browse|iterat|"
    r"identif|locat|appl|subtract|tak(?:e|ing)\b|keep|kept|select|deduplicat|convert|aggregat|analy|evaluat|"
    r"track|"
    r"follow|work|determin|enumerat|paged?|resolv|focus|cover|downloaded|made sure|tried|combin|mapp|pick|"
    r"sift|chose|"
    r"treat|interpret|assum|round|download|cleaned|loop)\w*"
)
_ADVERB = (
    r"(?:(?:then|first|next|also|just|only|carefully|now|further|have|had|finally|again|manually|have "
    r"to|will|did|both)\s)*"
)
_METHOD = re.compile(
    rf"^\W*(?:(?:first|then|next|second(?:ly)?|after that|afterwards|finally|and|so|here|to (?:answer|find|"
    rf"determine|get|"
    rf"work)\b[^,.;]{{0,120}}|for this|in order to\b[^,.;]{{0,120}}|ok(?:ay)?|initially),?\s)*"
    rf"(?:(?:i|we)(?:'ve|'ll)?\s{_ADVERB}{_LOOK}\b|step (?:\d|one|two|three|four|five|[a-e]\b)|steps?:|let "
    rf"me\b|let's\b|searching\b|looking (?:at|through|"
    rf"up|for)\b|querying\b|(?:reviewed|searched|queried|checked|filtered|looked|retrieved|examined|sorted|"
    rf"scanned|"
    rf"fetched|pulled|compared|counted|computed|calculated)\b(?=[^.]{{0,200}}$)|"
    rf"(?:method(?:ology)?|approach|query|search|process|procedure used|steps? taken|how i (?:found|got) "
    rf"(?:it|this)|"
    rf"workings?|reasoning|thought process|analysis|calculation|logic|rationale)\W{{0,4}}(?:[:–—]|$)|"
    rf"(?:my|the) (?:approach|method|search|query|lookup|strategy|process|filter)\b|"
    rf"(?:this|that|it|the (?:answer|value|count|result|total|number)) (?:was|is|were|has been) "
    rf"(?:determined|found|"
    rf"obtained|computed|calculated|derived|identified|established|worked out|arrived at) (?:by|using|from|"
    rf"through|"
    rf"with|via|after|as)\b|"
    rf"[^.]{{0,80}}\b(?:returned|yielded|produced|contains?|contained|holds?|lists?|gave) (?:back )?(?:a "
    rf"total of )?\d+ (?:\w+ )?(?:entries|rows|"
    rf"results|hits|matches|records|resources)\b|"
    rf"{_DETERMINER}{RECORDS} (?:was|were|is|are|have been|has been) {_ADVERB}{_LOOK}\b)",
    re.I,
)
_SOURCE = re.compile(
    r"^\W*(?:(?:data |primary |supporting )?(?:sources?|references?|citations?|provenance|origin|"
    r"resources?(?: used)?|"
    r"fhir resources?(?: used)?|records? used|based on|taken from|derived from|drawn from|from|see|ref|"
    r"via)\W{0,4}[:–—]|"
    r"(?:source|from|see|per|ref\.?|cf\.?)\W{0,2}\s?(?:fhir |the )?[A-Z][a-z]+(?:[A-Z][a-z]+)*(?:/|"
    r"\s(?:resource|id)))",
    re.I,
)
_ANSWER = (
    r"(?:this|that|it|these|those|the|my|our|your)?\s?(?:above |final |given |reported |stated )?"
    r"(?:answer|response|result|information|conclusion|finding|summary|reply|output|statement|count|value|"
    r"figure|"
    r"interpretation|assessment)?"
)
_CAUTION = re.compile(
    rf"^\W*(?:(?:but|and|also|however|that said|still|so|although|though|while)?,?\s?)?(?:please\b|kindly\b|"
    rf"(?:note|notes?|caveats?|disclaimer|limitations?|warning|remark|caution|important|nb|n\.b\.|fyi|"
    rf"p\.?s\.?)\b(?:\s"
    rf"(?:that|also|on [a-z ]{{1,30}}))?\W{{0,4}}|i (?:should|must|would|want to|also want to|do want to) "
    rf"(?:note|"
    rf"caution|stress|add|point out|emphasi[sz]e|mention|recommend|flag|say)\b|with (?:the|a|some|one) "
    rf"(?:\w+ )?(?:proviso|caveat|understanding|reservation|caution|qualification)s?\b|worth (?:knowing|"
    rf"noting|mentioning|adding|a note|remembering)|(?:it is|it's) (?:worth noting|important"
    rf"|possible|advisable|recommended|best)\b|(?:keep|bear|be) (?:in mind|aware|advised)\b|be (?:aware|"
    rf"advised)\b|"
    rf"(?:\w+ ){{0,2}}(?:limitations?|caveats?|notes?|disclaimers?|warnings?|remarks?|"
    rf"assumptions?)\W{{0,3}}[:–—]|"
    rf"unless\b[^.]*\b(?:amend|miss|overlook|error|incomplete|exist|record|chart|entry|wrong|chang)|"
    rf"{_ANSWER}\s(?:is|was|are|reflects?|relies|covers?|assumes?|should|may|might|could|must|depends|does "
    rf"not|"
    rf"doesn't|do not|can(?:not|'t)?|only|considers?|includes? only|comes?|rests?|draws?)\s?(?:only|solely|"
    rf"purely|"
    rf"entirely|exclusively|strictly|just|limited|based|derived|drawn|taken|not|be|on|upon|to|for|meant|"
    rf"intended|"
    rf"subject|provided|the|what|from|have|contain|differ|change|constitute|replace|incomplete|as of|as "
    rf"complete|"
    rf"accurate)\b|"
    rf"(?:i|we) (?:cannot|can't|could not|couldn't|can not|have not|haven't|did not|didn't|do not|don't|am "
    rf"not|'m not|"
    rf"only|was not|have no|had no|make no)\b(?!\s(?:find|locate|identify|detect|spot|see any|"
    rf"found))(?=[^.]{{0,80}}\b(?:verif|confirm|rule|access|see|guarantee|notes?|"
    rf"free[- ]text|check|review|outside|certain|sure|have|diagnos|medical|clinician|advice|narrative|"
    rf"scanned|other|"
    rf"paper|beyond|had|looked|look|read|consider|way)\w*)|"
    rf"(?:if|should|in case) (?:you|the|any|there|more|a|further|other|additional|needed|this|none|nothing|"
    rf"no|all|it|they|that|i|my|something)\b|let me know|feel free"
    rf"|i hope|hope (?:this|that)|happy to|glad to|i(?:'m| am) (?:happy|glad|fairly|quite|very|reasonably|"
    rf"highly|pretty|"
    rf"confident|not (?:entirely|completely|fully|100))|i(?:'d| would) (?:recommend|suggest|advise|double)|"
    rf"(?:my |level of )?(?:confidence|certainty)\b|confident|"
    rf"(?:clinical|other|outside|additional|further|free[- ]text|later|any|some|external|unstructured|"
    rf"narrative|"
    rf"handwritten|scanned|more) (?:{RECORDS}|systems?|sources?|providers?|facilities|hospitals?|documents?|"
    rf"care|"
    rf"details?)\b[^.]{{0,60}}\b(?:may|might|could|would|were not|was not|are not|is not|not (?:been "
    rf")?(?:reviewed|"
    rf"included|considered|checked|available))|"
    rf"{_DETERMINER}{RECORDS}(?: (?:itself|themselves|here|i have|available to me|in this [a-z]+))? (?:may|"
    rf"might|could) "
    rf"(?:not |be |have |contain |still )|as an ai\b|i am (?:an ai|not a)|(?:please )?(?:do not|don't) "
    rf"(?:hold|quote|take|rely|treat|use)\b|this (?:output|answer|report|message|text|reply) was (?:machine|"
    rf"auto|generated|"
    rf"produced|written)|(?:always )?(?:verify|consult|confirm with|"
    rf"double[- ]check|treat this)\b|for (?:clinical|medical|any) (?:use|decisions?|purposes?)\b|clinical "
    rf"correlation|"
    rf"(?:codes?|chart|structured data|charted|coded data) only\b|(?:not|un|to be|needs to be|should be) "
    rf"?(?:clinically |yet |independently )*(?:verified|confirmed|"
    rf"double-checked|validated)\b|(?:sure|certainly|of course|hello|hi|thanks?|thank you|great question|"
    rf"good question)\b\W*(?:$|here\b|i can\b)|"
    rf"here(?:'s| is| are)\b(?=[^.]{{0,60}}:?\W*$)|done\W*$|no (?:clinical|medical) (?:judg\w+|advice|"
    rf"interpretation)|"
    rf"not medical advice|no (?:unstructured|free[- ]text|clinical|narrative|scanned|other) (?:{RECORDS}|"
    rf"documents?) "
    rf"(?:was|were) (?:reviewed|considered|read|checked|consulted|searched|used|included|available))",
    re.I,
)
# What an assistant offers or asks at the end, and its greetings.
_OFFER = re.compile(
    r"^\W*(?:(?:or |and |also,? |so,? )?(?:would|shall|should|can|could|may|might|do|does|did|want|need|is "
    r"there|are there|was there|"
    r"were there|anything|any (?:other|more|further|questions?|follow)|perhaps|maybe|how about|what about|"
    r"does that|is that|want "
    r"me|looking for|wondering)\b[^?]*\?|(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|dear|"
    r"greetings|welcome|thanks?|thank "
    r"you|no problem|no worries|you(?:'re| are) welcome|you bet|absolutely|of course|certainly|sure(?: "
    r"thing)?|great|glad|happy|"
    r"happy to|with pleasure|gladly|okay?|right|alright|got it|understood|let(?:'s| us) see|let me (?:see|"
    r"check|look|help|"
    r"take|have)|oh|well|interesting|feel free|ask away|i(?:'m| am) around|just (?:ask|say|let|shout|"
    r"holler)|hope|i hope|cheers|"
    r"best|kind|warm|regards|you (?:asked|wanted|were|are|wish|wished|would like|'d like)|the (?:question|"
    r"user|task) (?:asks?|is|"
    r"wants?|was|asked)|i (?:was asked|need to|have to|must|want to|should) (?:find|look|count|check|"
    r"compute|determine|answer|get|see|"
    r"figure|identify)|(?:if|should) you|let me know|always|don't hesitate|do not hesitate|reach out|ping "
    r"me|shout|hit me up|"
    r"i(?:'d| would) be (?:glad|happy|delighted)|i(?:'m| am) (?:happy|glad|delighted)|i can also|i could "
    r"also|we can also)\b"
    r"(?![^.!?]{0,12}[:–—-]\s*\S)[^.?!]*[.?!…)]*\W*$)",
    re.I,
)
# A statement about what was claimed before: "It was recorded on ...", "The order was placed at ...".
_RECORDED = (
    r"(?:record|document|measur|obtain|drawn|chart|tak(?:en|es)|place|written|enter|issu|order|start|began|"
    r"sign|dat|"
    r"tim|post|result|report|not(?:ed|es)|collect|log|given|administer|perform|prescrib|made|captur|stor|"
    r"fil(?:ed|es)|"
    r"list|happen|occur|dispens|ran|last|end|belong|come|came|stand|sit|appear|correspond|reflect|refer|"
    r"show|support|"
    r"confirm|cover|fall|span|match|agree|link|attach|associat|verif|includ|found|stem|deriv|set|read|saw|"
    r"seen|code|flag"
    r"|carr|mark|stat|identif|reach|valid)\w*"
)
_EVIDENCE = re.compile(
    rf"^\W*(?:(?:no|nothing) (?:other|further|more|additional|later|earlier|else|after|before|newer)\b|"
    rf"(?:that|those|these|this)(?: is|'s| are|'re)? (?:all|everything|"
    rf"it|the (?:full|whole|complete) )\b|(?:evidence|details?|supporting (?:evidence|data|records?|"
    rf"details?|information)|context|background|basis|"
    rf"justification|explanation|why|support|reason|because)\W{{0,4}}[:–—]|because\b|"
    rf"(?:this|that|it|these|those|they|he|she|which|each|both|all(?: of (?:them|these|those))?|"
    rf"(?:(?:all|both|each) (?:of )?)?(?:the|this|that|these|those|its|their|one|each|every|all|both|two|"
    rf"three|four|five|\d+) (?:(?!patient|he |she )[\w-]+ ){{0,3}}?(?:value|result|reading|measurement|"
    rf"record|entry|entries|order|prescription|dose|test|encounter|visit|stay|admission|observation|"
    rf"resource|date|time|"
    rf"timestamp|item|specimen|sample|procedure|count|figure|number|total|event|request|unit|code|status|"
    rf"match)(?:e?s)?)"
    rf"\s(?:was|were|is|are|has|have|had|did|does)?\s?(?:been |all |both |then |also |each |first |last |"
    rf"only |"
    rf"most recently |clearly |explicitly |formally )*(?:{_RECORDED}|the (?:only|last|first|latest|earliest|"
    rf"most|"
    rf"highest|lowest|one|same|sole)\b|(?:in|on|at|from|by|for|under|during|within|part|timed|dated|via)\b))",
    re.I,
)
# Words at the beginning of a sentence that takes back an earlier claim.
TAKES_BACK = re.compile(
    r"^\W*(?:wait|actually|correction|sorry|on second thoughts?|scratch that|no,|hmm|rather|instead|"
    r"alternatively|"
    r"let me correct)\b|\b(?:i was wrong|i made an? (?:error|mistake)|should (?:actually|instead) be|"
    r"correct(?:ing)? "
    r"(?:myself|that|this)|on second thoughts?|that (?:is|was) (?:wrong|incorrect)|is in fact|or (?:maybe|"
    r"perhaps|"
    r"possibly))\b",
    re.I,
)


# What may be, or need not be so: a sentence with it claims nothing.
_MAY_BE = re.compile(
    r"\b(?:may|might|could) (?:well |also |still |not |have |be |exist|mirror|differ|reflect|contain|"
    r"include|change|appear|lie|miss)|"
    r"\b(?:does|do|did)(?: not|n't) (?:necessarily |always )*(?:mean|prove|imply|rule out|exclude|guarantee|"
    r"constitute|reflect|replace|establish)\b|"
    r"\b(?:can|could)(?: not|n't|not) be (?:ruled out|excluded|verified|guaranteed|confirmed)\b|\bcannot be "
    r"(?:ruled out|excluded|verified)\b|"
    r"\b(?:would|will) not (?:be (?:included|visible|reflected|captured|shown|listed|seen)|appear|show)\b|"
    r"\bwouldn't (?:be (?:included|visible|"
    r"seen)|appear|show)\b|\bshould(?: not|n't)? be (?:verified|used|checked|confirmed|treated|taken|read|"
    r"interpreted|considered|reviewed|"
    r"double|relied)|\b(?:out of scope|not a substitute|no substitute|n't a substitute|isn't (?:a "
    r")?(?:recommendation|advice|identical|the same)|"
    r"medical advice|clinical advice|clinical judg\w+|treat (?:this|it|the (?:figure|number|value|result|"
    r"answer))\b|not as (?:clinical|medical)|treating (?:team|physician|clinician)|professional)\b",
    re.I,
)
# What is set aside is no claim.
_SETS_ASIDE = re.compile(
    r"^\W*(?:(?:but |and |though |so )?(?:i|we) (?:have |had |then |therefore |also )*(?:left|leave|exclud|"
    r"ignor|dropp|skipp|discard|disregard|"
    r"remov|set|ruled|omitt|filter|eliminat|dismiss|reject|saw|did not count|do not count|didn't count|"
    r"don't count)\w*\b"
    r"|.*\b(?:(?:was|were|is|are|been|be) (?:left out|excluded|ignored|dropped|skipped|discarded|"
    r"disregarded|removed|set aside|ruled out|"
    r"omitted|filtered out|eliminated|dismissed|rejected|not counted|not included|irrelevant|unrelated|"
    r"outside)|(?:does|do|did)(?: not|n't) "
    r"(?:count|belong|qualify|fall)|falls? outside|belongs? to (?:another|a different|an earlier|a later)|"
    r"(?:is|was|were|are) (?:of|from) (?:another|a "
    r"different|an earlier|a later))\b)",
    re.I,
)
_DIGIT = re.compile(r"\d")
# A line of a program.
_CODE = re.compile(
    r"^\W*(?:(?:print|for|assert|import|def|with|while|try|except|len|sorted|set|list|max|min|sum|return|"
    r"next|any|all)\b\s?[\w.'\" ]{0,40}[(\[:]"
    r"|\w+\s=\s[\w.]+[(\[]|[\w.]+\([^)]{0,80}\)\W*$)"
)
# What a search leads to: "I searched ... and found 3".
RESULT = re.compile(
    r"(?:\b(?:and|then|which|where|but)|[,;:])\s(?:i |we |it |then |have |had |has |so |this |that |'ve |"
    r"only |also |there )*"
    r"(?:found|find|finds|got|get|gave|gives|give|counted|count|saw|obtain(?:ed)?|identif(?:y|ied)|"
    r"return(?:ed|s)|yield(?:ed|s)|"
    r"came (?:up with|to|out)|left|leaves|makes|made|conclude[ds]?|arrive[ds]? at|show(?:s|ed)?|is|are|was|"
    r"were|has|have|had|equals?|can see)\b"
    r"(?: that| at| a total of)?:?\s",
    re.I,
)


@lru_cache(maxsize=4_096)
def role_of(sentence: str) -> Role:
    """Return what `sentence` does, by its beginning; CLAIM where no other role is certain."""
    sentence = sentence[:_READ]
    for role, pattern in (
        (Role.SOURCE, _SOURCE),
        (Role.CAUTION, _CAUTION),
        (Role.CAUTION, _OFFER),
        (Role.METHOD, _SETS_ASIDE),
        (Role.METHOD, _CODE),
        (Role.METHOD, _METHOD),
        (Role.CAUTION, _MAY_BE),
        (Role.EVIDENCE, _EVIDENCE),
    ):
        match = pattern.search(sentence)
        if match:
            if pattern is _MAY_BE and _DIGIT.search(sentence, 0, match.start()):
                continue  # the value, and then the caution
            # A sentence that states a search and its result is a claim.
            is_result = pattern is _METHOD and RESULT.search(sentence)
            return Role.CLAIM if is_result else role
    return Role.CLAIM
