"""Shapes of what the service says about itself."""

from rest_framework.serializers import CharField, DateTimeField

from leaderboard.api.serializers.fields import Shape


class KeySerializer(Shape):
    key = CharField(help_text="The public key (Ed25519): 32 bytes in base64.")
    since = DateTimeField(help_text="From when on the service signs with it.")
    until = DateTimeField(
        allow_null=True, help_text="When the next one replaced it; null for the present one."
    )


class KeysSerializer(Shape):
    public_keys = KeySerializer(many=True)
