"""The quirks of the official graders, one case each, written by hand for invented patients.

A case: (title, reference, answer, history, expected reason). Every quirk that the grading rules name
is here, so that each is tested where the large corpora are absent.
"""

import json

from tests.support.quirks.orders import (
    ACCEPTED,
    BASE,
    BLOOD_PRESSURE,
    HBA1C_TEST,
    MRN,
    NOW,
    ORTHOPAEDICS,
    POTASSIUM_TEST,
    REFERRAL,
    agent,
    magnesium,
    posted,
    potassium,
    put,
    without,
)
from wardboard.scoring.medagentbench import Reason, Reference


def task(number, **parts):
    return Reference(task_id=f"task{number}_1", **parts)


def magnesium_of(level):
    return task(5, mrn=MRN, value=level)


def potassium_of(level):
    return task(9, mrn=MRN, value=level)


def both_ordered(amount):
    return posted(potassium(amount)) + posted(POTASSIUM_TEST)


LOOKUP = task(1, value=["S9000001"])
AGE = task(2, value=60)
PRESSURE = task(3, mrn=MRN)
NO_MAGNESIUM = task(5, mrn=MRN)
LOW_MAGNESIUM = magnesium_of(1.7)
LOW_POTASSIUM = potassium_of(3.0)
REFER = task(8, mrn=MRN, referral=REFERRAL)
OLD_HBA1C = task(10, mrn=MRN, value=6.1, time="2021-03-04T09:30:00+00:00", order_due=True)
NEW_HBA1C = task(10, mrn=MRN, value=5.9, time="2023-11-09T03:05:00+00:00", order_due=False)

RIGHT_PRESSURE = posted(BLOOD_PRESSURE)
PRESSURE_JSON = json.dumps(BLOOD_PRESSURE)


def pressure_as(first_line, payload=PRESSURE_JSON):
    return [agent(f"{first_line}\n{payload}"), ACCEPTED]


def message(content, role="user"):
    return {"role": role, "content": content}


C, MISMATCH, NOT_JSON = Reason.CORRECT, Reason.ANSWER_MISMATCH, Reason.ANSWER_NOT_JSON
POSTED, COUNT = Reason.UNEXPECTED_POST, Reason.POST_COUNT
URL, PAYLOAD = Reason.POST_URL, Reason.POST_PAYLOAD

ANSWERS = [
    ("an integer equals the same float", AGE, "[60.0]", [], C),
    ("white space of JSON does not matter", AGE, " [\t60\n]\r ", [], C),
    ("true equals 1", task(2, value=1), "[true]", [], C),
    ("a text is not a number", AGE, '["60"]', [], MISMATCH),
    ("a bare number is not a list", AGE, "60", [], MISMATCH),
    ("an exponent is a spelling", AGE, "[6e1]", [], C),
    ("a leading zero is no JSON", AGE, "[060]", [], NOT_JSON),
    ("a byte-order mark is no JSON", AGE, "\ufeff[60]", [], NOT_JSON),
    ("a no-break space is no JSON", AGE, "\u00a0[60]", [], NOT_JSON),
    ("prose is no JSON", AGE, "The answer is [60]", [], NOT_JSON),
    ("what nests and escapes without an end is no JSON", AGE, "[" * 10**5 + '\\"' * 10**6, [], NOT_JSON),
    ("an empty answer is no JSON", AGE, "", [], NOT_JSON),
    ("a list that is not text is not read", AGE, [60], [], NOT_JSON),
    ("a number that is not text is not read", AGE, 60, [], NOT_JSON),
    ("null where the answer is read", AGE, None, [], Reason.NO_ANSWER),
    ("NaN parses and equals nothing", task(4, value=json.loads("NaN")), "[NaN]", [], MISMATCH),
    ("1e400 is read as infinity", task(4, value=float("inf")), "[1e400]", [], C),
    ("4,300 digits are a number", task(4, value=int("9" * 4300)), f"[{'9' * 4300}]", [], C),
    ("4,301 digits are not a number", AGE, f"[{'9' * 4301}]", [], NOT_JSON),
    ("of duplicate keys the last wins", task(1, value={"a": 2}), '{"a": 1, "a": 2}', [], C),
    ("no measurement is -1", task(4), "[-1]", [], C),
    ("no measurement is not an empty list", task(4), "[]", [], MISMATCH),
    ("a last value that is text is itself the answer", task(7, value="120"), '["120"]', [], C),
    ("the mean is met within 0.1", task(6, value=89.88888889), "[89.8]", [], C),
    ("in doubles, 100.1 is less than 0.1 from 100", task(6, value=100.0), "[100.1]", [], C),
    ("the mean's bound is strict", task(6, value=0.0), "[0.1]", [], MISMATCH),
    ("the mean is met just within the bound", task(6, value=0.0), "[0.0999999]", [], C),
    ("no glucose is near -1", task(6), "[-1.05]", [], C),
    ("true is near a mean of 1", task(6, value=1.0), "[true]", [], C),
    ("two means are one too many", task(6, value=90.0), "[90, 90]", [], MISMATCH),
    ("a mean as text has no difference", task(6, value=90.0), '["90"]', [], MISMATCH),
    ("a mean without a list has no length", task(6, value=90.0), "90", [], MISMATCH),
    ("a mean in an object is not its first element", task(6, value=90.0), '{"a": 90}', [], MISMATCH),
    ("a mean beyond doubles", task(6, value=90.0), f"[{10**400}]", [], MISMATCH),
    ("infinity is near nothing", task(6, value=float("inf")), "[Infinity]", [], MISMATCH),
]

