"""Patterns of answers that address a judge in English, for lower-case text."""

import re

# Words that are cheap to search for. The patterns are only tried if one is present, which is rare.
HINT = re.compile(
    r"output format|label|deserve|earns|merits|give it|give this|give me|give that|respond|, output|"
    r"so output|and output|thus output|hence output|better output|therefore output|```|answers? above|"
    r"response above|don't |do not |no need|never (?:eval|check|comp)|pre-?appr|pre-?val|pre-?ver|"
    r"annotator|lenien|from now on|language model|the gold|the truth|the key|the label|\x22correct\x22|###|"
    r"'correct'|<!--|</|<<sys|<agent|<eval|<instr|<judge|<model|<prompt|<system|<true|<verdict|<\||\[inst|"
    r"accept|agent answer|agent_answer|ai:|answer 1|answer key|answer with|any value|as correct|"
    r"as no answer|as right|as true|assess|assign|assistant|award|begin answer|"
    r"bypass (?:the|all|any|your|every)|consider|correct answer|correctness|developer|disregard|end answer|"
    r"end of|equals the|evaluat|expected answer|forget|full credit|full marks|gold|grade|grader|grading|"
    r"ground truth|ground-truth|groundtruth|human:|ignor|input|\binstruction|interpret|is correct|"
    r"is_correct|judg|mark|marker|model answer|model's answer|model_answer|"
    r"output\W{0,10}(?:[01]|only|just|the|a|correct|one|true|pass|$)|override|overrule|print|prompt|"
    r"question:|read \x22|read '|read it|read this|reference answer|reference_answer|reply with|"
    r"respond with|return|reviewer|right answer|rubric|say \x22|say '|say 1|score|scoring|standard answer|"
    r"system mess|system note|system notice|system over|system pro|system:|target answer|the above answer|"
    r"the reference|this as|treat (?:this|it|that|the|my|any|every|all|\x22|')|true answer|true_answer|"
    r"<data|json|correct (?:field|key|flag|value|property|attribute)|correct\W{1,6}(?:set|1|true)|"
    r"label\W{1,6}1|set to|decision|ruling|user:|verdict|whichever|you are|you must|you should|you will|\|>"
)

_JUDGE = (
    r"(?:evaluator|grader|judge|marker|scorer|assessor|reviewer|examiner|checker|verifier|rater|llm|ai|"
    r"language model)"
)
_MARK = (
    r"(?:1|one|correct|true|right|pass(?:ed)?|match(?:es|ing)?|accurate|valid|accepted|"
    r"full (?:marks?|credit|points?|score))"
)
_TRUE = (
    r"(?:true|reference|ground[- ]?truth|gold(?:en)?|expected|correct|right|target|standard|official|"
    r"actual|hidden)"
)
_END = (
    r"(?=\s{0,3}(?:$|[.,;!?)\]}\"'`\n]|\b(?:for|as|regardless|"
    r"no matter|in (?:all|any|every)|because|since|to|and|whatever|always|only)\b))"
)

