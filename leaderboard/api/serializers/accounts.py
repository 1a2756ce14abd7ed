"""Shapes of an account, its tokens, and what it may still send."""

from rest_framework.serializers import (
    BooleanField,
    CharField,
    ChoiceField,
    DateTimeField,
    ListField,
)

from leaderboard.api.serializers.fields import Count, Positive, Shape, of_context
from leaderboard.api.serializers.submissions import CiJobSerializer
from leaderboard.models import ProvenanceLevel, Role, Scope
from leaderboard.services.submissions.quotas import LimitKind
from leaderboard.services.trusted_publishing.provenance import provenance_of

TOKEN_TYPE = "Bearer"
_BOARD = "Slug of the only leaderboard that it is good for; null for all."


class TokenSerializer(Shape):
    name = CharField()
    begins_with = CharField(source="token_key", help_text="As on the tokens page.")
    scopes = ListField(
        source="allowed", child=ChoiceField(Scope.values), help_text="What it may be used for."
    )
    benchmark = CharField(allow_null=True, source="board.slug", default=None, help_text=_BOARD)
    created_at = DateTimeField(source="created")
    expires_at = DateTimeField(source="expiry", allow_null=True, help_text="Null if it does not expire.")
    job = CiJobSerializer(source="ci_job", allow_null=True, help_text="Null for one of a person.")


class TeamSerializer(Shape):
    name = CharField(source="team.name")
    handle = CharField(source="team.handle", help_text="Its short name, for `team` of requests.")
    role = ChoiceField(Role.values)


class MeSerializer(Shape):
    account = CharField(help_text="Email address; empty for a token of a CI job: its log may be public.")
    email_verified = BooleanField()
    team = CharField(help_text="The team that acts unless a request names one; its first file creates it.")
    teams = TeamSerializer(many=True, help_text="The teams of several people that the account is in.")
    token = TokenSerializer(allow_null=True, help_text="Null for a session of the pages.")


class CiTokenSerializer(Shape):
    token = CharField(help_text="The token.")
    expires_at = DateTimeField(source="expiry")
    team = CharField(source="team.name", help_text="Name of the team that it submits for.")
    scopes = ListField(source="allowed", child=ChoiceField(Scope.values))
    benchmark = CharField(source="board.slug", allow_null=True, help_text=_BOARD)
    provenance = ChoiceField(ProvenanceLevel.values, help_text="Of submissions that are made with it.")
    job = CiJobSerializer(source="ci_job")

    get_token = of_context("token")
    get_provenance = staticmethod(lambda token: provenance_of(token.ci_job))


class DeviceCodeSerializer(Shape):
    """Source: RFC 8628, section 3.2."""

    device_code = CharField(help_text="Secret; for the questions of the program alone.")
    user_code = CharField(help_text="For the person, who compares it on the page.")
    verification_uri = CharField(help_text="Address of the page.")
    verification_uri_complete = CharField(help_text="The same with the code in it.")
    expires_in = Positive(help_text="Seconds.")
    interval = Positive(help_text="Seconds to wait between two questions.")


class IssuedTokenSerializer(Shape):
    """Source: RFC 6749, section 5.1."""

    access_token = CharField(help_text="A token. It cannot be shown again.")
    token_type = ChoiceField([TOKEN_TYPE])
    expires_in = Positive(help_text="Seconds.")
    scope = CharField(help_text="What it may be used for, separated by spaces.")


class LimitSerializer(Shape):
    kind = ChoiceField(
        [*LimitKind],
        help_text="Files of the team in 24 hours, in 30 days, on these reference answers, and before it is "
        "approved; files of new teams at one network address in 30 days; bytes kept of the team's files.",
    )
    unit = ChoiceField(["files", "bytes"])
    allowed = Count()
    used = Count()
    left = Count()
    renews_at = DateTimeField(allow_null=True, help_text="When the oldest file that counts no longer does.")
    renewals = ListField(
        child=DateTimeField(), help_text="When one more may be sent each, in order; empty where never."
    )

    get_unit = staticmethod(lambda limit: "bytes" if limit.kind.counts_bytes else "files")


class LaneAllowanceSerializer(Shape):
    benchmark = CharField(help_text="Slug of the lane.")
    left = Count(allow_null=True)
    limits = LimitSerializer(many=True)


class AllowanceSerializer(Shape):
    left = Count(allow_null=True, help_text="Files that are accepted for scoring now; null: any.")
    limits = LimitSerializer(many=True)
    approval = ChoiceField(
        ["not-needed", "not-requested", "requested", "approved", "refused"],
        help_text="Whether the organisers approved the team; approved teams can publish.",
    )
    answer = CharField(help_text="The reason of a refusal, if the organisers gave one.")
    needs_verified_email = BooleanField()
    unranked_lane = LaneAllowanceSerializer(
        allow_null=True, help_text="The same for the leaderboard's unranked lane."
    )
