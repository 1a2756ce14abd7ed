"""Check a file without submitting it."""

from functools import partial

from django.http import HttpResponse
from rest_framework.permissions import AllowAny
from rest_framework.request import Request

from leaderboard.api.authentication import ApiTokenAuthentication, require_board
from leaderboard.api.base import RawUploadView, UploadView, body_of, respond
from leaderboard.api.operation import Operation
from leaderboard.api.serializers.forms import CheckForm, CheckOptions
from leaderboard.api.serializers.submissions import ValidationSerializer
from leaderboard.api.submissions.uploads import read_upload, refused
from leaderboard.http.rates import RequestThrottle
from leaderboard.models import Scope
from leaderboard.services.files.read import largest_check
from leaderboard.services.files.remarks import refuse_warnings
from leaderboard.services.submissions.admit import check_unsent

_WITH_ACCOUNT = "That is the most without an account: send a token to have a larger file checked."
_checks = partial(
    Operation, answer=ValidationSerializer, refusals=["board-closed", "file-rejected", "storage-full"]
)


class _CheckView(UploadView):
    """Check a file: needs no account and stores nothing. With a token the rate limit is the account's own."""

    # No session: there is nothing here that another site could make a browser do.
    authentication_classes = [ApiTokenAuthentication]
    permission_classes = [AllowAny]
    throttle_classes = [RequestThrottle]
    throttle_scope = "validations"
    scopes = {"POST": Scope.VALIDATE}

    def check(self, request: Request) -> HttpResponse:
        has_account = request.user.is_authenticated
        # Before any of it is read, so that nobody without an account can fill the disk.
        body_of(request).narrow(largest_check(has_account=has_account), _WITH_ACCOUNT)
        upload = read_upload(request, options=CheckOptions, known=[*CheckOptions().fields])
        require_board(request, upload.board.slug if upload.board else None)
        if upload.problems:
            raise refused(upload, upload.problems, has_account=has_account)
        board, file = upload.require()
        reading = check_unsent(board=board, file=file.stored, has_account=has_account)
        if upload.options["strict"]:
            refuse_warnings(reading.warnings)
        shown = {"board": board, "reading": reading, "runs": len(file.stored.names)}
        return respond(ValidationSerializer(shown).data)


class ValidationsView(_CheckView):
    @_checks(id="validate", summary="Check a file: no account, nothing stored, no score", body=CheckForm)
    def post(self, request: Request) -> HttpResponse:
        return self.check(request)


class RawValidationsView(_CheckView, RawUploadView):
    @_checks(id="validateBody", summary="Check a file that is the body itself", query=CheckOptions)
    def post(self, request: Request) -> HttpResponse:
        return self.check(request)