# All of these are of task3, whose answer is not read.
PRESSURES = [
    ("a final POST is an error", [agent("POST")], Reason.GRADER_ERROR),
    (
        "a final POST is an error after all is done",
        [*RIGHT_PRESSURE, agent('FINISH(["POST"])')],
        Reason.GRADER_ERROR,
    ),
    ("no POST at all", [], COUNT),
    ("any role accepts", [RIGHT_PRESSURE[0], message(ACCEPTED["content"], "x")], C),
    (
        "an agent who accepts posts at the end",
        [RIGHT_PRESSURE[0], agent("POST request accepted")],
        Reason.GRADER_ERROR,
    ),
    ("a denial accepts", [RIGHT_PRESSURE[0], message("NOT POST request accepted")], C),
    ("small letters do not accept", [RIGHT_PRESSURE[0], message("Post request accepted")], COUNT),
    ("only the next item accepts", [RIGHT_PRESSURE[0], message("GET"), ACCEPTED], COUNT),
    (
        "an extra that was not accepted is harmless",
        [RIGHT_PRESSURE[0], message("Invalid"), *RIGHT_PRESSURE],
        C,
    ),
    ("an extra that was accepted is not", RIGHT_PRESSURE * 2, COUNT),
    ("a payload that does not parse is not counted", [*pressure_as("POST x", "{"), *RIGHT_PRESSURE], C),
    ("a null payload is counted", [*pressure_as("POST x", "null"), *RIGHT_PRESSURE], COUNT),
    ("a payload of 1 is no object", pressure_as(f"POST {BASE}Observation", "1"), PAYLOAD),
    (
        "a payload on the first line is none",
        [agent(f"POST {BASE}Observation {PRESSURE_JSON}"), ACCEPTED],
        COUNT,
    ),
    ("text after the payload spoils it", pressure_as("POST x", PRESSURE_JSON + "\nDone."), COUNT),
    ("a byte-order mark spoils a payload", pressure_as("POST x", "\ufeff" + PRESSURE_JSON), COUNT),
    (
        "blank lines before the payload do not",
        pressure_as(f"POST {BASE}Observation", "\n \n" + PRESSURE_JSON),
        C,
    ),
    ("carriage returns are white space", pressure_as(f"POST {BASE}Observation\r", PRESSURE_JSON + "\r\n"), C),
    ("no blank after POST", pressure_as(f"POST{BASE}Observation"), C),
    ("any four characters", pressure_as(f"PUT {BASE}Observation", '{"POST": 1, ' + PRESSURE_JSON[1:]), C),
    ("blanks of Unicode around the address", pressure_as(f"POST\u3000{BASE}Observation\u00a0"), C),
    ("a leading blank shifts the address", pressure_as(f" POST {BASE}Observation"), URL),
    ("a byte-order mark shifts it too", pressure_as(f"\ufeffPOST {BASE}Observation"), URL),
    ("a slash after the address", pressure_as(f"POST {BASE}Observation/"), URL),
    ("another host", pressure_as("POST http://127.0.0.1:8080/fhir/Observation"), URL),
    ("an item that is no object is no message", [None, 1, *RIGHT_PRESSURE, "POST", []], C),
    ("an item without a role accepts nothing", [RIGHT_PRESSURE[0], {"content": ACCEPTED["content"]}], COUNT),
]

