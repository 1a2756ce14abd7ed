"""Sending files in, and looking after what was sent."""

import uuid

from django.core.paginator import Paginator
from django.urls import reverse
from rest_framework import status
from rest_framework.permissions import IsAuthenticated
from rest_framework.response import Response
from rest_framework.throttling import ScopedRateThrottle

from leaderboard.api import documents
from leaderboard.api.base import ApiView, UploadView, team_of
from leaderboard.api.errors import NotScored
from leaderboard.api.representations import seconds_to_wait, show_line, show_submission
from leaderboard.api.uploads import FACTS, Upload, read_key, read_upload
from leaderboard.models import Status, Submission
from leaderboard.services.errors import FactsInvalid, RequestInvalid
from leaderboard.services.publishing import publish
from leaderboard.services.submissions import admit, submit
from leaderboard.services.submissions.stated_facts import parse_facts
from scoring.reading.problems import SubmissionInvalid

_PAGE_SIZE = 50
_PARAMETERS = ("benchmark", *FACTS, "publish")
_NOT_YET = "It has no score yet, and is published as soon as it has."


class PostThrottle(ScopedRateThrottle):
    """Counts what changes something; asking how a submission is doing stays free."""

    def allow_request(self, request, view):
        return request.method != "POST" or super().allow_request(request, view)


class Submissions(UploadView):
    permission_classes = [IsAuthenticated]
    throttle_classes = [PostThrottle]
    throttle_scope = "submissions"

    @documents.list_submissions
    def get(self, request):
        rows = Submission.objects.of_team(team_of(request)).with_result().order_by("-received_at", "pk")
        page = Paginator(rows, _PAGE_SIZE).get_page(request.query_params.get("page"))
        return Response(
            {
                "count": page.paginator.count,
                "page": page.number,
                "pages": page.paginator.num_pages,
                "results": [show_line(submission) for submission in page.object_list],
            }
        )

    @documents.submit
    def post(self, request):
        upload = read_upload(request, known=_PARAMETERS)
        key = read_key(request, upload)
        if upload.problems:
            raise _everything_wrong(upload)
        team = team_of(request)
        taken = submit.submit(
            submit.SubmissionRequest(
                user=request.user,
                team=team,
                benchmark=upload.benchmark,
                file=upload.file.hand_over(),
                facts=upload.facts,
                filename=upload.filename,
                idempotency_key=key,
                publish=upload.publish,
            )
        )
        submission = taken.submission
        if submission.status in (Status.REJECTED, Status.FAILED):
            raise NotScored(show_submission(submission, viewer=team))
        response = _answer(submission, team, status.HTTP_201_CREATED if taken.created else status.HTTP_200_OK)
        response["Location"] = reverse("api:submission", args=[submission.pk])
        if upload.publish and submission.is_pending:
            response.data["notice"] = _NOT_YET
        return response


def _everything_wrong(upload: Upload) -> RequestInvalid:
    """Return what is wrong with the request, its facts and its file, all at once."""
    facts = list(upload.problems)
    try:
        parse_facts(upload.facts)
    except FactsInvalid as error:
        facts += error.problems
    board, file = upload.benchmark, upload.file
    # A large file is not checked while the client waits to hear that its request is wrong.
    if board is not None and board.is_open and file and not admit.is_check_deferred(file.arrived):
        try:
            submit.check(benchmark=board, file=file.arrived)
        except SubmissionInvalid as error:
            return RequestInvalid(facts, error.problems, error.warnings)
    return RequestInvalid(facts, None)


def _answer(submission: Submission, team, code: int = status.HTTP_200_OK) -> Response:
    wait = seconds_to_wait(submission)
    headers = None if wait is None else {"Retry-After": str(wait)}
    return Response(show_submission(submission, viewer=team), status=code, headers=headers)


class SubmissionDetail(ApiView):
    @documents.get_submission
    def get(self, request, submission_id: uuid.UUID):
        team = team_of(request) if request.user.is_authenticated else None
        return _answer(publish.find(submission_id=submission_id, team=team), team)


class Publish(ApiView):
    permission_classes = [IsAuthenticated]
    throttle_classes = [PostThrottle]
    throttle_scope = "submissions"

    @documents.publish
    def post(self, request, submission_id: uuid.UUID):
        team = team_of(request)
        return _answer(publish.publish(submission_id=submission_id, team=team, by=request.user), team)


class Withdraw(ApiView):
    permission_classes = [IsAuthenticated]
    throttle_classes = [PostThrottle]
    throttle_scope = "submissions"

    @documents.withdraw
    def post(self, request, submission_id: uuid.UUID):
        team = team_of(request)
        reason = str(request.data.get("reason") or "")
        return _answer(
            publish.withdraw(submission_id=submission_id, team=team, by=request.user, reason=reason), team
        )
