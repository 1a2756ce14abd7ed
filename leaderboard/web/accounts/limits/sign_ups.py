"""Limit how many accounts are created: from a network address, for a mailbox, in a domain.

A domain counts addresses that were verified: a stranger who types addresses of a university closes nothing.
The settings SIGN_UPS_… have the numbers. allauth counts, in the cache that all processes share.
"""

import math
import time
from collections.abc import Callable
from contextlib import nullcontext
from datetime import timedelta
from functools import wraps
from typing import Any

from allauth.core.internal import ratelimit
from allauth.core.internal.ratelimit import RateLimitUsage
from django.conf import settings
from django.core.cache import cache
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from leaderboard.http.problems import mark_refused
from leaderboard.monitoring import metrics

_APP = "allauth.account"
_IN_DOMAIN = "sign_ups_per_domain"
# Below some countries' domains, names are registered under one of these: ntu.edu.tw, ox.ac.uk.
_SECOND_LEVEL = frozenset(
    {"ac", "co", "com", "edu", "gob", "gouv", "gov", "gv", "ne", "net", "nhs", "nom", "or", "org"}
)
# They deliver to one mailbox whatever the dots.
_DOTS_DO_NOT_COUNT = frozenset({"gmail.com", "googlemail.com"})


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
    """Mixin of allauth's forms for a new account: answers one too many with 429, and the time to wait."""

    cleaned_data: dict[str, Any]
    account_already_exists: bool
    # Of a provider that has verified the address, where allauth sends no signal of its own.
    has_verified_email = False

    def try_save(self, request: HttpRequest) -> tuple[Any, HttpResponse | None]:
        wait = count_sign_up(request, self.cleaned_data["email"], is_verified=self.has_verified_email)
        if wait:
            return None, try_later(request, wait)
        if self.account_already_exists:
            # Its owner gets an email.
            return self._save(request)
        try:
            with transaction.atomic():
                return self._save(request)
        except IntegrityError:
            # The same form, sent twice at once: the other request has created the account.
            return None, redirect("account_login")

    def _save(self, request: HttpRequest) -> tuple[Any, HttpResponse | None]:
        saved: tuple[Any, HttpResponse | None] = super().try_save(request)  # type: ignore[misc]
        return saved


def count_sign_up(request: HttpRequest, email: str, *, is_verified: bool = False) -> int:
    """Count a new account; return 0, or the seconds to wait before one may be created.

    In its domain it counts once its address is verified, or at once where addresses are not verified.
    An address that has an account counts like any other, so that the limits do not tell which do.
    """
    counters = _counters(request, email)
    if wait := max(_wait(request, action, key) for action, key in counters):
        return wait
    counted: list[RateLimitUsage] = []
    for action, key in counters:
        if action == _IN_DOMAIN and settings.VERIFIES_EMAIL and not is_verified:
            continue
        usage = ratelimit.consume(request, app=_APP, action=action, key=key)
        if usage is None:
            # Another request was counted in between.
            for earlier in counted:
                earlier.rollback()
            return max(1, _wait(request, action, key))
        counted.append(usage)
    return 0


def count_verified(request: HttpRequest, email: str) -> int:
    """Count an address that is verified now, in its domain; return 0, or the seconds that it has to wait.

    So a domain of an attacker brings no more accounts than it may, however many signed up before the first.
    """
    for action, key in _counters(request, email):
        if action == _IN_DOMAIN and ratelimit.consume(request, app=_APP, action=action, key=key) is None:
            return max(1, _wait(request, action, key))
    return 0


def try_later(request: HttpRequest, wait: int) -> HttpResponse:
    """Answer 429, with the seconds to wait."""
    metrics.SIGN_UPS_REFUSED.inc()
    context = {"again_at": timezone.now() + timedelta(seconds=wait)}
    return mark_refused(render(request, "429.html", context), "too-many-requests", wait)


def _counters(request: HttpRequest, email: str) -> list[tuple[str, str]]:
    """Return what a new account counts against: the action, and whose count it is."""
    local, _, domain = email.lower().rpartition("@")
    local = local.partition("+")[0]
    if domain in _DOTS_DO_NOT_COUNT:
        local = local.replace(".", "")
    counters = [
        ("sign_ups_per_address", ratelimit.get_ip(request)),
        ("sign_ups_per_mailbox", f"{local}@{domain}"),
    ]
    registered = registered_domain(domain)
    if not {domain, registered} & set(settings.SIGN_UPS_UNCOUNTED_DOMAINS):
        counters.append((_IN_DOMAIN, registered))
    return counters


def registered_domain(domain: str) -> str:
    """Return the registered part of a domain; its owner controls all names below it."""
    labels = domain.split(".")
    length = 3 if len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVEL else 2
    return ".".join(labels[-length:])


def _wait(request: HttpRequest, action: str, key: str) -> int:
    """Return the seconds until `consume` would count again; 0 where it does now."""
    now, waits = time.time(), [0.0]
    for rate in ratelimit.get_rates(app=_APP, action=action):
        times = cache.get(ratelimit.get_cache_key(request, app=_APP, action=action, rate=rate, key=key), [])
        # The newest come first.
        if len(times) >= rate.amount:
            waits.append(times[rate.amount - 1] + rate.duration - now if rate.amount else rate.duration)
    return max(0, math.ceil(max(waits)))
