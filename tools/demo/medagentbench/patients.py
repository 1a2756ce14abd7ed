"""Invented patients, as many as needed: the MRN determines everything about a patient."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from wardboard.scoring.fhir.source import query_text

BASE = "http://localhost:8080/fhir/"
NOW = datetime(2023, 11, 13, 10, 15, tzinfo=UTC)

_GIVEN = "Ada Bram Cleo Dara Ewan Fenna Goran Hana Ilse Joren Kaya Levin Mira Nils Orla Pavel"
_FAMILY = "Abbersley Brindlemoor Castorvale Dunnickton Elderfoss Fennimark Gorseby Hollowmere"
_UNITS = {"MG": "mg/dL", "GLU": "mg/dL", "K": "mmol/L", "A1C": "%"}
_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    time: datetime
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Patient:
    """A patient. labs: lab code -> measurements, in the order of the server, not of time."""

    mrn: str
    given: str
    family: str
    birth_date: str
    labs: dict[str, tuple[Measurement, ...]]

    def last(self, code: str) -> Measurement | None:
        return max(self.labs[code], key=lambda measurement: measurement.time, default=None)

    def recent(self, code: str) -> list[Measurement]:
        """Return the measurements of the last 24 hours."""
        return [measurement for measurement in self.labs[code] if measurement.time >= NOW - _DAY]


def demo_mrn(number: int) -> str:
    """Return the MRN of the demonstration's patient `number`, from 1."""
    return f"S91{number:05d}"


def make_patient(mrn: str) -> Patient:
    """Return the patient with `mrn` ("S" and digits): the same for the same MRN, on any machine.

    The number modulo 5 selects the branch of each grader, so that five patients in a row cover them all.
    """
    number, rng = int(mrn[1:]), Random(mrn)  # noqa: S311 - invented data, nothing secret
    labs = {
        "MG": _magnesium(number % 5, rng),
        "GLU": _glucose(number, rng),
        "K": _potassium(number % 5, rng),
        "A1C": _a1c(number % 5, rng),
    }
    for measurements in labs.values():
        rng.shuffle(measurements)
    return Patient(
        mrn=mrn,
        given=rng.choice(_GIVEN.split()),
        family=rng.choice(_FAMILY.split()),
        birth_date=f"{rng.randrange(1935, 2004)}-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}",
        labs={code: tuple(measurements) for code, measurements in labs.items()},
    )


def _at(hours_ago: float, value: float) -> Measurement:
    return Measurement(time=NOW - hours_ago * _HOUR, value=value)


def _magnesium(branch: int, rng: Random) -> list[Measurement]:
    """Return values by branch: 0 none in 24 hours, 1 normal, 2 mild, 3 moderate, 4 severe."""
    older = [_at(rng.randrange(25, 30), 1.2), _at(rng.randrange(40, 90), 2.1)]
    if branch == 0:
        return older
    low, high = {1: (20, 25), 2: (15, 20), 3: (10, 15), 4: (6, 10)}[branch]
    last = _at(rng.randrange(1, 6), rng.randrange(low, high) / 10)
    # An earlier value of the day has another dose, so taking the first or the lowest is a visible mistake.
    return [*older, _at(rng.randrange(8, 23), {1: 1.4, 2: 2.2, 3: 1.7, 4: 1.8}[branch]), last]


def _glucose(number: int, rng: Random) -> list[Measurement]:
    """Return the values: none for every tenth patient, only old ones for every other fifth."""
    if number % 10 == 0:
        return []
    older = [_at(rng.randrange(26, 200), float(rng.randrange(80, 260))) for _ in range(3)]
    if number % 5 == 0:
        return older
    hours = rng.sample(range(1, 24), 2 + number % 5)
    return [*older, *(_at(h, float(rng.randrange(80, 260))) for h in hours)]


def _potassium(branch: int, rng: Random) -> list[Measurement]:
    """Return values by branch: 0 none, 1 and 2 below 3.5, 3 normal, 4 exactly at the threshold."""
    if branch == 0:
        return []
    low, high = {1: (31, 35), 2: (25, 31), 3: (37, 49), 4: (35, 36)}[branch]
    # The value is more than a day old, because potassium has no time window.
    last = _at(rng.randrange(30, 50), rng.randrange(low, high) / 10)
    return [last, _at(rng.randrange(60, 300), 3.2 if branch > 2 else 4.1)]


def _a1c(branch: int, rng: Random) -> list[Measurement]:
    """Return values by branch: 0 none, 1 and 2 within a year, 3 older, 4 exactly a year."""
    if branch == 0:
        return []
    days = {1: rng.randrange(5, 60), 2: rng.randrange(61, 360), 3: rng.randrange(380, 700), 4: 365}[branch]
    last = _at(days * 24, rng.randrange(50, 95) / 10)
    return [last, _at((days + rng.randrange(90, 200)) * 24, rng.randrange(50, 95) / 10)]


def search_bundle(resource_type: str, parameters: dict[str, str]) -> dict[str, Any]:
    """Return the Bundle with which a server of these patients answers a search.

    The search is one of the two of `queries_for`: Patient by identifier, Observation by patient and code.
    """
    patient = make_patient(parameters["identifier" if resource_type == "Patient" else "patient"])
    if resource_type == "Patient":
        resources = [_patient_resource(patient)]
    else:
        resources = _observations(patient, parameters["code"])
    url = BASE + query_text(resource_type, parameters)
    bundle: dict[str, Any] = {"resourceType": "Bundle", "type": "searchset", "total": len(resources)}
    bundle["link"] = [{"relation": "self", "url": url}]
    if resources:
        bundle["entry"] = [
            {"fullUrl": f"{BASE}{resource_type}/{r['id']}", "resource": r, "search": {"mode": "match"}}
            for r in resources
        ]
    return bundle


def _patient_resource(patient: Patient) -> dict[str, Any]:
    return {
        "resourceType": "Patient",
        "id": patient.mrn,
        "identifier": [{"use": "usual", "value": patient.mrn}],
        "name": [{"use": "official", "family": patient.family, "given": [patient.given]}],
        "birthDate": patient.birth_date,
    }


def _observations(patient: Patient, code: str) -> list[dict[str, Any]]:
    return [
        {
            "resourceType": "Observation",
            "id": f"{patient.mrn}-{code}-{n}",
            "status": "final",
            "code": {"coding": [{"code": code}], "text": code},
            "subject": {"reference": f"Patient/{patient.mrn}"},
            "effectiveDateTime": m.time.isoformat(),
            "valueQuantity": {"value": m.value, "unit": _UNITS[code]},
        }
        for n, m in enumerate(patient.labs[code], 1)
    ]
