"""Submit files, and list, publish, withdraw and cancel submissions."""

from collections.abc import Mapping
from functools import partial
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.http import conditional_page
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request

from leaderboard.api.authentication import require_board, require_scope, token_of
from leaderboard.api.base import (
    ApiView,
    RawUploadView,
    UploadView,
    read_team,
    respond,
    user_of,
    viewer_of,
)
from leaderboard.api.errors import NotScored, ParameterInvalid
from leaderboard.api.operation import FREE, IDEMPOTENCY_KEY, REPEATED, Operation
from leaderboard.api.parameters import unknown_choice
from leaderboard.api.serializers.forms import (
    PublishForm,
    SubmissionsQuery,
    SubmitForm,
    SubmitOptions,
    SubmitQuery,
    WaitQuery,
    WithdrawForm,
)
from leaderboard.api.serializers.submissions import (
    SubmissionPageSerializer,
    SubmissionSerializer,
    show_submission,
)
from leaderboard.api.submissions.uploads import Upload, read_key, read_upload, refused
from leaderboard.api.submissions.waiting import wait_until_done
from leaderboard.http.addresses import sender_digest
from leaderboard.http.problems import retry_headers
from leaderboard.http.readers import reader_of
from leaderboard.models import Board, Scope, Status, Submission, System
from leaderboard.models.submissions import SubmissionQuerySet
from leaderboard.services.access import find_own, find_submission, may_publish, may_read_as_team
from leaderboard.services.accounts import personal_team
from leaderboard.services.errors import (
    FactsInvalid,
    NotFound,
)
from leaderboard.services.exports.receipt import receipt_of
from leaderboard.services.publishing import publish
from leaderboard.services.rows.same_name import is_same_name
from leaderboard.services.seasons.seal import receipt_of_sealed
from leaderboard.services.submissions import admit, cancel
from leaderboard.services.submissions.decide import Decision, NotApplied
from leaderboard.services.submissions.request import SubmissionRequest
from leaderboard.services.submissions.stated_facts import parse_stated
from leaderboard.services.submissions.submit import submit
from wardboard.scoring.facts import request_key
from wardboard.scoring.reading.problems import Problem

_SCORE_KNOWN = (
    "`designate` was not applied: your team had scores for the same answers before, so the result is not "
    "chosen before its score is known."
)
_FACTS_WAIT = (
    "The system is public, so what this request states about it is applied when this result is published."
)


_ANSWERED = (
    "The same bytes from the same team for the same leaderboard give the same submission: 200 then, not 201, "
    f"and `{REPEATED}: true`. A large file comes back as `received`, to be checked later, and with a queue "
    "configured any other as `queued`: ask again after `Retry-After`."
)
_sends = partial(
    Operation,
    parameters=[IDEMPOTENCY_KEY],
    answer=SubmissionSerializer,
    statuses=[201, 200],
    refusals=["board-closed", "file-rejected", "scoring-failed", "storage-full"],
)
_changes = partial(Operation, answer=SubmissionSerializer)


class _SubmitView(UploadView):
    permission_classes = [IsAuthenticated]
    throttle_scope = "submissions"

    def receive(self, request: Request) -> HttpResponse:
        upload = read_upload(request, options=SubmitOptions, known=[*SubmitQuery().fields])
        key = read_key(request, upload)
        if upload.is_wanted:
            require_scope(request, Scope.PUBLISH)
        require_board(request, upload.board.slug if upload.board else None)
        named = read_team(request, upload.params.get("team", ""), upload.problems)
        if upload.problems:
            # The check of a large file would only delay the response to an invalid request.
            is_read = upload.file is not None and not admit.is_check_deferred(upload.file.stored)
            raise refused(upload, _problems_of_request(upload), is_read=is_read)
        board, file = upload.require()
        team = named or viewer_of(request) or personal_team(user_of(request))
        token = token_of(request)
        result = submit(
            SubmissionRequest(
                user=user_of(request),
                team=team,
                board=board,
                file=file.hand_over(),
                facts=upload.facts,
                filename=file.name,
                idempotency_key=key,
                publish=upload.is_wanted,
                designate=upload.options["designate"],
                address_digest=sender_digest(request),
                acknowledgement=upload.acknowledgement,
                is_strict=upload.options["strict"],
                ci_job=token.ci_job if token else None,
                unranked=upload.options["unranked"],
                allow_empty=upload.options["allow_empty"],
            )
        )
        headers = {REPEATED: "true"} if result.is_repeated else {}
        submission = _after_waiting(result.submission, upload.options["wait"])
        if submission.status in (Status.REJECTED, Status.FAILED):
            raise NotScored(show_submission(submission, to_team=True), headers)
        shown = show_submission(
            submission,
            to_team=True,
            notice=" ".join(_notices_of(request, upload, result, submission)),
            not_applied=result.not_applied,
            facts_not_applied=[request_key(name) for name in result.other_facts],
        )
        headers |= {**_retry_after(submission), "Location": reverse("api:submission", args=[submission.pk])}
        return respond(shown, status=201 if result.created else 200, headers=headers)


