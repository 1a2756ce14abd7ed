"""The form for a new account, and what it has in common with that of sign-in with an account elsewhere."""

from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from typing import Any

from allauth.account.forms import SignupForm
from allauth.core import ratelimit
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect


def in_one_transaction(
    view: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Wrap a page that makes accounts: one is stored together with the email that confirms its address."""

    @wraps(view)
    def wrapped(request: HttpRequest) -> HttpResponse:
        with transaction.atomic() if request.method == "POST" else nullcontext():
            return view(request)

    return wrapped


class CountedSignUp:
    """Mixin of allauth's forms for a new account: answers one too many of a network address with 429."""

    account_already_exists: bool

    def try_save(self, request: HttpRequest) -> tuple[Any, HttpResponse | None]:
        # An address that has an account counts like any other, so that the limit does not tell which do.
        if not ratelimit.consume(request, action="sign_ups"):
            return None, ratelimit.respond_429(request)
        try:
            with transaction.atomic():
                saved: tuple[Any, HttpResponse | None] = super().try_save(request)  # type: ignore[misc]
                return saved
        except IntegrityError:
            # The same form, sent twice at once: the other request has created the account.
            return None, redirect("account_login")


class NewAccountForm(CountedSignUp, SignupForm):  # type: ignore[misc]  # allauth has no types
    """Email address, password and the fields of leaderboard.web.accounts.forms.SignUpForm."""
