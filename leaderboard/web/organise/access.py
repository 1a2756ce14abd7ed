"""Who may use the organiser's desk: signed-in organisers, with a second factor where staff need one."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import Http404
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from leaderboard.http.readers import reader_of
from leaderboard.models import Submission
from leaderboard.models.boards import BoardQuerySet
from leaderboard.services.access import managed_boards
from leaderboard.web.shared.second_factor import demand_second_factor
from leaderboard.web.shared.signed_in_request import SignedInRequest, sign_in_first

View = Callable[..., HttpResponseBase]


def desk_page(*methods: str) -> Callable[[View], View]:
    """Let only organisers use a view, by these methods; visitors sign in first, and others get 404.

    It gets the board or the submission that the address names; 404 for those of other organisers.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def check(request: SignedInRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            reader = reader_of(request)
            if not reader.is_organiser:
                raise Http404
            if not reader.is_confirmed:
                text = "The organiser’s desk needs an account with a second factor. Set one up here."
                return_path = request.get_full_path() if request.method == "GET" else reverse("web:organise")
                return demand_second_factor(request, next_page=return_path, text=text)
            if "slug" in kwargs:
                kwargs["board"] = get_object_or_404(boards_of(request), slug=kwargs.pop("slug"))
            if "submission_id" in kwargs:
                rows = Submission.objects.with_result().select_related("submitted_by")
                rows = rows.filter(board__in=boards_of(request).values("pk"))
                kwargs["submission"] = get_object_or_404(rows, pk=kwargs.pop("submission_id"))
            return view(request, *args, **kwargs)

        return require_http_methods([*methods, "HEAD"] if "GET" in methods else list(methods))(
            never_cache(sign_in_first(check))
        )

    return decorate


def boards_of(request: SignedInRequest) -> BoardQuerySet:
    """Return the boards that the user organises, in the order of the site, without references."""
    return managed_boards(reader_of(request))
