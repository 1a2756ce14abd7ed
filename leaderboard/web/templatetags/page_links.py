"""The links to the other pages of a list."""

from django import template
from django.core.paginator import Page
from django.http import QueryDict
from django.template import Context
from django.utils.safestring import SafeString

from leaderboard.web.shared.jinja import render_jinja

register = template.Library()
_ON_EACH_SIDE = 2  # numbers beside that of the page which is shown


@register.simple_tag(takes_context=True)
def page_links(context: Context, page: Page[object]) -> SafeString | str:
    """Render the links to the other pages of a list; "" where there is one page.

    They keep the parameters of the address, or else `query_params`, which the table of a leaderboard has.
    """
    paginator = page.paginator
    if paginator.num_pages == 1:
        return ""
    chosen: QueryDict | None = context.get("query_params")
    params = (context["request"].GET if chosen is None else chosen).copy()

    def address_of(number: int) -> str:
        params["page"] = str(number)
        return f"?{params.urlencode()}"

    numbers = paginator.get_elided_page_range(page.number, on_each_side=_ON_EACH_SIDE)
    return render_jinja(
        "web/shared/page_links.jinja",
        {
            "page": page,
            "numbers": [number if isinstance(number, int) else None for number in numbers],
            "address_of": address_of,
        },
    )
