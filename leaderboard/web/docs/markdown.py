"""A document from Markdown to HTML, with anchors, a table of contents, and links that work on the site."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from leaderboard.web.docs.library import Document, find
from leaderboard.web.shared.language import as_tag

_EXTERNAL = re.compile(r"https?:|mailto:", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading of a document. level: 1 is its title."""

    level: int
    anchor: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A document as HTML, without its title.

    - language: the tag of that of the text, which may be English on a page in another language
    - headings: those of the table of contents
    """

    slug: str
    title: str
    language: str
    is_translated: bool
    html: SafeString
    headings: tuple[Heading, ...]


def render(document: Document) -> Rendered:
    """Return the document for a reader of the active language."""
    language = get_language() or "en"
    locale = document.locale_for(language)
    return _render(document.slug, locale, language, document.paths[locale].stat().st_mtime_ns)


# A few dozen documents in two languages.
@lru_cache(maxsize=128)
def _render(slug: str, locale: str, language: str, changed: int) -> Rendered:
    document = find(slug)
    assert document is not None
    tokens = _PARSER.parse(document.paths[locale].read_text(encoding="utf-8"))
    anchors = anchors_of(document, locale)
    own = headings_of(document.paths[locale], changed)
    headings = [replace(heading, anchor=anchors[heading.anchor]) for heading in own]
    _set_anchors(tokens, headings)
    for token in tokens:
        if token.attrs.pop("style", None):
            # The alignment of a column: the Content-Security-Policy refuses inline styles.
            token.attrSet("class", "n")
        if token.children:
            token.children = list(_with_site_links(token.children, document, anchors))
    body = tokens[3:] if tokens[0].tag == "h1" else tokens
    tag = locale.replace("_", "-")
    return Rendered(
        slug=slug,
        title=headings[0].text,
        language=tag,
        is_translated=tag == as_tag(language),
        html=mark_safe(_PARSER.renderer.render(body, _PARSER.options, {})),  # noqa: S308  # nosec B308 B703  # raw HTML is escaped
        headings=tuple(heading for heading in headings if heading.level in (2, 3)),
    )


@lru_cache(maxsize=128)
def headings_of(path: Path, changed: int) -> list[Heading]:
    """Return the headings of a file of that time of change, with anchors as GitHub makes them."""
    headings: list[Heading] = []
    for token, inline in pairwise(_PARSER.parse(path.read_text(encoding="utf-8"))):
        if token.type != "heading_open":
            continue
        text = _plain(inline)
        anchor = re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-")
        if earlier := sum(heading.text == text for heading in headings):
            anchor = f"{anchor}-{earlier}"
        headings.append(Heading(level=int(token.tag[1]), anchor=anchor, text=text))
    return headings


def anchors_of(document: Document, locale: str) -> dict[str, str]:
    """Return anchor in the file of that locale -> anchor on the site, which is the English one.

    So a link to a section works in every language. Translations have the same headings in the same order.
    """
    paths = (document.paths[locale], document.paths["en"])
    own, english = (headings_of(path, path.stat().st_mtime_ns) for path in paths)
    if len(own) != len(english):
        return {heading.anchor: heading.anchor for heading in own}
    return {heading.anchor: other.anchor for heading, other in zip(own, english, strict=True)}


def _set_anchors(tokens: Sequence[Token], headings: Sequence[Heading]) -> None:
    """Give an anchor to each heading, and to each row of a table that begins with nothing but a code."""
    opened = (token for token in tokens if token.type == "heading_open")
    for token, heading in zip(opened, headings, strict=True):
        token.attrSet("id", heading.anchor)
    used = {heading.anchor for heading in headings}
    for row, cell, inline in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if (row.type, cell.type) != ("tr_open", "td_open") or not inline.children:
            continue
        parts = [token for token in inline.children if token.type != "text" or token.content.strip()]
        is_code = [token.type for token in parts] == ["code_inline"]
        code = "".join(token.content for token in parts) if is_code else ""
        if code and code not in used:
            used.add(code)
            row.attrSet("id", code)


def _with_site_links(parts: Sequence[Token], document: Document, anchors: dict[str, str]) -> Iterator[Token]:
    """Yield the parts of a text with links to the site; a link to what it does not show leaves its text."""
    is_dropped = False
    for part in parts:
        if part.type == "link_open":
            address = _site_address(str(part.attrs["href"]), document, anchors)
            is_dropped = address is None
            if address is not None:
                part.attrs["href"] = address
                yield part
        elif part.type == "image":
            name = Path(unquote(str(part.attrs["src"]))).name
            if name in document.files:
                part.attrs["src"] = reverse("web:docs-file", args=[document.slug, name])
                yield part
        elif part.type != "link_close" or not is_dropped:
            yield part


def _site_address(href: str, document: Document, anchors: dict[str, str]) -> str | None:
    """Return the address of what `href` in a document leads to; None if the site does not show it."""
    if _EXTERNAL.match(href):
        return href
    name, _sign, anchor = unquote(href).partition("#")
    if not name:
        return f"#{anchors.get(anchor, anchor)}"
    path = PurePosixPath(name)
    if path.name in document.files:
        return reverse("web:docs-file", args=[document.slug, path.name])
    # A guide is in the folder of its benchmark.
    other = find(path.parent.parent.name if path.parent.name == "guide" else path.stem)
    if other is None or path.suffix != ".md":
        return None
    address = reverse("web:docs-page", args=[other.slug])
    known = {own: site for locale in other.paths for own, site in anchors_of(other, locale).items()}
    return f"{address}#{known.get(anchor, anchor)}" if anchor else address


class _Renderer(RendererHTML):
    """Headings with links to themselves; tables and code in frames that scroll, which a keyboard reaches."""

    def heading_close(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        anchor, text = tokens[index - 2].attrs["id"], _plain(tokens[index - 1])
        link = format_html(' <a class="anchor" href="#{}" aria-label="# {}">#</a>', anchor, text)
        return f"{link}</{tokens[index].tag}>\n"

    def table_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        heads = [_plain(inline) for open_, inline in pairwise(tokens[index:]) if open_.type == "th_open"]
        label = f"{index}: {', '.join(heads)}"
        return format_html('<div class="scroll" tabindex="0" role="region" aria-label="{}"><table>\n', label)

    def table_close(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return "</table></div>\n"

    def fence(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        token = tokens[index]
        return format_html('<pre tabindex="0"><code>{}</code></pre>\n', token.content)

    def code_block(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return self.fence(tokens, index, options, env)


def _plain(inline: Token) -> str:
    tokens = inline.children or []
    return "".join(" " if token.type in ("softbreak", "hardbreak") else token.content for token in tokens)


_PARSER = MarkdownIt("commonmark", {"html": False}, renderer_cls=_Renderer).enable("table")
