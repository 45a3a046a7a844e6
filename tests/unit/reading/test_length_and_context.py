"""What length adds is taken out where it is asked for; a text behind a topic or scene has a head of its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from jokejudge_gui.core import paths
from jokejudge_gui.core.errors import InputError, ModelError
from jokejudge_gui.core.texts import clean_context
from jokejudge_gui.engine.base import CancelToken, FloatArray, Prompt
from jokejudge_gui.heads.audience import AudienceHead, Features
from jokejudge_gui.judge.reader import MAY_BE_HEADLINE, Reader
from jokejudge_gui.library.embedded import EMBEDDED_SHA256
from tests.fake_engine import FakeEngine

HEADS = paths.models_dir() / "heads"
SIZE = 576
ADAPTER = HEADS / "context" / f"{EMBEDDED_SHA256[:16]}.lora"
ONE_LINER = (1.0, 0.0, 0.0, 0.0, 0.0)


class Wide(FakeEngine):
    """States of the embedded model's size that depend on the text and on what stands before it."""

    def embed(
        self, texts: object, cancel: CancelToken | None = None, *, prompt: Prompt = (), adapter: Path | None = None
    ) -> list[FloatArray]:
        found = []
        self.adapters = [*getattr(self, "adapters", []), adapter]
        for text in texts:  # type: ignore[attr-defined]
            seed = "".join(segment.text for segment in prompt) + text
            chance = np.random.default_rng(list(seed.encode()))
            found.append(chance.normal(size=(len(self.spans(text)), SIZE)).astype(np.float32))
        return found


@pytest.fixture(scope="module")
def head() -> AudienceHead:
    found = AudienceHead.find(EMBEDDED_SHA256, HEADS)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def contextual() -> AudienceHead:
    found = AudienceHead.find(EMBEDDED_SHA256, HEADS / "context")
    assert found is not None
    return found


def test_of_two_one_liners_that_score_alike_the_longer_one_loses_what_its_length_gave(head: AudienceHead) -> None:
    same = Features((0.7, 0.0, 0.0, 0.0, 0.0), ONE_LINER)
    assert head.difference(same, same) == 0.0
    assert head.difference(same, same, 40.0) < -0.3
    assert head.difference(same, same, 0.0) == 0.0
    assert head.difference(same, same, 1e9) == pytest.approx(head.difference(same, same, 1e6))


def test_a_text_behind_a_scene_is_judged_by_the_head_for_that(head: AudienceHead, contextual: AudienceHead) -> None:
    engine = Wide()
    reader = Reader(engine, head, contextual=contextual)
    scene = "A moose in a lift."
    plain, first, second = (
        reader.read("I said moose."),
        reader.read("I said moose.", context=scene),
        reader.read("Going up?", context=scene),
    )
    assert plain.in_context is None
    assert first.features.scores == plain.features.scores
    assert second.in_context is not None
    assert reader.difference(first, second) == contextual.difference(first.in_context, second.in_context)
    assert reader.difference(first, second) == -reader.difference(second, first)
    assert reader.read("I said moose.", context=scene) is first
    elsewhere = reader.read("I said moose.", context="A lift.").in_context
    assert elsewhere.scores != first.in_context.scores
    assert not any(engine.adapters)  # the maps that ship were fitted on the plain model's states


@pytest.mark.parametrize("content", [b"another adapter", None])
def test_a_head_is_not_used_with_another_adapter_or_without_one(content: bytes | None, tmp_path: Path) -> None:
    stem = EMBEDDED_SHA256[:16]
    (tmp_path / f"{stem}.npz").write_bytes((HEADS / "context" / f"{stem}.npz").read_bytes())
    if content is not None:
        (tmp_path / f"{stem}.lora").write_bytes(content)
    with pytest.raises(ModelError) as raised:
        AudienceHead.find(EMBEDDED_SHA256, tmp_path)
    assert raised.value.code == "E_FILE_DAMAGED"


def test_a_line_in_the_form_of_a_headline_is_read_once_more_for_satire(
    head: AudienceHead, contextual: AudienceHead
) -> None:
    engine = Wide()
    reader = Reader(engine, head, contextual=contextual)
    kind = head.kinds.index("headlines")
    read = [reader.read(f"Council Votes To Keep Bridge Number {number}") for number in range(24)]
    headlines = [one for one in read if one.features is not None and one.features.kinds[kind] >= MAY_BE_HEADLINE]
    assert 0 < len(headlines) < len(read)
    assert [one for one in read if one.satire is not None] == headlines
    assert [adapter for adapter in engine.adapters if adapter] == [ADAPTER] * len(headlines)
    a, b = headlines[:2]
    there, back = reader.compare_drafts(a.text, b.text), reader.compare_drafts(b.text, a.text)
    assert (there.log_odds_a, there.p_a) == (-back.log_odds_a, 1.0 - back.p_a)
    assert (there.log_odds_a > 0) == ((a.satire or 0.0) > (b.satire or 0.0))
    assert contextual.satire(engine, a.text) == contextual.satire(engine, f"{a.text.upper()}.")


def test_a_context_is_one_line_and_no_longer_than_can_be_read(tmp_path: Path) -> None:
    assert clean_context("  A moose\r\n in a lift. ") == "A moose in a lift."
    assert clean_context(" \n") == ""
    with pytest.raises(InputError):
        clean_context("moose " * 1000)
