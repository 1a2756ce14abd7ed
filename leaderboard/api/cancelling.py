"""Stopping a submission that is on its way."""

import uuid

from rest_framework.permissions import IsAuthenticated
from rest_framework.response import Response

from leaderboard.api import documents
from leaderboard.api.base import ApiView, team_of
from leaderboard.api.representations import show_submission
from leaderboard.api.submissions import PostThrottle
from leaderboard.services.publishing import publish
from leaderboard.services.submissions import cancel


class Cancel(ApiView):
    permission_classes = [IsAuthenticated]
    throttle_classes = [PostThrottle]
    throttle_scope = "submissions"

    @documents.cancel
    def post(self, request, submission_id: uuid.UUID):
        team = team_of(request)
        cancel.cancel(submission_id=submission_id, team=team, by=request.user)
        found = publish.find(submission_id=submission_id, team=team)
        return Response(show_submission(found, viewer=team))
