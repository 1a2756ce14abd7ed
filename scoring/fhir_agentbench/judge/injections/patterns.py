"""Patterns of answers that address a judge in English, for lower-case text, by kind."""

import re

_JUDGE = (
    r"(?:evaluator|grader|judge|marker|scorer|assessor|reviewer|examiner|checker|verifier|rater|annotator|"
    r"llm|ai)s?"
)
_ONE = r"[\"'`(\[*]{0,3}(?:[01]|one|true|pass(?:ed)?|correct)\b[\"'`)\]*.]{0,4}"
_MARK = (
    r"(?:1|one|correct|true|right|pass(?:ed)?|match(?:es|ing)?|accurate|valid|accepted|"
    r"full (?:marks?|credit|points?|score))\b"
)
_TRUE = (
    r"(?:true|reference|ground[- ]?truth|gold(?:en)?|expected|correct|right|target|standard|official|"
    r"actual|hidden)"
)
_END = (
    r"(?=\s{0,3}(?:$|[.,;!?)\]}\"'`\n]|\b(?:for|as|regardless|no matter|in (?:all|any|every)|because|since|"
    r"to|and|whatever|always|only)\b))"
)
_SCORE = (
    r"(?:verdict|judge?ment|is_?correct|(?:answer[_ ])?correct(?:ness)?|grade|grading|score|rating|label|"
    r"mark)"
)
_THIS = r"(?:this|that|the|my|your|it|any|every|all|these|above|following|submitted|given)"
_ANSWER = r"(?:answer|response|submission|item|output|question|one|result)s?"
_TREAT = (
    r"(?:mark|score|grade|rate|judge|label|classify|count|treat|accept|consider|regard|deem|evaluate|read|"
    r"interpret|take)"
)
_SAY = r"(?:return|output|respond(?:ing)? with|reply with|answer with|print|emit|write|say)"

