"""``jokejudge models card``: all that was measured of a model, on one page."""

from __future__ import annotations

from pathlib import Path

from ..errors import UsageError
from ..history.writing import keep_foreign
from ..runs.model_page import model_page
from ..runs.model_page_text import as_html, as_markdown, write_page
from ..runs.shelf import TrustShelf
from .console import printable
from .context import Context
from .trust_command import named_model


def card(context: Context) -> int:
    """Print the card of the named model, or of the one in use, as Markdown; or write it to files. Exit status 0, also
    where nothing was measured."""
    args, console = context.args, context.console
    for option, name in (("--markdown", args.markdown), ("--html", args.html)):
        if name is not None and (name == "-" or Path(name).is_dir()):
            raise UsageError("E_USAGE", f"{option} needs the name of a file.", f"For instance: {option} card.md")
    page = model_page(named_model(context, TrustShelf(context.profile)), context.profile)
    for name, text in ((args.markdown, as_markdown(page)), (args.html, as_html(page))):
        if name is not None:
            keep_foreign(Path(name), text.encode("utf-8"))
    if args.markdown is not None:
        write_page(page, Path(args.markdown), "markdown")
    if args.html is not None:
        write_page(page, Path(args.html), "html")
    if console.json:
        console.object(page.fields() | {"error": None})
    elif args.markdown is None and args.html is None:
        console.text(printable(as_markdown(page)))
    return 0