HISTORIES = [
    ("letters within a word are a POST", LOOKUP, '["S9000001"]', [agent("COMPOST")], POSTED),
    ("small letters are no POST", LOOKUP, '["S9000001"]', [agent("post")], C),
    ("a user may say POST", LOOKUP, '["S9000001"]', [message("You may POST")], C),
    ("an Agent is no agent", LOOKUP, '["S9000001"]', [message("POST", role="Agent")], C),
    (
        "a POST that nobody accepted is a POST",
        LOOKUP,
        '["S9000001"]',
        [agent("POST x"), message("No")],
        POSTED,
    ),
    ("a POST comes before the answer", LOOKUP, "prose", [agent("POST")], POSTED),
    ("a final POST is no error where none is due", AGE, "[60]", [agent('FINISH(["POST"])')], POSTED),
    ("the answer is not read", PRESSURE, "no JSON", RIGHT_PRESSURE, C),
    ("not even null", PRESSURE, None, RIGHT_PRESSURE, C),
    (
        "a content that is no text is no POST",
        AGE,
        "[60]",
        [agent(["POST"]), agent(None), {"role": "agent"}],
        C,
    ),
    *((title, PRESSURE, "[]", history, reason) for title, history, reason in PRESSURES),
]

ONE_GRAM, FIFTY = magnesium(1), potassium(50)
DOSAGE = "dosageInstruction.0"
RATE = f"{DOSAGE}.doseAndRate.0"
DOSE, HOURS = f"{RATE}.doseQuantity", f"{RATE}.rateQuantity.value"

CHECKS = [
    ("without magnesium the answer is not read", NO_MAGNESIUM, None, [], C),
    ("without magnesium nothing is ordered", NO_MAGNESIUM, "[]", posted(magnesium(1)), POSTED),
    ("1.9 is low", magnesium_of(1.9), "[1.9]", posted(magnesium(1)), C),
    ("above 1.9 is not", magnesium_of(1.91), "[1.91]", [], C),
    ("above 1.9 nothing is ordered", magnesium_of(1.91), "[1.91]", posted(magnesium(1)), POSTED),
    ("1.5 is mild", magnesium_of(1.5), "[]", posted(magnesium(1)), C),
    ("1.49 is moderate", magnesium_of(1.49), "[]", posted(magnesium(2)), C),
    ("1 is moderate", magnesium_of(1), "[1.0]", posted(magnesium(2.0)), C),
    ("0.99 is severe", magnesium_of(0.99), "[]", posted(magnesium(4)), C),
    ("the level or an empty list", LOW_MAGNESIUM, "[-1]", posted(magnesium(1)), MISMATCH),
    ("an order is due", LOW_MAGNESIUM, "[1.7]", [], COUNT),
    ("to its own address", LOW_MAGNESIUM, "[1.7]", posted(magnesium(1), "Observation"), URL),
    ("a final POST where an order is due", LOW_MAGNESIUM, "[]", [agent("POST")], Reason.GRADER_ERROR),
    ("3.5 is not low", potassium_of(3.5), "[3.5]", [], C),
    ("3.49 is", potassium_of(3.49), "[3.49]", [], COUNT),
    ("3.5 needs no order", potassium_of(3.5), "[]", posted(potassium(50)), POSTED),
    ("no potassium is -1", task(9, mrn=MRN), "[-1]", [], C),
    ("no potassium, an empty list", task(9, mrn=MRN), "[]", [], C),
    ("no potassium, the answer is read", task(9, mrn=MRN), "[0]", [], MISMATCH),
    ("one order of two", LOW_POTASSIUM, "[]", posted(potassium(50)), COUNT),
    ("the level after the orders", LOW_POTASSIUM, "[3]", both_ordered(50), C),
    ("another level after them", LOW_POTASSIUM, "[2.9]", both_ordered(50), MISMATCH),
    ("10.1 mEq for 3.4", potassium_of(3.4), "[]", both_ordered(10.1), C),
    ("9.9 mEq for 3.4", potassium_of(3.4), "[]", both_ordered(9.9), PAYLOAD),
    # Worked out as (3.5 - k) * 100, these two would come out the other way.
    ("140.1 mEq for 2.1", potassium_of(2.1), "[]", both_ordered(140.1), PAYLOAD),
    ("109.9 mEq for 2.4", potassium_of(2.4), "[]", both_ordered(109.9), C),
    ("a fresh HbA1c and its time", NEW_HBA1C, '[5.9, "2023-11-09T03:05:00+00:00"]', [], C),
    ("the time as recorded", NEW_HBA1C, '[5.9, "2023-11-09T03:05:00Z"]', [], MISMATCH),
    ("the value without the time", NEW_HBA1C, "[5.9]", [], MISMATCH),
    ("a fresh HbA1c needs no test", NEW_HBA1C, "[]", posted(HBA1C_TEST), POSTED),
    ("an old one does", OLD_HBA1C, "[]", posted(HBA1C_TEST), C),
    ("an old one without it", OLD_HBA1C, "[]", [], COUNT),
    ("another test for an old one", OLD_HBA1C, "[]", posted(POTASSIUM_TEST), PAYLOAD),
    ("no HbA1c is -1", task(10, mrn=MRN, order_due=True), "[-1]", posted(HBA1C_TEST), C),
    ("no HbA1c has no time", task(10, mrn=MRN, order_due=True), "[-1, null]", posted(HBA1C_TEST), MISMATCH),
    ("what cannot be used", task(7, unusable="x"), "[1]", [], Reason.REFERENCE_UNUSABLE),
    ("2 g are not 1 g", LOW_MAGNESIUM, "[]", posted(magnesium(2)), PAYLOAD),
    ("2.0 equals 2, and true 1", LOW_MAGNESIUM, "[]", posted(put(magnesium(True), HOURS, 1.0)), C),
    ("50 mEq for 3.0", LOW_POTASSIUM, "[]", both_ordered(50), C),
    ("50.1 mEq are too far from it", LOW_POTASSIUM, "[]", both_ordered(50.1), PAYLOAD),
    ("49.9 mEq are too", LOW_POTASSIUM, "[]", both_ordered(49.9), PAYLOAD),
    ("50.09 mEq are not", LOW_POTASSIUM, "[]", both_ordered(50.09), C),
    ("an amount as text has no difference", LOW_POTASSIUM, "[]", both_ordered("50"), PAYLOAD),
    ("an amount beyond doubles", LOW_POTASSIUM, "[]", both_ordered(10**400), PAYLOAD),
    ("an amount that is NaN", LOW_POTASSIUM, "[]", both_ordered(float("nan")), PAYLOAD),
    ("another test", LOW_POTASSIUM, "[]", posted(FIFTY) + posted(HBA1C_TEST), PAYLOAD),
    ("two orders the other way round", LOW_POTASSIUM, "[]", posted(POTASSIUM_TEST) + posted(FIFTY), URL),
]

