"""The quirks of payloads: what each POST must hold, and what is free. Cases as in cases.py."""

from tests.support.quirks.orders import (
    BLOOD_PRESSURE,
    HBA1C_TEST,
    MRN,
    NOW,
    ORTHOPAEDICS,
    POTASSIUM_TEST,
    REFERRAL,
    magnesium,
    posted,
    potassium,
    put,
    without,
)
from wardboard.scoring.medagentbench import Reason, Reference

C, URL, PAYLOAD = Reason.CORRECT, Reason.POST_URL, Reason.POST_PAYLOAD

PRESSURE = Reference(task_id="task3_1", mrn=MRN)
LOW_MAGNESIUM = Reference(task_id="task5_1", mrn=MRN, value=1.7)
REFER = Reference(task_id="task8_1", mrn=MRN, referral=REFERRAL)
LOW_POTASSIUM = Reference(task_id="task9_1", mrn=MRN, value=3.0)

CODING = "category.0.coding"
DISPLAYED = {"text": "BP", "coding": []}
PRESSURES = [
    ("free fields are free", put(BLOOD_PRESSURE, "device", {"a": [1]}), C),
    ("a category more", put(BLOOD_PRESSURE, "category", BLOOD_PRESSURE["category"] * 2), PAYLOAD),
    ("a coding more", put(BLOOD_PRESSURE, CODING, BLOOD_PRESSURE["category"][0]["coding"] * 2), PAYLOAD),
    ("a key more in the coding", put(BLOOD_PRESSURE, f"{CODING}.0.version", "1"), PAYLOAD),
    ("a key more in the category is free", put(BLOOD_PRESSURE, "category.0.text", "Vital"), C),
    ("a key more in the code", put(BLOOD_PRESSURE, "code", DISPLAYED), PAYLOAD),
    ("a key more in the subject", put(BLOOD_PRESSURE, "subject.type", "Patient"), PAYLOAD),
    (
        "another way to write the time",
        put(BLOOD_PRESSURE, "effectiveDateTime", "2023-11-13T10:15:00Z"),
        PAYLOAD,
    ),
    ("another status", put(BLOOD_PRESSURE, "status", "preliminary"), PAYLOAD),
    ("another value", put(BLOOD_PRESSURE, "valueString", "118/77"), PAYLOAD),
    ("another resource type than the address", put(BLOOD_PRESSURE, "resourceType", "Condition"), PAYLOAD),
    ("a category as text", put(BLOOD_PRESSURE, "category", "v"), PAYLOAD),
    *((f"no {path}", without(BLOOD_PRESSURE, path), PAYLOAD) for path in BLOOD_PRESSURE),
]

DOSAGE = "dosageInstruction.0"
RATE = f"{DOSAGE}.doseAndRate.0"
ONE_GRAM = magnesium(1)
NDC = "medicationCodeableConcept.coding"
MAGNESIUM_ORDERS = [
    (
        "2.0 equals 2, and true 1",
        put(put(ONE_GRAM, f"{RATE}.doseQuantity.value", True), f"{RATE}.rateQuantity.value", 1.0),
        C,
    ),
    ("2 g are not 1 g", magnesium(2), PAYLOAD),
    ("another rate than dose", put(ONE_GRAM, f"{RATE}.rateQuantity.value", 2), PAYLOAD),
    ("a key more in the dose", put(ONE_GRAM, f"{RATE}.doseQuantity.code", "g"), PAYLOAD),
    ("a key more in the rate", put(ONE_GRAM, f"{RATE}.rateQuantity.code", "h"), PAYLOAD),
    ("a route in small letters", put(ONE_GRAM, f"{DOSAGE}.route", "iv"), PAYLOAD),
    ("more than the route", put(ONE_GRAM, f"{DOSAGE}.route", "IV push"), PAYLOAD),
    ("a route as an object", put(ONE_GRAM, f"{DOSAGE}.route", {"text": "IV"}), PAYLOAD),
    ("the minute is enough", put(ONE_GRAM, "authoredOn", "on 2023-11-13T10:15, about"), C),
    ("a list that holds the minute", put(ONE_GRAM, "authoredOn", ["2023-11-13T10:15"]), C),
    ("an object with the minute as key", put(ONE_GRAM, "authoredOn", {"2023-11-13T10:15": 0}), C),
    ("a list that holds a longer text", put(ONE_GRAM, "authoredOn", [NOW]), PAYLOAD),
    ("a number contains nothing", put(ONE_GRAM, "authoredOn", 20231113), PAYLOAD),
    (
        "the first coding is read",
        put(ONE_GRAM, NDC, [ONE_GRAM["medicationCodeableConcept"]["coding"][0], {}]),
        C,
    ),
    ("and no other", put(ONE_GRAM, NDC, [{}, ONE_GRAM["medicationCodeableConcept"]["coding"][0]]), PAYLOAD),
    ("a key more in the coding is free", put(ONE_GRAM, f"{NDC}.0.display", "Mg"), C),
    ("another code system", put(ONE_GRAM, f"{NDC}.0.system", "http://loinc.org"), PAYLOAD),
    ("another code", put(ONE_GRAM, f"{NDC}.0.code", "40032-917-01"), PAYLOAD),
    (
        "further dosages are free",
        put(ONE_GRAM, "dosageInstruction", [ONE_GRAM["dosageInstruction"][0], 1]),
        C,
    ),
    (
        "further rates are free",
        put(ONE_GRAM, f"{DOSAGE}.doseAndRate", [*ONE_GRAM["dosageInstruction"][0]["doseAndRate"], 1]),
        C,
    ),
    ("a draft", put(ONE_GRAM, "status", "draft"), PAYLOAD),
    ("a plan", put(ONE_GRAM, "intent", "plan"), PAYLOAD),
    ("another patient", put(ONE_GRAM, "subject.reference", "Patient/S9000002"), PAYLOAD),
    *((f"no {path}", without(ONE_GRAM, path), PAYLOAD) for path in ONE_GRAM),
]

