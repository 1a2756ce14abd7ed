"""Vocabulary: synonyms of values from small vocabularies, and words that carry no value."""

from functools import lru_cache

from wardboard.scoring.fhir_agentbench.judge.rules.text.normalise import words
from wardboard.scoring.fhir_agentbench.judge.rules.text.numbers import NUMBER_WORDS

# Each line lists synonyms of one value.
_SYNONYMS_LISTED = (
    ("m", "male", "man", "boy"),
    ("f", "female", "woman", "girl"),
    ("single", "never married", "unmarried"),
    ("widowed", "widow", "widower"),
    ("ew emer", "ew emergency"),
    ("po", "oral", "by mouth", "orally", "per os"),
    ("iv", "intravenous", "intravenously"),
    ("im", "intramuscular", "intramuscularly"),
    ("sc", "subcutaneous", "subcutaneously", "subcut", "sq"),
    ("pr", "rectal", "rectally", "per rectum"),
    ("tp", "topical", "topically"),
    ("emergency department", "emergency room", "ed", "er"),
    ("acetaminophen", "tylenol", "paracetamol", "apap"),
    ("0.9% sodium chloride", "sodium chloride 0.9%", "normal saline"),
)
_FILLER_TEXT = """
a an the this that these those it its he she they his her their him them patient subject person
individual is are was were be been being has have had having do does did will would can and of to in on
at by for from with as per via during within since when where which who what whose there here also only
just so such about according based given following found recorded record documented listed noted reported
identified indicated shown retrieved available data database information result value answer final
respectively name named called known type kind status include including included drug medication medicine
prescribed prescription administered ordered order received receive receiving took taken take got get
test tested testing lab laboratory microbiology specimen sample culture organism procedure operation
performed underwent undergo undergone diagnosis diagnoses diagnosed condition encounter visit visited
hospital hospitalization admission admitted discharge discharged stay stayed careunit care unit ward
department location transfer route first second third last latest earliest most recent recently current
total one two all each every date time day month year hour minute am pm january february march april may
june july august september october november december gender sex marital language insurance race ethnicity
mg ml g kg mcg l dose dosage measured measurement output input intake event yes correct exactly namely
specifically overall period started start began ended end ending beginning fhir id resource observation
medicationrequest chart charted system age aged list follows under see above below shows sorted relevant
completed finished active i we my our complete question seen contain contained hold say state stated
entry file give gave yield yielded display displayed indicate report mention mentioned confirm confirmed
requested asked desired corresponding query queried return returned tablet capsule injection syringe vial
bag solution suspension premix conclude
"""
FILLER = frozenset(words(_FILLER_TEXT))
# Ordinary words of prose about a record: no test, drug, organism, place or part of the body among them.
_ORDINARY_TEXT = """
able absence add adding after afternoon again ago although among amount another any anything apart
apparently appear arent arrival arrived ask assuming average back bears because before begin believe best
between beyond both but came cant carried carries case certain change charting check checked class
classified clear clinical close code coded coding collected come compared comparison computed conclusion
confident considered could couldnt count counted counting daily dated dear detail determine didnt differ
difference different direct distinct doctor document doesnt done dont double doubt down draw drawn
dropped due earlier ed either else emergency empty enough entered episode equal even evening ever
everything evidence exact exist explanation failed falls far fell field figure filter finally find
finding fine five flag followed four further general go goe going gone good half happened happy hello
help hence hi high higher highest hit hope hourly how however http icu if immediate indeed initial
initiated inpatient instead into isnt issued item json keep kept know label labelled lack largest lasted
late later least leave leaving left less let level lies like likely line linked locate log logged long
look looked looking low lower lowest made make many match matches max me mean medical midnight might
mimic min minus missing morning move moved must need neither never new newest next night no nobody none
noon nor normal not note nothing now number nurse nursing occasion occur occurred off old older once open
opening or other out outside over part past peak perhaps place placed please plus point possible possibly
presence present presumably previous print probably problem provide provided pt pull put ran range rank
rate rather read reading real reason reflect regarding regular repeat reply request response rest
retrieve reviewed right rise rose roughly round row run same saw scan scanned search seem sent separate
sequence series service set several short should side sign single site sits six some somewhere sorry sort
source specific stable stage stamped stand starting still stop stored structured sum summary support sure
table taking team tell ten than thank then therefore thing think though three through throughout thus
timed timestamp today together top toward treat treatment true turn twice unable unknown until up url us
use used using usual verified verify vs wait want wasnt well went werent whether while whole without word
work written wrong you your zero
"""
ORDINARY = FILLER | frozenset(words(_ORDINARY_TEXT))
_PLAIN_TEXT = """
mg ml kg cm mmhg bpm insp min minute beat breath percent unit inch lb lbs pound kilogram gram liter mmol meq
dl iu cell ul total sum times occasion calculated computed approximately about roughly exactly equal equals
therefore thus hence so count counted distinct different unique separate instance entry order match matching
matched after checking reviewing all resources we examined searched checked found reviewed analysis step
applied filter filtered recorded done happened occurred peaked lasted amounted came reached showed stood
amount figure tally quantity number read match my would observed value reading them stay administration
occurrence
"""
# Words that accompany values of any kind.
VALUE_WORDS = frozenset(words(_PLAIN_TEXT)) | {part for word in NUMBER_WORDS for part in word.split("-")}
# Fillers with which a longer name may continue.
NAME_PARTS = frozenset(
    words("observation unit care lab culture admission department ward transfer system screen test")
)


_SYNONYMS = {
    tuple(words(synonym)): [tuple(words(other)) for other in value]
    for value in _SYNONYMS_LISTED
    for synonym in value
}


@lru_cache(maxsize=8_192)
def synonyms_of(text: str) -> list[tuple[str, ...]]:
    """Return the synonyms of the value `text`, each as words."""
    own = tuple(words(text))
    known = _SYNONYMS.get(own, [])
    return [*known, own] if known and own not in known else (known or [own])
