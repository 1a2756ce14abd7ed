"""Pages for accounts and API tokens.

Forms of ours that take the place of allauth's are listed here for the settings.
"""

_HERE = "leaderboard.web.accounts"

FORMS = {
    "login": f"{_HERE}.sign_in.SignInForm",
    "change_password": f"{_HERE}.passwords.PasswordForm",
}
SECOND_FACTOR_FORMS = {
    "activate_totp": f"{_HERE}.codes.NewAppForm",
    "authenticate": f"{_HERE}.codes.CodeForm",
    "reauthenticate": f"{_HERE}.codes.CodeAgainForm",
    "add_webauthn": f"{_HERE}.passkeys.NewPasskeyForm",
    "edit_webauthn": f"{_HERE}.passkeys.PasskeyNameForm",
    "authenticate_webauthn": f"{_HERE}.passkeys.PasskeyForm",
    "reauthenticate_webauthn": f"{_HERE}.passkeys.PasskeyAgainForm",
}
