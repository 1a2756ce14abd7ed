"""Checking a file without sending it in."""

from rest_framework.permissions import AllowAny
from rest_framework.response import Response
from rest_framework.throttling import ScopedRateThrottle

from leaderboard.api import documents
from leaderboard.api.authentication import ApiTokenAuthentication
from leaderboard.api.base import UploadView
from leaderboard.api.uploads import read_upload
from leaderboard.services.errors import RequestInvalid
from leaderboard.services.files.read import largest_check
from leaderboard.services.submissions import submit
from scoring.reading.problems import SubmissionInvalid

_WITH_ACCOUNT = "That is the most without an account: send an API token to have a larger file checked."


class Validations(UploadView):
    """No account is needed, and nothing is stored. With a token the rate limit is the account's own."""

    # No session: there is nothing here that another site could make a browser do.
    authentication_classes = [ApiTokenAuthentication]
    permission_classes = [AllowAny]
    throttle_classes = [ScopedRateThrottle]
    throttle_scope = "validations"

    @documents.validate
    def post(self, request):
        # Before any of it is read: whoever has no account fills no disk.
        request.stream.narrow(largest_check(is_known=request.user.is_authenticated), _WITH_ACCOUNT)
        upload = read_upload(request, known=("benchmark",))
        board = upload.benchmark
        if upload.problems:
            file = warnings = None
            if board is not None and board.is_open and upload.file:
                try:
                    submit.check(benchmark=board, file=upload.file.arrived)
                except SubmissionInvalid as error:
                    file, warnings = error.problems, error.warnings
            raise RequestInvalid(upload.problems, file, warnings)
        reading = submit.check(benchmark=board, file=upload.file.arrived)
        return Response(
            {
                "valid": True,
                "benchmark": board.slug,
                "format": reading.format,
                "results": reading.count,
                "tasks": board.active_revision.task_count,
                "warnings": [warning.as_dict() for warning in reading.warnings.listed],
                "warnings_total": reading.warnings.total,
            }
        )