class SubmissionsView(_SubmitView):
    @Operation(
        id="listSubmissions",
        summary="The team's own submissions, newest first, in pages",
        query=SubmissionsQuery,
        answer=SubmissionPageSerializer,
    )
    def get(self, request: Request) -> HttpResponse:
        team = viewer_of(request)
        own = Submission.objects.of_team(team) if team else Submission.objects.none()
        token = token_of(request)
        if token is not None and token.board is not None:
            own = own.filter(board=token.board)
        rows = _filtered(own, self.query).with_result().order_by("-received_at", "pk")
        return respond(SubmissionPageSerializer(self.page_of(rows)).data)

    @_sends(
        id="submit",
        summary="Send a file in",
        description=f"A form, with the file as `file`. {_ANSWERED}",
        body=SubmitForm,
    )
    def post(self, request: Request) -> HttpResponse:
        return self.receive(request)


class RawSubmissionsView(_SubmitView, RawUploadView):
    @_sends(
        id="submitBody",
        summary="Send in a file that is the body itself",
        description=f"What the form states stands in the query. {_ANSWERED}",
        query=SubmitQuery,
    )
    def post(self, request: Request) -> HttpResponse:
        return self.receive(request)


def _filtered(rows: SubmissionQuerySet, query: Mapping[str, Any]) -> SubmissionQuerySet:
    """Return the submissions of a team that the query selects. Raises ParameterInvalid."""
    problems = []
    if (slug := query.get("benchmark")) is not None:
        slugs = [*Board.objects.values_list("slug", flat=True)]
        rows = rows.filter(board__slug=slug)
        if slug not in slugs:
            problems.append(unknown_choice("benchmark", slug, slugs, "GET /api/v1/benchmarks/ lists them."))
    if (system := query.get("system")) is not None:
        names = System.objects.filter(pk__in=rows.order_by().values("system")).values_list("pk", "name")
        same = [pk for pk, name in names if is_same_name(name, system)]
        rows = rows.filter(system__in=same)
        if not same:
            hint = "Your team has sent no file of a system of that name; without `system` the list has all."
            problems.append(unknown_choice("system", system, [name for _pk, name in names], hint))
    if problems:
        raise ParameterInvalid(*problems)
    lookups = {"status": "status", "sha256": "sha256", "commit": "commit__startswith"}
    return rows.filter(**{lookups[name]: query[name].lower() for name in lookups if name in query})


def _notices_of(request: Request, upload: Upload, result: Decision, submission: Submission) -> list[str]:
    """Return sentences on what of a request was not applied, or is applied later."""
    notices = []
    if result.not_applied:
        parts, found = ", ".join(result.not_applied), submission.system.name
        notices.append(
            f"These files were sent before as a result of “{found}”, and of this request was not applied: "
            f"{parts}."
        )
    is_to_be_published = upload.is_wanted and NotApplied.PUBLISH not in result.not_applied
    if is_to_be_published and submission.is_pending:
        notices.append("It is published as soon as it is scored.")
    elif (
        is_to_be_published
        and not submission.is_published
        and (refused := publish.refusal(submission, by=user_of(request)))
    ):
        notices.append(refused.detail)
    if upload.options["designate"] and result.created and not submission.designated:
        notices.append(_SCORE_KNOWN)
    if result.other_facts and result.created:
        notices.append(_FACTS_WAIT)
    return notices


def _problems_of_request(upload: Upload) -> list[Problem]:
    try:
        parse_stated(upload.facts, files=len(upload.file.stored.names) if upload.file else 1)
    except FactsInvalid as error:
        # A field that is given twice has no value here, and would be reported as missing too.
        return upload.problems + [each for each in error.problems if not upload.is_repeated(each.pointer)]
    return upload.problems


