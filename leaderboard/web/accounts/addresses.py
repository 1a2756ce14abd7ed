"""The page of one's email addresses."""

from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.models import EmailAddress
from allauth.account.views import EmailView
from allauth.socialaccount.adapter import get_adapter as get_provider_adapter
from django.conf import settings
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from leaderboard.models import User
from leaderboard.services.accounts import find_team
from leaderboard.web.accounts.guards import sign_in_again
from leaderboard.web.accounts.providers.adapter import linked_accounts


class AddressesView(EmailView):  # type: ignore[misc]  # allauth has no types
    """Refuses addresses that are not proved to be one's own as the primary one.

    allauth accepts any address from someone who has confirmed none, and an address of someone else would
    break the database's constraint: the error would tell that it has an account.
    """

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.user.is_authenticated and request.user.email:
            # Make the address of an account that was not made by signing up its primary one. Without one,
            # allauth lets the person remove the address of the account, and puts any other in its place.
            addresses = EmailAddress.objects.filter(user=request.user)
            if not addresses.filter(primary=True).exists():
                email = request.user.email.lower()
                addresses.update_or_create(user=request.user, email=email, defaults={"primary": True})
        response: HttpResponse = super().dispatch(request, *args, **kwargs)
        return response

    # An address is added together with the email that asks to confirm it.
    @transaction.atomic
    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if sign_in_page := sign_in_again(request):
            return sign_in_page
        address = self._get_email_address(request) if "action_primary" in request.POST else None
        if address and not address.primary:
            if not address.verified:
                template = "account/messages/unverified_primary_email.txt"
                get_adapter().add_message(request, messages.ERROR, template)
                return redirect("account_email")
            if User.objects.filter(email=address.email).exclude(pk=address.user_id).exists():
                messages.error(request, get_adapter().error_messages["email_taken"])
                return redirect("account_email")
        response: HttpResponse = super().post(request, *args, **kwargs)
        return response

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)
        return {
            **context,
            "team": find_team(self.request.user),
            "is_sent": settings.NOTIFIES,
            "linked": linked_accounts(self.request),
            "providers": get_provider_adapter(self.request).list_providers(self.request),
        }