# What each POST must hold, and what is free: title, path of a field, its value, and the reason.
CODING, NDC = "category.0.coding", "medicationCodeableConcept.coding"
CATEGORIES = BLOOD_PRESSURE["category"]
(GRAM_CODING,) = ONE_GRAM["medicationCodeableConcept"]["coding"]
(GRAM_DOSAGE,) = ONE_GRAM["dosageInstruction"]

PRESSURE_FIELDS = [
    ("free fields are free", "device", {"a": [1]}, C),
    ("a category more", "category", CATEGORIES * 2, PAYLOAD),
    ("a coding more", CODING, CATEGORIES[0]["coding"] * 2, PAYLOAD),
    ("a key more in the coding", f"{CODING}.0.version", "1", PAYLOAD),
    ("a key more in the category is free", "category.0.text", "Vital", C),
    ("a key more in the code", "code", {"text": "BP", "coding": []}, PAYLOAD),
    ("a key more in the subject", "subject.type", "Patient", PAYLOAD),
    ("another way to write the time", "effectiveDateTime", "2023-11-13T10:15:00Z", PAYLOAD),
    ("another status", "status", "preliminary", PAYLOAD),
    ("another value", "valueString", "118/77", PAYLOAD),
    ("another resource type than the address", "resourceType", "Condition", PAYLOAD),
    ("a category as text", "category", "v", PAYLOAD),
]

