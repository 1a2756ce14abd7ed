"""Vocabulary: synonyms of values from small vocabularies, and words that carry no value."""

from functools import lru_cache

from wardboard.scoring.fhir_agentbench.judge.rules.text.normalise import words
from wardboard.scoring.fhir_agentbench.judge.rules.text.numbers import NUMBER_WORDS

# Each line lists synonyms of one value; of each group, a patient or an encounter has one value.
_GROUPS: tuple[tuple[tuple[str, ...], ...], ...] = (
    (("m", "male", "man", "boy"), ("f", "female", "woman", "girl")),
    (
        ("married",),
        ("single", "never married", "unmarried"),
        ("divorced",),
        ("widowed", "widow", "widower"),
    ),
    (
        ("ew emer", "ew emergency"),
        ("elective",),
        ("urgent",),
        ("eu observation",),
        ("observation admit", "observation admission"),
        ("direct emer", "direct emergency"),
        ("direct observation",),
        ("ambulatory observation",),
        ("surgical same day admission",),
    ),
    (("medicare",), ("medicaid",)),
    (
        ("po", "oral", "by mouth", "orally", "per os"),
        ("iv", "intravenous", "intravenously"),
        ("im", "intramuscular", "intramuscularly"),
        ("sc", "subcutaneous", "subcutaneously", "subcut", "sq"),
        ("sl", "sublingual"),
        ("pr", "rectal", "rectally", "per rectum"),
        ("tp", "topical", "topically"),
    ),
)
_SINGLE = (
    ("emergency department", "emergency room", "ed", "er"),
    ("acetaminophen", "tylenol", "paracetamol", "apap"),
    ("0.9% sodium chloride", "sodium chloride 0.9%", "normal saline"),
    ("english", "engl"),
)
_FILLER_TEXT = """
a an the this that these those it its he she they his her their him them patient subject person
individual is are was were be been being has have had having do does did will would can and of to in on
at by for from with as per via during within since when where which who what whose there here also only
just so such about according based given following found recorded record documented listed noted reported
identified indicated shown retrieved available data database information result results value values
answer final respectively name named called known type kind status include includes including included
drug drugs medication medications medicine medicines prescribed prescription prescriptions administered
ordered order received receive receiving took taken take got get gets test tests tested testing lab
laboratory microbiology specimen sample culture organism organisms procedure procedures operation
performed underwent undergo undergone diagnosis diagnoses diagnosed condition conditions encounter
encounters visit visits visited hospital hospitalization admission admissions admitted discharge
discharged stay stays stayed careunit care unit ward department location transfer route first second
third last latest earliest most recent recently current total one two all each every date time day days
month year years hour hours minute minutes am pm january february march april may june july august
september october november december gender sex marital language insurance race ethnicity mg ml g kg mcg l
dose doses dosage units measured measurement output input intake event events yes correct exactly namely
specifically overall period started start began ended end ending beginning fhir id resource resources
observation observations medicationrequest chart charted system age aged list follows under see above
below shows show sorted relevant completed finished active
i we my our complete list would be question see seen contain contains contained hold holds say says state
states stated chart documented entry entries file give gives gave yield yields yielded display displays
displayed indicate indicates report reports mention mentions mentioned confirm confirms confirmed requested
asked desired corresponding query queries queried return returns returned
tablet tablets capsule capsules injection syringe vial bag solution suspension premix
"""
FILLER = frozenset(words(_FILLER_TEXT))
# Ordinary words of prose about a record: no test, drug, organism, place or part of the body among them.
_ORDINARY_TEXT = """
able about above absence absent according account across actual add added adding administering admission
admissions afraid after afternoon afterwards again ago agree ahead alive all almost already although
altogether amendment amid among amongst amount amounts and another answering any anyone anything apart
api apparent apparently appear appeared appears apply appropriate approx approximate are area arent
arrival arrivals arrive arrived arriving as aside ask asked asking assigned assume assuming attached
authored available average averaged averages avg awake away back based be bears because become before
began begin beginning begins being believe below beneath beside besides best better between beyond both
bottom bottomed brief browse bundle but calculable calculate calculation call came can cant care
carefully carried carries carry case categorised categorized cause census certain certainly change chart
charted charting check checked choose chosen chronological chronologically circa class classified clear
clearly clinic clinical close closes code coded codes coding colleague collect collected collecting
column combined come comes coming common compare compared comparison complete completely comprised
computable compute computed concerning conclude concluded conclusion confident confirm considered consist
consistent contain continue continued correct correctly correspond corresponds could couldnt count
counted counting counts cover covered covering covers create current currently daily data dated dates day
days dear decide departed departure described description despite detail determine did didnt differ
difference different direct directly discharge display distinct do doctor document does doesnt doing done
dont double doubt down draw drawn dropped due during each earlier earliest early ed eg ehr either elderly
else emerge emergency empty emr end ended ending ends enough enter entered entire entirely entries
episode equal equals establish estimate etc even evening ever every everything evidence exact exactly
examine example except exist existing explanation extract fact failed fair fairly falls far february fell
fever few fhir field figure file filed fill filter final finally find finding fine finish first fit fits
five flag flagged follow followed follows for form found four frequent friday from full fully further
gave general get given gives giving go goe goes going gone good got greetings group grouped had hadnt
half hand happen happened happening happens happy hard has hasnt have havent having he healthy hello help
hence her here hi high higher highest him his hit hits hitting hold holding hope hospital hour hourly how
however http hx i icu identify ie if ill immediate impossible in include inclusive indeed index indicate
individual initial initially initiated inpatient inside instance instances instead interest interval into
introduced involve is isnt issued it item its itself january job join json just keep kept keyed kind
kindly know known label labeled labelled lack lacking landed lands largest last lasted lasting lastly
late later latest latter lead least leave leaves leaving left less let level lies like likely limit line
linked list little live locate located location log logged long longest look looked looking lot low lower
lowest made main mainly make makes making manner manually many mark marked match matched matches matter
max maxed may me mean meaning means meant measure measuring medical mention midday midnight might mimic
min minus missing moment monday monthly morning most mostly move moved much must my nadir name namely
narrow narrowed near nearly necessary need neither never new newest next night nightly no nobody none
noon nor normal not note noted nothing noting now number numeric nurse nursing observe observed occasion
occasions occur occurred occurs of off offer office officially often okay old older oldest on once one
ones only onto open opening opens or order ordered original originally other others otherwise our out
outcome outpatient output outside over overall overnight oversight own page paired part particular past
patient peak per perhaps period person phase pick place placed plain please plus point points portion
position possible possibly precedes preceding precise precisely presence present presumably previous
previously print prior probably problem proceed process produced prove provide provided pt pull put query
quite raised ran range rank rate rather reach reached read reading reads ready real really reason recent
recently recording reflect reflected regard regarding regards register registered regular related relates
relevant remain remained remains remove repeat reply report reported represent request requested required
resolved resource respect respond response rest resulted retrieve retrieved return returned reveal
reviewed right rise rose rough roughly round rounded row run said same sample saturday saw say says scan
scanned scheduled scored search second section see seem seemed seems seen select selected sent separate
sequence series served service session set setting several shall she short should shouldnt show showed
shown shows sick side sign signed similar simple simply since sincerely single site sits situation six
slightly smaller smallest snippet so sole solely some somebody somewhat somewhere soon sorry sort sorted
source span spans specific spent spread stable stage stamped stand standing stands start started starting
starts state stated still stood stop stored story straight structured subject submitted subsequent
subsequently such suggest sum summary summing sunday supply support supported sure system table tagged
taken takes taking tally task team tell ten than thank thanks that the their them themselves then there
thereafter therefore therein thereof these they thing think third this those though three through
throughout thursday thus till time timed timestamp timestamped tmax to today together told tonight took
top topped total totaled totalled totals touch toward towards track treat treatment tried triggered true
trust try tuesday turn turned turns twice two type typical ultimately unable unavailable under understand
unfortunately unit unknown until unwell up update upon url us use used user using usual usually valid
value values verified verify version very via view visible vs wait want ward was wasnt way we wednesday
weekly welcome well went were werent what whatever when where whereas whereby wherein whether which while
who whole whose why will with within without wont word work works worth would wouldnt write written wrong
year yearly yes yesterday yet yield you young your yourself zero
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


def _build_rivals() -> dict[tuple[str, ...], frozenset[tuple[str, ...]]]:
    """Return, for each value of a small vocabulary, the synonyms of the others in its group."""
    table = {}
    for group in _GROUPS:
        synonyms = [tuple(tuple(words(synonym)) for synonym in value) for value in group]
        for own in synonyms:
            table[own[0]] = frozenset(
                synonym for other in synonyms if other is not own for synonym in other if len(synonym[0]) > 1
            )
    return table


RIVALS = _build_rivals()
_SYNONYMS = {
    tuple(words(synonym)): [tuple(words(other)) for other in value]
    for value in [value for group in _GROUPS for value in group] + list(_SINGLE)
    for synonym in value
}


@lru_cache(maxsize=8_192)
def synonyms_of(text: str) -> list[tuple[str, ...]]:
    """Return the synonyms of the value `text`, each as words."""
    own = tuple(words(text))
    known = _SYNONYMS.get(own, [])
    # The first synonym on its line comes first, because RIVALS has it as a key.
    return [*known, own] if known and own not in known else (known or [own])
