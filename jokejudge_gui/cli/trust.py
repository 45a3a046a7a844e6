"""``jokejudge models trust`` and ``card``: how far a model can be trusted."""

from __future__ import annotations

from pathlib import Path

from ..core.files import sha256_of
from ..core.outputs import keep_foreign
from ..core.pages import as_html, as_markdown
from ..core.verdicts import ModelRef
from ..library.catalogue import load_catalogue
from ..library.embedded import EMBEDDED_NAME, EMBEDDED_SHA256
from ..library.finder import resolve_model
from ..measure.model.figures import TrustFiles, model_page, write_page
from . import options
from .console import printable
from .context import Context, check_files
from .options import command, option
from .running import Progress

_EMBEDDED = "embedded"
_LEAST_DIGITS = 8


@command("trust")
@options.model_spec
def trust(context: Context) -> int:
    """Print the report on the named model, or on the one in use. Exit status 0, also if nothing was measured."""
    measurements = TrustFiles(context.profile)
    model = named_model(context, measurements)
    if context.console.json:
        context.console.object(measurements.fields(measurements.of(model)))
    else:
        context.console.heading(printable(model.name, lines=False))
        context.console.pages(model_page(model, context.profile).pages)
    return 0


def named_model(context: Context, measurements: TrustFiles) -> ModelRef:
    """Return the named model: by name, catalogue name, beginning of its hash, or file. Raises ``ModelError``."""
    spec = (context.args.spec or context.settings.model or _EMBEDDED).strip()
    entry = load_catalogue().find(spec)
    if spec == _EMBEDDED or (entry is not None and entry.embedded):
        return ModelRef(name=EMBEDDED_NAME, sha256=EMBEDDED_SHA256)
    wanted = spec.casefold()
    for model in measurements.models():
        digits = len(wanted) >= _LEAST_DIGITS and model.sha256.startswith(wanted)
        if digits or wanted == model.name.casefold() or (entry is not None and model.sha256 in entry.sha256):
            return model
    if entry is not None:
        return ModelRef(name=entry.label, sha256=entry.sha256[0])
    file = resolve_model(spec, context.profile)
    sha256 = file.sha256
    if sha256 is None:
        progress = Progress(context.console)
        total = max(1, file.path.stat().st_size // 10**6)
        try:
            sha256 = sha256_of(
                file.path, lambda done: progress.line(f"Reading {file.name}", done // 10**6, total, now=False)
            )
        finally:
            progress.clear()
    return ModelRef(name=file.name, sha256=sha256)


@command("card")
@options.model_spec
@option("--markdown OUT.md", "Write it as Markdown.")
@option("--html OUT.html", "Write it as one web page.")
def card(context: Context) -> int:
    """Print the card of the named model, or of the one in use, as Markdown; or write it to files. Exit status 0, also
    if nothing was measured."""
    args, console = context.args, context.console
    check_files(markdown=args.markdown, html=args.html)
    page = model_page(named_model(context, TrustFiles(context.profile)), context.profile)
    begins = ((args.markdown, as_markdown([], page.model.name)), (args.html, as_html([], page.model.name)))
    for name, text in begins:
        if name is not None:
            keep_foreign(Path(name), text.encode("utf-8"))
    if args.markdown is not None:
        write_page(page, Path(args.markdown), "markdown")
    if args.html is not None:
        write_page(page, Path(args.html), "html")
    if console.json:
        console.object(page.fields | {"error": None})
    elif args.markdown is None and args.html is None:
        console.text(printable(as_markdown(page.pages, page.model.name)))
    return 0
