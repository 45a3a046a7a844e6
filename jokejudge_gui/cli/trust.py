"""``jokejudge models trust`` and ``card``: how far a model can be trusted."""

from __future__ import annotations

from ..core.files import sha256_of
from ..core.pages import as_markdown
from ..core.verdicts import ModelRef
from ..library.catalogue import load_catalogue
from ..library.embedded import EMBEDDED_NAME, EMBEDDED_SHA256
from ..library.finder import resolve_model
from ..measure.model.figures import TrustFiles, model_page
from . import options
from .console import printable
from .context import Context
from .options import command
from .running import waiting

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
        with waiting(context.console, f"Reading {file.name}"):
            sha256 = sha256_of(file.path)
    return ModelRef(name=file.name, sha256=sha256)


@command("card")
@options.model_spec
def card(context: Context) -> int:
    """Print the card of the named model, or of the one in use, as Markdown. Exit status 0, also if nothing was
    measured."""
    console = context.console
    page = model_page(named_model(context, TrustFiles(context.profile)), context.profile)
    if console.json:
        return console.answer(page.fields)
    console.text(printable(as_markdown(page.pages, page.model.name)))
    return 0