FIFTY = potassium(50)
POTASSIUM_ORDERS = [
    ("50 mEq for 3.0", FIFTY, POTASSIUM_TEST, C),
    ("50.1 mEq are too far from it", potassium(50.1), POTASSIUM_TEST, PAYLOAD),
    ("49.9 mEq are too", potassium(49.9), POTASSIUM_TEST, PAYLOAD),
    ("50.09 mEq are not", potassium(50.09), POTASSIUM_TEST, C),
    ("an amount as text has no difference", potassium("50"), POTASSIUM_TEST, PAYLOAD),
    ("an amount beyond doubles", potassium(10**400), POTASSIUM_TEST, PAYLOAD),
    ("an amount that is NaN", potassium(float("nan")), POTASSIUM_TEST, PAYLOAD),
    ("a key more in the dose is free", put(FIFTY, f"{RATE}.doseQuantity.code", "meq"), POTASSIUM_TEST, C),
    ("a unit in small letters", put(FIFTY, f"{RATE}.doseQuantity.unit", "meq"), POTASSIUM_TEST, PAYLOAD),
    ("a route in any letters with blanks", put(FIFTY, f"{DOSAGE}.route", " ORAL\n"), POTASSIUM_TEST, C),
    ("a route in a list", put(FIFTY, f"{DOSAGE}.route", ["oral"]), POTASSIUM_TEST, PAYLOAD),
    ("another route", put(FIFTY, f"{DOSAGE}.route", "by mouth"), POTASSIUM_TEST, PAYLOAD),
    ("the minute is enough", put(FIFTY, "authoredOn", "2023-11-13T10:15"), POTASSIUM_TEST, C),
    ("any minute from eight", FIFTY, put(POTASSIUM_TEST, "occurrenceDateTime", "2023-11-14T08:59"), C),
    ("eight has a colon", FIFTY, put(POTASSIUM_TEST, "occurrenceDateTime", "2023-11-14T08"), PAYLOAD),
    ("the day after", FIFTY, put(POTASSIUM_TEST, "occurrenceDateTime", "2023-11-15T08:00"), PAYLOAD),
    ("for the test the minute is not enough", FIFTY, put(POTASSIUM_TEST, "authoredOn", NOW[:16]), PAYLOAD),
    ("a routine test", FIFTY, put(POTASSIUM_TEST, "priority", "routine"), PAYLOAD),
    ("another test", FIFTY, HBA1C_TEST, PAYLOAD),
    ("two orders the other way round", POTASSIUM_TEST, FIFTY, URL),
    *(
        (f"no {path}", without(FIFTY, path), POTASSIUM_TEST, PAYLOAD)
        for path in FIFTY
        if path != "resourceType"
    ),
    *(
        (f"no {path}", FIFTY, without(POTASSIUM_TEST, path), PAYLOAD)
        for path in POTASSIUM_TEST
        if path != "resourceType"
    ),
]

REFERRALS = [
    ("the text within more text", put(ORTHOPAEDICS, "note.text", f"Dear all, {REFERRAL} Thanks"), C),
    ("a list that holds the text", put(ORTHOPAEDICS, "note.text", [REFERRAL]), C),
    ("an object with the text as key", put(ORTHOPAEDICS, "note.text", {REFERRAL: 0}), C),
    ("a note as a list, as FHIR has it", put(ORTHOPAEDICS, "note", [{"text": REFERRAL}]), PAYLOAD),
    ("the text without its full stop", put(ORTHOPAEDICS, "note.text", REFERRAL[:-1]), PAYLOAD),
    ("the text in capitals", put(ORTHOPAEDICS, "note.text", REFERRAL.upper()), PAYLOAD),
    ("another code system", put(ORTHOPAEDICS, "code.coding.0.system", "http://loinc.org"), PAYLOAD),
    ("another code", put(ORTHOPAEDICS, "code.coding.0.code", "103697008"), PAYLOAD),
    ("another priority", put(ORTHOPAEDICS, "priority", "STAT"), PAYLOAD),
    ("another patient", put(ORTHOPAEDICS, "subject.reference", "Patient/S9000002"), PAYLOAD),
    *(
        (f"no {path}", without(ORTHOPAEDICS, path), PAYLOAD)
        for path in ORTHOPAEDICS
        if path != "resourceType"
    ),
]

PAYLOADS = [
    *((f"task3, {name}", PRESSURE, "[]", posted(body, "Observation"), to) for name, body, to in PRESSURES),
    *(
        (f"task5, {name}", LOW_MAGNESIUM, "[]", posted(body, "MedicationRequest"), to)
        for name, body, to in MAGNESIUM_ORDERS
    ),
    *(
        (f"task8, {name}", REFER, "unread", posted(body, "ServiceRequest"), to)
        for name, body, to in REFERRALS
    ),
    *(
        (f"task9, {name}", LOW_POTASSIUM, "[]", posted(one) + posted(two), to)
        for name, one, two, to in POTASSIUM_ORDERS
    ),
]
