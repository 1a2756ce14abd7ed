"""Pages for accounts and tokens.

This module has what the settings give to allauth: the forms that take the place of its own, and the limits.
"""

_FORMS = "leaderboard.web.accounts.allauth_forms"

FORMS = {
    "signup": f"{_FORMS}.NewAccountForm",
    "change_password": f"{_FORMS}.PasswordForm",
    "reset_password": f"{_FORMS}.ForgottenPasswordForm",
}
PROVIDER_FORMS = {"signup": f"{_FORMS}.SignUpWithProviderForm"}
SECOND_FACTOR_FORMS = {
    "add_webauthn": f"{_FORMS}.NewPasskeyForm",
    "authenticate_webauthn": f"{_FORMS}.PasskeyForm",
    "reauthenticate_webauthn": f"{_FORMS}.PasskeyAgainForm",
}
RATE_LIMITS = {
    # "key" is an account and an address together: leaderboard.web.accounts.limits.
    "login_failed": "10/m/ip,10/h/key",
    # "key" is an account; from all addresses where nobody has signed in to it.
    "wrong_password_of_strangers": "100/h/key",
    # Of programs that ask for a token; a link has the code too, so that GET counts as well.
    "device_code": "20/10m/user,60/10m/ip",
    # Each asks a provider for its description.
    "provider": "20/m/ip",
}
