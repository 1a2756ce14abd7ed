"""Shapes of refusals (RFC 9457) and of what they list."""

from functools import partial
from typing import Any

from rest_framework.serializers import BooleanField, CharField, ChoiceField, DateTimeField, UUIDField

from leaderboard.api.serializers.fields import Count, Counts, Positive, Shape
from leaderboard.http.problems import PROBLEM_TYPES
from leaderboard.models import Status


class QuotedLineSerializer(Shape):
    """A line of the submitted file."""

    number = Positive()
    text = CharField(help_text="Printable: control characters are escaped. “…” where a long line is cut.")


class FixSerializer(Shape):
    """What to write in place of what is written, where that needs no thought."""

    before = CharField(help_text="The line to remove, or where it is not known, the JSON of the value.")
    after = CharField(help_text="The line to insert, cut in the same way. Empty for none.")


class ProblemSerializer(Shape):
    """A problem or a warning, with its place and its fix."""

    # Shown from a `Problem` of `scoring`, or from one as it is stored.

    code = CharField(
        help_text="Stable. `facts.…` and `request.…` point into the request, others into the file."
    )
    pointer = CharField(help_text="JSON Pointer (RFC 6901) of the place.")
    line = Positive(allow_null=True, help_text="Line of the file, from 1, where there is one.")
    message = CharField(help_text="What is so.")
    hint = CharField(help_text="What to do about it.")
    run = Positive(required=False, help_text="Of several runs, the one that `pointer` is within, from 1.")
    file = CharField(required=False, help_text="The name of the file of that run.")
    where = CharField(required=False, help_text="The place in words: `result 9, task2_5, line 31`.")
    column = Positive(required=False, help_text="The character of the line, from 1, where it is known.")
    record = Positive(
        required=False, help_text="The number of the result in the file's list of them, from 1."
    )
    task = CharField(required=False, help_text="The task id that this result states.")
    quoted = QuotedLineSerializer(
        many=True, required=False, help_text="The line of the place, and the one before or after it."
    )
    fix = FixSerializer(required=False)

    def to_representation(self, instance: Any) -> dict[str, Any]:
        """Return the problem without the optional members that say nothing."""
        shown = super().to_representation(instance)
        return {name: value for name, value in shown.items() if value or self.fields[name].required}


class FoundSystemSerializer(Shape):
    """One of several systems in an archive, or in a log that is a folder."""

    name = CharField()
    select = CharField(help_text="What to send as `select` for it alone. Empty where a path tells it not.")
    files = Count()
    model = CharField(help_text="As its files state it. Empty where they state none.")


class KeptSubmissionSerializer(Shape):
    """A submission that is kept, though it has no score."""

    id = UUIDField()
    url = CharField()
    status = ChoiceField(Status.values)


by_code = partial(
    Counts, required=False, help_text="Code -> how many there are, with those beyond the listed ones."
)


class ProblemDocumentSerializer(Shape):
    """RFC 9457."""

    type = CharField(help_text="Address of what this sort of problem means.")
    title = CharField()
    status = Positive()
    detail = CharField()
    instance = CharField()
    code = ChoiceField(sorted(PROBLEM_TYPES))
    hint = CharField(help_text="What to do next.")
    submission = KeptSubmissionSerializer(required=False)
    problems = ProblemSerializer(many=True, required=False)
    problems_total = Count(
        required=False, help_text="More than are listed, at times; 1001 means more than 1,000."
    )
    problems_by_code = by_code()
    warnings = ProblemSerializer(many=True, required=False)
    warnings_total = Count(required=False)
    warnings_by_code = by_code()
    systems = FoundSystemSerializer(
        many=True,
        required=False,
        help_text="Of a file of several systems: those of which one has to be chosen.",
    )
    valid = BooleanField(required=False)
    retry_at = DateTimeField(
        required=False,
        help_text="Of quota-spent: when the next one is accepted, as `Retry-After` has in seconds.",
    )
    error_id = CharField(required=False)
    error = CharField(required=False, help_text="The name that OAuth 2.0 has for it (RFC 8628, section 3.5).")