def _after_waiting(submission: Submission, seconds: int) -> Submission:
    """Return the submission as it is once it is done, or after so many seconds."""
    if not seconds or not submission.is_pending:
        return submission
    wait_until_done(submission.pk, seconds)
    return Submission.objects.with_result().get(pk=submission.pk)


def _answer(submission: Submission, *, to_team: bool) -> HttpResponse:
    return respond(show_submission(submission, to_team=to_team), headers=_retry_after(submission))


def _retry_after(submission: Submission) -> dict[str, str]:
    # An incomplete one waits for a judge or an organiser: no client should ask every second for hours.
    # Scoring takes milliseconds once it has begun; before that, the wait depends on the queue.
    seconds = {Status.INCOMPLETE: 30, Status.SCORING: 1}.get(Status(submission.status), 2)
    return retry_headers(seconds if submission.is_pending else None)


class SubmissionView(ApiView):
    @Operation(
        id="getSubmission",
        summary="One submission: the team's own, or a published one",
        description="A request with If-None-Match and its `ETag` is answered with 304 while nothing has "
        "changed.",
        query=WaitQuery,
        answer=SubmissionSerializer,
        is_conditional=True,
    )
    @method_decorator(conditional_page)
    def get(self, request: Request, submission_id: UUID) -> HttpResponse:
        reader = reader_of(request)
        submission = _after_waiting(find_submission(reader, submission_id), self.query["wait"])
        return _answer(submission, to_team=may_read_as_team(reader, submission))


class ReceiptView(ApiView):
    """The signed receipt of a result, for those who may see the submission."""

    @Operation(
        id="getReceipt",
        summary="The signed receipt of a result: what scored it, and its score",
        description="Before its publication it states the rounded score, as the team sees it.",
        answer=FREE,
    )
    def get(self, request: Request, submission_id: UUID) -> HttpResponse:
        submission = find_submission(reader_of(request), submission_id)
        is_sealed = submission.status == Status.SEALED
        body = receipt_of_sealed(submission) if is_sealed else receipt_of(submission)
        if body is None:
            raise NotFound(_("This submission has no score yet, and so no receipt."))
        headers = {"Content-Disposition": f'inline; filename="receipt-{submission.pk}.json"'}
        return HttpResponse(body, content_type="application/json", headers=headers)


class _ChangeView(ApiView):
    permission_classes = [IsAuthenticated]
    throttle_scope = "submissions"


class CancelView(_ChangeView):
    @_changes(
        id="cancelSubmission",
        summary="Stop a submission that is on its way",
        description=(
            "Nothing more of it is judged. It counts against the quota; what was judged is kept, so that "
            "the same file, sent again, goes on from there and is not counted twice. Twice is the same as "
            "once."
        ),
        refusals=["wrong-state"],
    )
    def post(self, request: Request, submission_id: UUID) -> HttpResponse:
        own = find_own(reader_of(request), submission_id)
        cancel.cancel(submission_id=submission_id, team=own.team, by=user_of(request))
        return _answer(Submission.objects.with_result().get(pk=submission_id), to_team=True)


class PublishView(_ChangeView):
    scopes = {"POST": Scope.PUBLISH}

    @_changes(
        id="publishSubmission",
        summary="Put a scored submission on the leaderboard",
        body=PublishForm,
        refusals=["wrong-state", "confirmation-needed", "unavailable"],
    )
    def post(self, request: Request, submission_id: UUID) -> HttpResponse:
        submission = publish.publish(
            submission_id=submission_id,
            team=find_own(reader_of(request), submission_id, may_publish).team,
            by=user_of(request),
            is_confirmed=self.body["confirm_log"],
            public_traces=self.body.get("public_traces"),
        )
        return _answer(submission, to_team=True)


class WithdrawView(_ChangeView):
    scopes = {"POST": Scope.PUBLISH}

    @_changes(
        id="withdrawSubmission",
        summary="Take a published submission off the leaderboard; scores stay public, marked as withdrawn",
        body=WithdrawForm,
        refusals=["wrong-state"],
    )
    def post(self, request: Request, submission_id: UUID) -> HttpResponse:
        own = find_own(reader_of(request), submission_id, may_publish)
        if own.status == Status.SEALED:
            cancel.cancel(submission_id=submission_id, team=own.team, by=user_of(request))
            return _answer(Submission.objects.with_result().get(pk=submission_id), to_team=True)
        submission = publish.withdraw(
            submission_id=submission_id, team=own.team, by=user_of(request), reason=self.body["reason"]
        )
        return _answer(submission, to_team=True)
