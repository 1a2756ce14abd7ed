"""A document from Markdown to HTML, with anchors, a table of contents, and links that work on the site."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from leaderboard.web.docs.library import Document, document_at, find, in_repository, installed

_EXTERNAL = re.compile(r"https?:|mailto:", re.IGNORECASE)
# Deeper headings are not in the table of contents.
_CONTENTS_LEVELS = (2, 3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading of a document. level: 1 is its title."""

    level: int
    anchor: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A document as HTML, without its title.

    - locale: that of the text, which may be English on a page in another language
    - summary: its first paragraph, as plain text
    - headings: those of the table of contents
    """

    title: str
    locale: str
    summary: str
    html: SafeString
    headings: tuple[Heading, ...]


def render(document: Document, language: str) -> Rendered:
    """Return the document for a reader of `language`; links are those of the active language."""
    locale = document.locale_for(language)
    changed = document.paths[locale].stat().st_mtime_ns
    return _render(document.slug, locale, get_language() or "en", changed)


# A few dozen documents in two languages.
@lru_cache(maxsize=128)
def _render(slug: str, locale: str, language: str, changed: int) -> Rendered:
    document = find(slug)
    assert document is not None
    return _Page(document, locale, language).render()


@lru_cache(maxsize=128)
def _parse(path: Path, changed: int) -> Sequence[Token]:
    return _PARSER.parse(path.read_text(encoding="utf-8"))


def _tokens(path: Path) -> Sequence[Token]:
    return _parse(path, path.stat().st_mtime_ns)


def headings_of(path: Path) -> list[Heading]:
    """Return the headings of a file, with anchors as GitHub makes them."""
    headings: list[Heading] = []
    for token, inline in pairwise(_tokens(path)):
        if token.type != "heading_open":
            continue
        text = _plain(inline)
        anchor = re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-")
        earlier = sum(heading.text == text for heading in headings)
        headings.append(
            Heading(level=int(token.tag[1]), anchor=f"{anchor}-{earlier}" if earlier else anchor, text=text)
        )
    return headings


def anchors_of(document: Document, locale: str) -> dict[str, str]:
    """Return anchor in the file of that locale -> anchor on the site, which is the English one.

    So a link to a section works in every language. Translations have the same headings in the same order.
    """
    own, english = headings_of(document.paths[locale]), headings_of(document.paths["en"])
    if len(own) != len(english):
        return {heading.anchor: heading.anchor for heading in own}
    return {heading.anchor: other.anchor for heading, other in zip(own, english, strict=True)}


class _Page:
    """The rendering of one document in one locale."""

    def __init__(self, document: Document, locale: str, language: str) -> None:
        self.document, self.locale, self.language = document, locale, language
        self.path = document.paths[locale]
        self.anchors = anchors_of(document, locale)

    def render(self) -> Rendered:
        headings = [
            Heading(level=heading.level, anchor=self.anchors[heading.anchor], text=heading.text)
            for heading in headings_of(self.path)
        ]
        # A page of its own: links differ by document and language.
        tokens = _PARSER.parse(self.path.read_text(encoding="utf-8"))
        self._set_heading_anchors(tokens, headings)
        self._set_row_anchors(tokens, {heading.anchor for heading in headings})
        for token in tokens:
            if token.attrs.pop("style", None):
                # The alignment of a column: the Content-Security-Policy refuses inline styles.
                token.attrSet("class", "n")
            if token.children:
                token.children = list(self._with_site_links(token.children))
        body = tokens[3:] if tokens[0].tag == "h1" else tokens
        return Rendered(
            title=headings[0].text,
            locale=self.locale,
            summary=next(
                _plain(inline) for open_, inline in pairwise(tokens) if open_.type == "paragraph_open"
            ),
            html=mark_safe(_PARSER.renderer.render(body, _PARSER.options, {})),  # noqa: S308  # nosec B308 B703  # raw HTML is escaped
            headings=tuple(heading for heading in headings if heading.level in _CONTENTS_LEVELS),
        )

    def _set_heading_anchors(self, tokens: Sequence[Token], headings: Sequence[Heading]) -> None:
        opened = (token for token in tokens if token.type == "heading_open")
        for token, heading in zip(opened, headings, strict=True):
            token.attrSet("id", heading.anchor)

    def _set_row_anchors(self, tokens: Sequence[Token], used_anchors: set[str]) -> None:
        """Give each row of a table that begins with nothing but code an anchor: that code."""
        for row, cell, inline in zip(tokens, tokens[1:], tokens[2:], strict=False):
            if (row.type, cell.type) != ("tr_open", "td_open") or not inline.children:
                continue
            parts = [part for part in inline.children if part.type != "text" or _text(part).strip()]
            code = _text(parts[0]) if [part.type for part in parts] == ["code_inline"] else ""
            if code and code not in used_anchors:
                used_anchors.add(code)
                row.attrSet("id", code)

    def _with_site_links(self, parts: Sequence[Token]) -> Iterator[Token]:
        is_dropped, title = False, ""
        for part in parts:
            if part.type == "link_open":
                href = str(part.attrs["href"])
                address = self._site_address(href)
                is_dropped, title = address is None, self._title_of(href)
                if address is not None:
                    part.attrs["href"] = address
                    yield part
            elif part.type == "image":
                name = (self.path.parent / unquote(str(part.attrs["src"]))).name
                if name in self.document.files:
                    part.attrs["src"] = reverse("web:docs-file", args=[self.document.slug, name])
                    yield part
            elif part.type != "link_close" or not is_dropped:
                if title and part.type == "text" and _text(part).endswith(".md"):
                    yield Token("text", "", 0, content=title)
                else:
                    yield part

    def _title_of(self, href: str) -> str:
        """Return the title of the document that a link leads to, for one that shows a file name."""
        document = document_at(self._target(href.partition("#")[0]))
        return headings_of(document.paths[document.locale_for(self.language)])[0].text if document else ""

    def _site_address(self, href: str) -> str | None:
        """Return the address of what `href` leads to; None if the site does not show it."""
        if _EXTERNAL.match(href):
            return href
        name, _sign, anchor = unquote(href).partition("#")
        if not name:
            return f"#{self.anchors.get(anchor, anchor)}"
        path = self._target(name)
        if (document := document_at(path)) is not None:
            locale = next(locale for locale, other in document.paths.items() if other == path)
            address = reverse("web:docs-page", args=[document.slug])
            return f"{address}#{anchors_of(document, locale).get(anchor, anchor)}" if anchor else address
        if path in self.document.files.values():
            return reverse("web:docs-file", args=[self.document.slug, path.name])
        return None

    def _target(self, name: str) -> Path:
        """Return the file that a relative link leads to, by the layout of the repository."""
        place = in_repository(self.path)
        return installed(Path(os.path.normpath(place.parent / name))) if place else self.path.parent / name


class _Renderer(RendererHTML):
    """Tables and code in frames that scroll, and a button that copies code."""

    def table_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return format_html(
            '<div class="scroll" tabindex="0" role="region" aria-label="{}">\n<table>\n',
            _caption(tokens, index),
        )

    def table_close(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return "</table>\n</div>\n"

    def fence(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return format_html(
            '<div class="code"><button type="button" class="quiet small with-script" data-copy="{id}" '
            'data-copied="{copied}">{copy}<span class="visually-hidden"> {number}</span></button>'
            '<pre tabindex="0" id="{id}"><code>{code}</code></pre></div>\n',
            id=f"code-{index}",
            copied=_("Copied"),
            copy=_("Copy"),
            number=sum(token.type in ("fence", "code_block") for token in tokens[: index + 1]),
            code=_text(tokens[index]),
        )

    def code_block(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return self.fence(tokens, index, options, env)


def _caption(tokens: Sequence[Token], index: int) -> str:
    """Return what a table is called: the heading above it, and the heads of its columns."""
    above = (inline for open_, inline in pairwise(tokens[:index]) if open_.type == "heading_open")
    heading = next(reversed(list(above)), None)
    heads = [_plain(inline) for open_, inline in pairwise(tokens[index:]) if open_.type == "th_open"]
    columns = ", ".join(head for head in heads if head)
    return f"{_plain(heading)}: {columns}" if heading else columns


def _plain(inline: Token) -> str:
    parts = inline.children or []
    return "".join(" " if part.type in ("softbreak", "hardbreak") else _text(part) for part in parts)


def _text(token: Token) -> str:
    return token.content


_PARSER = MarkdownIt("commonmark", {"html": False}, renderer_cls=_Renderer).enable("table")
