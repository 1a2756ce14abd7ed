"""Mistakes that agents make, and the selection of them in each example submission."""

import json
from collections.abc import Callable

from tools.demo.medagentbench.answers import Attempt, magnesium_post, potassium_posts
from tools.demo.medagentbench.patients import Patient

# A mistake turns the right attempt at a task into a wrong one; None leaves the task out of the file.
Mistake = Callable[[Attempt, Patient], Attempt | None]


def left_out(attempt: Attempt, patient: Patient) -> None:
    return None


def unanswered(attempt: Attempt, patient: Patient) -> Attempt:
    return Attempt(answer=None, posts=attempt.posts)


def not_found(attempt: Attempt, patient: Patient) -> Attempt:
    return Attempt(answer='["Patient not found"]')


def a_year_too_old(attempt: Attempt, patient: Patient) -> Attempt:
    return Attempt(answer=json.dumps([json.loads(attempt.answer or "")[0] + 1]))


def number_as_text(attempt: Attempt, patient: Patient) -> Attempt:
    return Attempt(answer=json.dumps([str(json.loads(attempt.answer or "")[0])]))


def prose(attempt: Attempt, patient: Patient) -> Attempt:
    return Attempt(answer=f"The last magnesium is {json.loads(attempt.answer or '')[0]} mg/dL.")


def rounded_mean(attempt: Attempt, patient: Patient) -> Attempt:
    return Attempt(answer=json.dumps([round(json.loads(attempt.answer or "")[0])]))


def first_listed_glucose(attempt: Attempt, patient: Patient) -> Attempt:
    return Attempt(answer=json.dumps([patient.labs["GLU"][0].value]))


def magnesium_of_another_day(attempt: Attempt, patient: Patient) -> Attempt:
    return Attempt(answer=json.dumps([patient.labs["MG"][0].value]))


def refused(attempt: Attempt, patient: Patient) -> Attempt:
    attempt.posts[0].accepted = False
    return attempt


def time_without_zone(attempt: Attempt, patient: Patient) -> Attempt:
    attempt.posts[0].payload["effectiveDateTime"] = "2023-11-13T10:15:00"
    return attempt


def not_urgent(attempt: Attempt, patient: Patient) -> Attempt:
    attempt.posts[0].payload["priority"] = "routine"
    return attempt


def no_order(attempt: Attempt, patient: Patient) -> Attempt:
    return Attempt(answer=attempt.answer)


def first_order_only(attempt: Attempt, patient: Patient) -> Attempt:
    return Attempt(answer=attempt.answer, posts=attempt.posts[:1])


def four_grams(attempt: Attempt, patient: Patient) -> Attempt:
    return Attempt(answer=attempt.answer, posts=[magnesium_post(patient, 4)])


def forty_milliequivalents(attempt: Attempt, patient: Patient) -> Attempt:
    return Attempt(answer=attempt.answer, posts=potassium_posts(patient, 40))


# 47 of 50 right.
GOOD: dict[str, Mistake] = {
    "task6_1": rounded_mean,
    "task7_2": first_listed_glucose,
    "task9_2": forty_milliequivalents,
}

# 30 of 50 right.
MIDDLING: dict[str, Mistake] = {
    "task1_3": not_found,
    "task2_4": a_year_too_old,
    "task2_5": number_as_text,
    "task3_2": refused,
    "task3_4": time_without_zone,
    "task4_2": prose,
    "task4_5": magnesium_of_another_day,
    "task5_1": four_grams,  # no order is due
    "task5_3": four_grams,  # two grams are due
    "task5_4": no_order,
    "task6_1": rounded_mean,
    "task6_3": rounded_mean,
    "task7_2": left_out,
    "task7_5": left_out,
    "task8_3": not_urgent,
    "task8_5": left_out,
    "task9_1": first_order_only,
    "task9_2": forty_milliequivalents,
    "task10_3": no_order,
    "task10_5": unanswered,
}