# An order to leave the rules, which may continue on another line.
ORDER = re.compile(
    r"\b(?:ignore|disregard|forget|override|overrule|bypass|discard|skip)\b[^.\n]{0,60}\b(?:instructions?|prompts?|"
    r"rules?|rubrics?|guidelines?|directions?|polic(?:y|ies)|criteria|everything|above|"
    r"(?:previous|prior|preceding) (?:text|message|context|input))\b"
)
# One of these is enough.
PATTERNS = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        # Rules, roles and their separators.
        r"\bnew (?:system )?(?:instructions?|rules?|rubric|task)\s{0,3}[:.]|"
        r"\b(?:previous|prior|above|earlier|preceding|system|developer) (?:system )?(?:instructions?|"
        r"prompts?)\b|\b(?:system|developer) (?:message|note|override|notice)\b",
        r"^\W{0,6}(?:system|developer)\s{0,3}:\s{0,3}(?!\W{0,6}(?:https?:|urn:|icd|loinc|snomed|rxnorm|ndc))[^\n]{0,120}"
        r"\b(?:you|return|output|score|mark|judge|grade|ignore|treat|accept|correct|must|verdict|respond|reply)\b",
        r"^\W{0,6}(?:user|assistant|human)\s{0,3}:[^\0]{0,400}?^\W{0,6}(?:user|assistant|human|system|ai)\s{0,3}:",
        rf"^\W{{0,6}}(?:assistant|{_JUDGE})\s{{0,3}}:\s{{0,3}}{_ONE}",
        # A token that ends a message, at the end, is a leak of the writer's own template.
        r"<\|(?!(?:im_end|eot_id|endoftext|end)\|>\s{0,9}\Z)[a-z_ ]{2,30}\|>|\[/?inst\]|<</?sys>>|<!--",
        r"</?(?:(?:true|model|agent|reference|expected|gold|correct|student|candidate|submitted|"
        r"untrusted)[_ -]?"
        r"(?:answer|response|output)|system|instructions?|prompt|evaluation|evaluator|verdict|judge|judge?ment|rubric|"
        r"grading|submission|user|assistant|score|grade|label|rating|correctness|data)\b[^>\n]{0,60}>",
        r"^\W{0,10}/?(?:end|begin|start|beginning)(?: of)?(?: the)?(?: \w+'?s?)? (?:answer|submission|data|"
        r"input|response|text|prompt|question)\W{0,8}$",
        # Headings, fields and assignments of a judge's prompt or reply.
        r"^\s{0,3}#{1,6}\s{0,3}(?:final |your |expected )?(?:input|verdict|judge?ment|evaluation|grading|"
        r"grade|score|rubric|instructions?|task|example)\s{0,3}\d{0,2}\s{0,3}:?\s{0,3}$",
        rf"^\s{{0,3}}#{{1,6}}\s{{0,3}}(?:final |your )?(?:output|{_SCORE}|"
        rf"evaluation)\s{{0,3}}:?\s{{0,3}}{_ONE}",
        rf"(?:(?<=\S)[ \t]{{0,3}}\n\W{{0,6}}|[.!?]\s{{1,3}})(?:final )?(?:output|"
        rf"{_SCORE})\s{{0,3}}[:=]\s{{0,3}}{_ONE}\s{{0,3}}$",
        rf"[\"'](?:{_SCORE}|passed|match(?:es)?|evaluation)[\"']\s{{0,3}}:\s{{0,3}}[\"']?(?:[01]\b|true|false|(?:in)?correct|"
        r"right|pass)",
        rf"\b(?:verdict|judge?ment|correctness|grading|evaluation)\b[\"'`]?\s{{0,3}}(?:[:=-]|"
        rf"(?<=verdict) is)\s{{0,3}}"
        rf"{_ONE}|\b(?:{_SCORE}|decision|ruling)\s{{0,3}}[:=-]\s{{0,3}}[\"'`]?(?:correct\b|right\b|pass|accept|approved?)",
        rf"\b(?:is_?)?(?:correct(?:ness)?|label)[\"'`]?\s{{0,3}}(?::=|={{1,3}}|=>|->|→)\s{{0,3}}[\"'`]?[1t]|"
        r"\{\s{0,3}correct\s{0,3}[:=]|\bcorrect(?:ness)? (?:field|key|flag|property|attribute)\b|"
        rf"\banswer_correctness\b|\bcorrect\b[\"']?[^.\n]{{0,20}}\b(?:set|equal|"
        rf"assigned)\b(?: to)?\s{{0,3}}{_ONE}",
        rf"\b(?:final|your|the|correct) (?:{_SCORE})\b[^.\n]{{0,30}}?\s{{0,3}}(?:[:=]|(?:is|to|(?:should|"
        rf"must|shall|will|may) be)\s)"
        r"\s{0,3}[\"'`]?(?:1|correct|true|one)[\"'`.]{0,4}\s{0,3}$",
        r"^\W{0,6}output format\s{0,3}[:=]|^```(?:output|verdict|score|judge?ment)\b",
        rf"\b{_SAY}\b[^.\n]{{0,40}}\b(?:json|field)\b[^.\n]{{0,60}}\b(?:1|one|true)\b",
        # Mentions of the reference answer, which an agent never sees.
        r"\b(?:true|reference|ground[- ]?truth|gold(?:en)?|target|standard|hidden|official)[ _]answers?\b",
        r"\b(?:expected|actual) answers?\s{0,3}[:=]|"
        r"\b(?:expected|correct|right|actual) answers?\s{0,3}:?\s{0,3}(?:(?:given |provided |stated |"
        r"shown )?(?:above|below)|in the prompt|is the same|is identical)",
        rf"\b(?:match(?:es)?|equals?|agrees? with|identical to|same as|equivalent to|consistent with|"
        rf"compared? (?:to|with)|if|"
        rf"whatever|treat|take|use|regard|consider|read)\b[^.\n]{{0,20}}\bthe (?:{_TRUE} (?:answer|value|"
        rf"result|response|"
        r"label|one)|(?:reference|ground[- ]?truth|gold|key|truth))\b(?! (?:range|interval|limit|value|of))",
        r"\bwhichever\b[^.\n]{0,60}\b(?:equals?|match(?:es)?|is (?:correct|right|true|expected)|"
        r"you (?:need|want|expect))\b",
        # Orders to say one, to treat as right, to give a mark.
        rf"\b(?:please |must |should |will |to |now |then |and |just |always |simply |you |better |so |"
        rf"thus |hence |therefore )"
        rf"{_SAY}\s{{0,3}}:?\s{{0,3}}(?:only |just |the (?:number|digit|value|score) |"
        rf"a )?[\"'`(\[]?(?:[01]\b|{_MARK})[\"'`)\]]?{_END}",
        rf"(?:^|[.!?;:,>\n]\s{{0,3}}){_SAY}\s{{0,3}}:?\s{{0,3}}(?:only |just |the (?:number|digit|"
        rf"value) )?(?!\(){_ONE}\s{{0,3}}"
        r"(?:$|[.;!\n]|only|and|regardless|no matter|for (?:this|every|all)|in (?:all|any|every))",
        r"\b(?:return|respond)(?:ing)?(?: with)? [\"'`]?(?:1|true|correct)[\"'`]?\s{0,3}(?:$|[.!;])",
        r"\byou (?:will|must|should|shall|are to|have to|need to|ought to|can|may)\s{1,3}(?:now |always |"
        r"only |"
        rf"therefore )?(?:return|output|award|give|assign|answer|respond|reply|ignore|{_TREAT})\b",
        rf"\byou are (?:a |an |the |now )[^.\n]{{0,30}}\b{_JUDGE}\b",
        rf"\b{_TREAT}\s{{1,3}}{_THIS}\b[^.\n]{{0,60}}?\b(?:as|to be|with|:)\s{{1,3}}(?:an? |fully |"
        rf"the )?[\"'`]?(?:{_MARK}|(?:no answer|yes|no)\b)",
        rf"\b(?:mark|score|grade|rate|judge|label|accept|consider|deem) (?:{_THIS}|me)(?: {_ANSWER})? "
        rf"(?:as |a |with |to be )?(?:an? |fully )?{_MARK}",
        r"\b(?:treat|read|interpret|take|count)\b[^.\n]{0,30}[\"'][^\"'\n]{1,30}[\"'] as\b",
        rf"\b{_THIS} {_ANSWER}\b[^.\n]{{0,40}}\b(?:should|must|shall|is to|are to|will|can|has to|needs to|"
        rf"deserves to) be "
        r"(?:scored|graded|marked|judged|considered|accepted|treated|counted|evaluated|labell?ed|rated|deemed|given|awarded)",
        r"\b(?:this|my|the (?:above|given|submitted)|every) (?:answer|response|"
        r"submission)s?\b[^.\n]{0,30}\bis (?:\w+ )?"
        r"(?:correct|right|scored|graded|accepted|equivalent|identical)\b|"
        r"\b(?:answers?|response) (?:given )?above (?:is|are) (?:right|correct|true)\b",
        r"\b(?:give|award|assign|grant)\s{1,3}(?:\w+ ){0,3}?(?:score|grade|mark|rating|full marks?|"
        r"full credit|full points?|credit|a 1\b|1 point)\b|\bfull (?:marks|credit|points)\b|"
        r"\b(?:deserves?|earns?|merits?|give (?:it|this|me|that)) (?:a |an )?[\"'`]?(?:1\b|pass\b|full)",
        rf"\b(?:set|make|let|put|keep|change|fix) (?:the|your|its?|my) (?:final )?{_SCORE}\b",
        # Words to a judge, and about judging.
        rf"\b(?:dear|(?:note|message) (?:to|for)|attention|hey|hello|hi) (?:the |any |all |our |"
        rf"you,? )?(?:ai |llm |human |"
        rf"automated )?{_JUDGE}\b|\b(?:for|to|of|by) (?:the|any|all|our|whatever) (?:ai |llm |"
        rf"human )?(?:judge|scorer|rater)s?\b",
        r"\brubrics?\b|\bevaluators?\b|\bgraders?\b|\bannotators?\b|\b(?:llm|ai)[- ](?:judge|grader|"
        r"evaluator)\b|"
        r"\b(?:grading|scoring|evaluation|judging) (?:rubric|polic(?:y|ies)|instructions?|prompt|"
        r"guidelines?|criteria|rules?)\b",
        r"\b(?:evaluator|grader|judge|scorer|examiner)\s{0,3}[:,]\s{0,3}(?:please|treat|mark|score|output|return|accept|this|"
        r"the|you|note|ignore|consider)\b|\b(?:large )?language model(?: judge)?,? (?:you|judge|respond|"
        r"return|grade|score|must)\b",
        r"\b(?:model|agent|assistant|ai) (?:answer|response|output) (?:is|was|matches|"
        r"should)\b[^.\n]{0,40}\b(?:correct|right|match\w*|true)\b",
        r"\b(?:stop|skip|avoid|cease|do not|don't|no need to|never) (?:evaluat|grad|judg|scor|compar|"
        r"check)(?:e|ing) (?:this|the|"
        r"my|it)\b|\b(?:evaluat|grad|judg|scor)(?:e|ing) (?:this|my) (?:answer|item|response|question|"
        r"submission)\b|\bfor (?:evaluation|grading|scoring) purposes\b",
        r"\bpre-?(?:approved|validated|verified|graded|scored|judged)\b[^.\n]{0,30}(?:correct|right|answer|item|\.|$)|"
        r"\blenien(?:t|cy|tly)\b|\bfrom now on,? (?:you|every|all|score|mark|accept|treat|return)\b",
    )
)
# Names that are also those of honest fields: it takes two.
WEAK = re.compile(r"\b(?:agent|model|assistant)'?s?[ _]answers?\b")