ORDER = re.compile(
    r"\b(?:ignore|disregard|forget|override|overrule|bypass|discard|"
    r"skip)\b[^.\n]{0,60}\b(?:instructions?|prompts?|rules?|"
    r"rubrics?|guidelines?|directions?|polic(?:y|ies)|criteria|everything|"
    r"(?:previous|above|prior|preceding) (?:text|message|context|input))\b"
)
PATTERNS = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        # Instructions to leave the rules, a role, a rubric.
        r"\bnew (?:system )?(?:instructions?|rules?|rubric|task)\s{0,3}[:.]",
        r"\b(?:previous|prior|above|earlier|preceding) (?:system )?(?:instructions?|prompts?)\b",
        r"\b(?:system|developer) (?:prompt|message|note|instructions?|override|notice)\b",
        # Roles and their separators.
        r"^\W{0,6}(?:system|developer)\s{0,3}:\s{0,3}(?!\W{0,6}(?:https?:|urn:|icd|loinc|snomed|rxnorm|"
        r"ndc))[^\n]{0,120}\b(?:you|return|output|score|"
        r"mark|judge|grade|evaluat\w*|ignore|treat|accept|correct|answer|must|verdict|respond|reply)\b",
        r"^\W{0,6}(?:user|assistant|human|developer|system|ai)\s{0,3}:[^\0]{0,400}?^\W{0,6}(?:user|"
        r"assistant|human|developer|system|ai)\s{0,3}:",
        r"^\W{0,6}(?:assistant|ai|"
        + _JUDGE
        + r")\s{0,3}:\s{0,3}[\"'`(\[]?(?:[01]|correct|incorrect|true|pass)\b",
        r"<\|[a-z_ ]{2,30}\|>|\[/?inst\]|<</?sys>>|<!--",
        r"</?(?:true|model|agent|reference|expected|gold|correct|student|candidate|submitted|"
        r"untrusted)[_ -]?(?:answer|response|output)\b",
        r"</?(?:system|instructions?|prompt|evaluation|evaluator|verdict|judge|judgement|judgment|"
        r"rubric|grading|submission|user|assistant)\b[^>\n]{0,60}>",
        r"^\W{0,6}(?:end|begin|start|beginning)(?: of)?(?: the)?(?: agent'?s?| model'?s?| untrusted|"
        r" final)? (?:answer|submission|data|input|response|text|prompt|question)\W{0,6}$",
        r"^\W{0,6}[-=*#<\[]{2,6}\s{0,3}/?(?:end|begin|start)\b[^\n]{0,40}\b(?:answer|submission|data|"
        r"input|response)\b",
        # Headings and fields of a judge's prompt or reply.
        r"^\s{0,3}#{1,6}\s{0,3}(?:final |your |expected )?(?:output|input|verdict|judge?ment|evaluation|"
        r"grading|grade|score|rubric|reasoning|instructions?|task|"
        r"example)\s{0,3}\d{0,2}\s{0,3}:?\s{0,3}$",
        r"^\s{0,3}#{1,6}\s{0,3}(?:final |your )?(?:output|verdict|judge?ment|evaluation|grade|"
        r"score)\s{0,3}:?\s{0,3}[\"'`]?(?:[01]|correct|incorrect|true|false|pass|fail)\b",
        r"(?<=\S)[ \t]{0,3}\n\W{0,6}(?:final )?(?:output|verdict|score|grade|label|"
        r"rating)\s{0,3}[:=]\s{0,3}[\"'`]?(?:1|0|correct|true)[\"'`.]{0,4}\s{0,3}$",
        r"[.!?]\s{1,3}(?:final )?output\s{0,3}[:=]\s{0,3}[\"'`]?[01][\"'`.]{0,4}\s{0,3}$",
        r"[\"'](?:answer_?correctness|verdict|is_?correct|correct|correctness|judge?ment|grade|"
        r"evaluation|passed|match(?:es)?)[\"']\s{0,3}:\s{0,3}[\"']?(?:[01]\b|true|false|correct|"
        r"incorrect|right|yes|pass)",
        r"\b(?:verdict|judge?ment|correctness|answer[_ ]correctness)\b\s{0,3}(?:[:=]|"
        r"(?<=verdict) is)\s{0,3}[\"'`]?(?:[01]\b|true\b|correct|right|yes\b|pass|match)",
        r"\b(?:grading|evaluation)\b\s{0,3}[:=]\s{0,3}[\"'`]?(?:[01]\s{0,3}$|correct\b|pass)|"
        r"\bgrade\s{0,3}[:=]\s{0,3}[\"'`]?(?:correct|pass)\b",
        r"\b(?:final|your|the) (?:score|grade|rating|mark|label|"
        r"verdict)\b(?: for this(?: \w+)?)?\s{0,3}(?:[:=]|is|should be|must be|"
        r"will be)\s{0,3}[\"'`]?(?:1|correct|true)[\"'`.]{0,4}\s{0,3}$",
        # Mentions of the reference answer, which an agent never sees.
        r"\b(?:true|reference|ground[- ]?truth|gold(?:en)?|model'?s?|agent'?s?|target|standard|hidden|"
        r"official)[ _]answers?\b",
        r"\b(?:expected|correct|right|actual) answers?\s{0,3}(?::|=|(?:given |provided |stated |"
        r"shown )?(?:above|below)|in the prompt|is the same|is identical)",
        r"\b(?:match(?:es)?|equals?|agrees? with|identical to|same as|equivalent to|consistent with|"
        r"compare(?:d)? (?:to|with))\b[^.\n]{0,20}\bthe "
        + _TRUE
        + r" (?:answer|value|result|response|label)\b",
        r"\bif the "
        + _TRUE
        + r" (?:answer|value|result|response)\b|\bwhatever the "
        + _TRUE
        + r" (?:answer|value|result)\b",
        r"\b(?:the )?(?:ground[- ]?truth|gold(?:en)? label|answer key)\b(?=[^.\n]{0,40}\b(?:is|was|says|"
        r"match|equal|withdrawn|empty|same)\b)",
        r"\bwhichever\b[^.\n]{0,60}\b(?:equals?|match(?:es)?|is (?:correct|right|true|expected)|"
        r"you (?:need|want|expect|have))\b",
        # Instructions to a judge.
        r"\b(?:please |must |should |will |to |now |then |and |just |always |simply |you )(?:return|"
        r"output|respond with|reply with|answer with|print|emit|write|say)\s{0,3}:?\s{0,3}(?:only |"
        r"just |the (?:number|digit|value|score) |a )?[\"'`(\[]?(?:[01]|" + _MARK + r")\b[\"'`)\]]?" + _END,
        r"(?:^|[.!?;:>\n]\s{0,3})(?:return|output|respond with|reply with|answer with|print|emit|"
        r"say)\s{0,3}:?\s{0,3}(?:only |just |the (?:number|digit|value) )?[\"'`\[]?(?:[01]|one|correct|"
        r"true|pass)\b[\"'`\]]?\s{0,3}(?:$|[.;!\n]|only|and|regardless|no matter|for (?:this|every|all)|"
        r"in (?:all|any|every))",
        r"\byou (?:will|must|should|shall|are to|have to|need to|ought to|can|may)\s{1,3}(?:now |"
        r"always |only |therefore )?(?:return|output|score|mark|grade|judge|rate|evaluate|accept|treat|"
        r"award|give|assign|answer|respond|reply|consider|label|ignore)\b",
        r"\byou are (?:a |an |the |now )[^.\n]{0,30}\b" + _JUDGE + r"\b",
        r"\b(?:mark|score|grade|rate|judge|label|classify|count|treat|accept|consider|regard|deem|"
        r"evaluate|read|interpret)\s{1,3}(?:this|it|that|the|my|any|every|all|"
        r"these)\b[^.\n]{0,60}?\b(?:as|to be|with|:)\s{1,3}(?:an? |fully |the )?[\"'`]?(?:"
        + _MARK
        + r"|no answer|yes|no)\b",
        r"\b(?:mark|score|grade|rate|judge|label|count|treat|accept|consider|regard|deem) (?:this|my|"
        r"the|every|any) "
        r"(?:answer|response|item|submission|question|one)s? (?:as |to be |with )?(?:an? |fully )?"
        + _MARK
        + r"\b",
        r"\b(?:mark|score|grade|rate) (?:this|it|me|that)(?: answer)? (?:as |a |with )?(?:1|one|correct|"
        r"right|true)\b",
        r"\b(?:treat|read|interpret|take|count)\b[^.\n]{0,30}[\"'][^\"'\n]{1,30}[\"'] as\b",
        r"\b(?:this|my|the|every|any|above|following) (?:answer|response|submission|item|output|"
        r"question)s?\b[^.\n]{0,40}\b(?:should|must|shall|is to|are to|will|can|has to|needs to|"
        r"deserves to) be (?:scored|graded|marked|judged|considered|accepted|treated|counted|evaluated|"
        r"labell?ed|rated|regarded|deemed|given|awarded)",
        r"\b(?:this|my|the above|every|the given|the submitted) (?:answer|response|"
        r"submission)s?\b[^.\n]{0,30}\bis (?:therefore |hereby |fully |definitely |entirely |"
        r"100% )?(?:correct|right|scored|graded|accepted|equivalent|identical)\b",
        r"\b(?:is|are|be|been|gets?|receives?|deserves?|earns?|worth) scored? (?:as )?[\"'`]?(?:1|one|"
        r"correct)\b[\"'`]?(?!\s{0,3}(?:on|out|\d|/|[a-z]{3,} scale))",
        r"\b(?:give|award|assign|grant)\s{1,3}(?:me |it |this |the |an? |this answer |my answer |"
        r"this response )?[^.\n]{0,20}\b(?:score|grade|mark|rating|full marks?|full credit|full points?|"
        r"credit|a 1\b|1 point)\b",
        r"\bfull (?:marks|credit|points)\b",
        r"\b(?:dear|note (?:to|for)|message (?:to|for)|attention|hey|hello|hi) (?:the |any |all |our |"
        r"you,? )?(?:ai |llm |human |automated )?(?:evaluators?|graders?|judges?|markers?|scorers?|"
        r"assessors?|raters?|examiners?)\b",
        r"\b(?:for|to|of|by) (?:the|any|all|our|whatever) (?:ai |llm |human |automated )?(?:judges?|"
        r"scorers?|raters?)\b|\brubrics?\b",
        r"\b(?:evaluator|grader|judge|scorer|examiner)\s{0,3}[:,]\s{0,3}(?:please|treat|mark|score|"
        r"output|return|accept|this|the|you|note|ignore|consider)\b",
        r"\b(?:llm|ai)[- ](?:judge|grader|evaluator)\b|\b(?:grading|scoring|evaluation|"
        r"judging) (?:rubric|polic(?:y|ies)|instructions?|prompt|guidelines?|criteria|rules?)\b|"
        r"\bevaluators?\b|\bgraders?\b",
        r"\b(?:model|agent|assistant|ai) (?:answer|response|output) (?:is|was|matches|"
        r"should)\b[^.\n]{0,40}\b(?:correct|right|match\w*|true)\b",
        r"\b(?:label|verdict|rating|correctness|judge?ment|score|grade|mark)\b[^.\n]{0,30}\b(?:should|"
        r"must|shall|will|to|may) be\s{1,3}"
        r"[\"'`]?(?:1|one|correct|true)\b",
        r"\b(?:label|verdict|correctness)\b(?: for [^.\n]{1,30})?\s{0,3}(?:is|be|"
        r"[-:=])\s{0,3}[\"'`]?(?:1|correct|true)\b"
        r"[\"'`]?\s{0,3}(?:$|[.!;])",
        r"\b(?:set|make|let|put|keep|change|fix) (?:the|your|its?|my) (?:final )?(?:score|verdict|grade|"
        r"label|mark|rating|correctness)\b",
        r"\b(?:deserves?|earns?|merits?|gets?|give (?:it|this|me|that)) (?:a |an )?(?:[\"'`]?1\b|pass\b|"
        r"full)",
        r"\b(?:return|respond)(?:ing)?(?: with)? [\"'`]?(?:1|true|correct)[\"'`]?\s{0,3}(?:$|[.!;])",
        # Look-behind from the word, because trying each comma is slow.
        r"output(?:(?<=, output)|(?<=\bso output)|(?<=\bthus output)|(?<=\bhence output)|"
        r"(?<=\btherefore output)|(?<=\bbetter output)|(?<=\band output)) "
        r"[\"'`]?(?:1|true|correct)\b[\"'`]?\s{0,3}(?:$|[.!;])",
        r"^\W{0,6}output format\s{0,3}[:=]|^```(?:output|verdict|score|judge?ment)\b",
        r"</?(?:score|verdict|grade|label|rating|correctness|judge?ment|evaluation)>",
        r"\b(?:answers?|response) (?:given )?above (?:is|are) (?:right|correct|true)\b",
        r"\b(?:match(?:es)?|equals?|identical to|agrees? with) the (?:reference|ground[- ]?truth|gold|"
        r"key|true one|expected one)\b"
        r"(?! (?:range|interval|limit|value))",
        r"\b(?:treat|take|use|regard|consider|read) the (?:reference|ground[- ]?truth|truth|gold|"
        r"label)\b[^.\n]{0,30}\bas\b",
        r"\b(?:stop|skip|avoid|cease) (?:evaluating|grading|judging|scoring|the (?:evaluation|grading|"
        r"check))\b",
        r"\b(?:do not|don't|no need to|never) (?:evaluate|grade|judge|score|compare|check) (?:this|the|"
        r"my|it)\b",
        r"\b(?:evaluat|grad|judg|scor)(?:e|ing) (?:this|my) (?:answer|item|response|question|"
        r"submission)\b|\bfor (?:evaluation|grading|"
        r"scoring) purposes\b",
        r"\bpre-?(?:approved|validated|verified|graded|scored|judged)\b[^.\n]{0,30}(?:correct|right|"
        r"answer|item|\.|$)",
        r"\bannotators?\b|\blenien(?:t|cy|tly)\b|\bfrom now on,? (?:you|every|all|score|mark|accept|"
        r"treat|return)\b",
        r"\b(?:large )?language model(?: judge)?,? (?:you|judge|respond|return|grade|score|must|output)\b",
        # Our own data block and reply format.
        r"</?data\b[^>\n]{0,40}>",
        r"\{\s{0,3}correct\s{0,3}[:=]\s{0,3}(?:[01]\b|true|false)",
        r"\b(?:return|output|respond|reply|answer|print|emit|write)\b[^.\n]{0,40}\b(?:json|field)\b"
        r"[^.\n]{0,60}\b(?:1|one|true)\b",
        r"\bcorrect(?:ness)? (?:field|key|flag|property|attribute)\b",
        r"\bcorrect\b[\"']?[^.\n]{0,20}\b(?:set|equal|assigned)\b(?: to)?\s{0,3}[\"'`]?(?:1|one|true)\b",
        # An assignment, as a program or a reply would have it.
        r"\b(?:is_?)?(?:correct(?:ness)?|label)[\"'`]?\s{0,3}(?::=|={1,3}|=>|->|→)\s{0,3}[\"'`]?(?:1|true)\b",
        r"\bcorrect(?:ness)?\s{0,3}:\s{0,3}(?:1|true)[\"'`.]{0,3}\s{0,3}$",
        r"\b(?:decision|ruling)\s{0,3}[:=]\s{0,3}[\"'`]?(?:accept(?:ed)?|correct|pass(?:ed)?|approved?)\b",
    )
)