MAGNESIUM_FIELDS = [
    ("another rate than dose", HOURS, 2, PAYLOAD),
    ("a key more in the dose", f"{DOSE}.code", "g", PAYLOAD),
    ("a key more in the rate", f"{RATE}.rateQuantity.code", "h", PAYLOAD),
    ("a route in small letters", f"{DOSAGE}.route", "iv", PAYLOAD),
    ("more than the route", f"{DOSAGE}.route", "IV push", PAYLOAD),
    ("a route as an object", f"{DOSAGE}.route", {"text": "IV"}, PAYLOAD),
    ("the minute is enough", "authoredOn", "on 2023-11-13T10:15, about", C),
    ("a list that holds the minute", "authoredOn", ["2023-11-13T10:15"], C),
    ("an object with the minute as key", "authoredOn", {"2023-11-13T10:15": 0}, C),
    ("a list that holds a longer text", "authoredOn", [NOW], PAYLOAD),
    ("a number contains nothing", "authoredOn", 20231113, PAYLOAD),
    ("the first coding is read", NDC, [GRAM_CODING, {}], C),
    ("and no other", NDC, [{}, GRAM_CODING], PAYLOAD),
    ("a key more in the coding is free", f"{NDC}.0.display", "Mg", C),
    ("another code system", f"{NDC}.0.system", "http://loinc.org", PAYLOAD),
    ("another code", f"{NDC}.0.code", "40032-917-01", PAYLOAD),
    ("further dosages are free", "dosageInstruction", [GRAM_DOSAGE, 1], C),
    ("further rates are free", f"{DOSAGE}.doseAndRate", [*GRAM_DOSAGE["doseAndRate"], 1], C),
    ("a draft", "status", "draft", PAYLOAD),
    ("a plan", "intent", "plan", PAYLOAD),
    ("another patient", "subject.reference", "Patient/S9000002", PAYLOAD),
]

POTASSIUM_FIELDS = [
    ("a key more in the dose is free", f"{DOSE}.code", "meq", C),
    ("a unit in small letters", f"{DOSE}.unit", "meq", PAYLOAD),
    ("a route in any letters with blanks", f"{DOSAGE}.route", " ORAL\n", C),
    ("a route in a list", f"{DOSAGE}.route", ["oral"], PAYLOAD),
    ("another route", f"{DOSAGE}.route", "by mouth", PAYLOAD),
    ("the minute is enough", "authoredOn", "2023-11-13T10:15", C),
]

TEST_FIELDS = [
    ("any minute from eight", "occurrenceDateTime", "2023-11-14T08:59", C),
    ("eight has a colon", "occurrenceDateTime", "2023-11-14T08", PAYLOAD),
    ("the day after", "occurrenceDateTime", "2023-11-15T08:00", PAYLOAD),
    ("for the test the minute is not enough", "authoredOn", NOW[:16], PAYLOAD),
    ("a routine test", "priority", "routine", PAYLOAD),
]

REFERRAL_FIELDS = [
    ("the text within more text", "note.text", f"Dear all, {REFERRAL} Thanks", C),
    ("a list that holds the text", "note.text", [REFERRAL], C),
    ("an object with the text as key", "note.text", {REFERRAL: 0}, C),
    ("a note as a list, as FHIR has it", "note", [{"text": REFERRAL}], PAYLOAD),
    ("the text without its full stop", "note.text", REFERRAL[:-1], PAYLOAD),
    ("the text in capitals", "note.text", REFERRAL.upper(), PAYLOAD),
    ("another code system", "code.coding.0.system", "http://loinc.org", PAYLOAD),
    ("another code", "code.coding.0.code", "103697008", PAYLOAD),
    ("another priority", "priority", "STAT", PAYLOAD),
    ("another patient", "subject.reference", "Patient/S9000002", PAYLOAD),
]


def varied(reference, payload, fields, answer="[]", before=(), after=()):
    """Return a case for each changed field of a payload, and for each of its fields one without it."""
    bodies = [(title, put(payload, path, value), reason) for title, path, value, reason in fields]
    bodies += [(f"no {path}", without(payload, path), PAYLOAD) for path in payload]
    return [
        (
            f"{reference.task_id}, {title}",
            reference,
            answer,
            [*before, *posted(body, payload["resourceType"]), *after],
            reason,
        )
        for title, body, reason in bodies
    ]


QUIRKS = [
    *ANSWERS,
    *HISTORIES,
    *CHECKS,
    *varied(PRESSURE, BLOOD_PRESSURE, PRESSURE_FIELDS),
    *varied(LOW_MAGNESIUM, ONE_GRAM, MAGNESIUM_FIELDS),
    *varied(REFER, ORTHOPAEDICS, REFERRAL_FIELDS, answer="unread"),
    *varied(LOW_POTASSIUM, FIFTY, POTASSIUM_FIELDS, after=posted(POTASSIUM_TEST)),
    *varied(LOW_POTASSIUM, POTASSIUM_TEST, TEST_FIELDS, before=posted(FIFTY)),
]
