"""Texts of Django and allauth that our pages and emails show.

Both packages have translations, in other terms than ours. The texts listed here are collected into our
catalogue, which takes precedence over theirs.
"""

# Package -> texts; a pair is the singular and the plural.
TEXTS: dict[str, tuple[str | tuple[str, str], ...]] = {
    "django.forms": (
        "This field is required.",
        "Enter a valid email address.",
        "Null characters are not allowed.",
        "Select a valid choice. %(value)s is not one of the available choices.",
        (
            "Ensure this value has at most %(limit_value)d character (it has %(show_value)d).",
            "Ensure this value has at most %(limit_value)d characters (it has %(show_value)d).",
        ),
    ),
    "django.contrib.auth": (
        "The password is too similar to the %(verbose_name)s.",
        "This password is too common.",
        (
            "This password is too short. It must contain at least %d character.",
            "This password is too short. It must contain at least %d characters.",
        ),
        "Your password can’t be a commonly used password.",
        "Your password can’t be too similar to your other personal information.",
        (
            "Your password must contain at least %(min_length)d character.",
            "Your password must contain at least %(min_length)d characters.",
        ),
        "first name",
    ),
    "allauth.account": (
        "Email",
        "Email address",
        "Remember Me",
        "Current Password",
        "New Password",
        "New Password (again)",
        "Authenticator code",
        "Forgot your password?",
        "Password",
        "Password (again)",
        "A user is already registered with this email address.",
        "Be patient, you are sending too many requests.",
        "Incorrect password.",
        "Please type your current password.",
        "The email address and/or password you specified are not correct.",
        "The password reset token was invalid.",
        "This account is currently inactive.",
        "This email address is already associated with this account.",
        "Too many failed login attempts. Try again later.",
        "You cannot add more than %d email addresses.",
        "You must type the same password each time.",
        "Authenticator app activated.",
        "Authenticator app deactivated.",
        "A new set of recovery codes has been generated.",
        "Incorrect code.",
        "Use your password",
        "Use authenticator app or code",
        "Use a security key",
        "You cannot activate two-factor authentication until you have verified your email address.",
        "You cannot add an email address to an account protected by two-factor authentication.",
        "You cannot generate recovery codes without having two-factor authentication enabled.",
        "Account Inactive",
        "This account is inactive.",
        "Confirm",
        "Confirmation email sent to %(email)s.",
        "Password successfully changed.",
        "Password successfully set.",
        "Primary email address set.",
        "Removed email address %(email)s.",
        "Successfully signed in as %(name)s.",
        "Unable to confirm %(email)s because it is already confirmed by a different account.",
        "You cannot remove your primary email address (%(email)s).",
        "You have confirmed %(email)s.",
        "You have signed out.",
        "Your primary email address must be verified.",
        "Account Already Exists",
        "Unknown Account",
        (
            "You are receiving this email because you or someone else tried to signup for an\n"
            "account using email address:\n\n"
            "%(email)s\n\n"
            "However, an account using that email address already exists.  In case you have\n"
            "forgotten about this, please use the password forgotten procedure to recover\n"
            "your account:\n\n"
            "%(password_reset_url)s"
        ),
    ),
}
