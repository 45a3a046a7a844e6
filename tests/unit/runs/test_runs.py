"""What is known of a model: by the card that ships, or by one's own."""

from __future__ import annotations

import json

from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.verdicts import ModelRef
from jokejudge_gui.library.embedded import EMBEDDED_SHA256
from jokejudge_gui.measure.model.figures import ModelTrust, measured_models
from jokejudge_gui.measure.model.words import line

EMBEDDED = ModelRef(name="SmolLM2", sha256=EMBEDDED_SHA256)


def test_the_shipped_card_is_found(profile: Profile) -> None:
    trust = ModelTrust(EMBEDDED, profile)
    assert not trust.card.own
    assert EMBEDDED_SHA256 in [model.sha256 for model in measured_models(profile)]
    assert line(trust.card) == "agrees with most people in 66 of 100 pairs of one-liners"
    assert line(ModelTrust(ModelRef(name="", sha256="e" * 64), profile).card) == ""


def test_with_a_head_of_ones_own_the_shipped_card_only_says_how_it_tells_jokes_from_other_texts(
    profile: Profile,
) -> None:
    shipped = ModelTrust(EMBEDDED, profile).card
    profile.heads.mkdir(parents=True)
    (profile.heads / f"{EMBEDDED_SHA256[:16]}.npz").write_bytes(b"")
    found = ModelTrust(EMBEDDED, profile)
    assert (found.card, found.own_head) == (None, True)
    profile.cards.mkdir()
    card = {"model": EMBEDDED.model_dump(), "agreement": 0.61}
    (profile.cards / f"{EMBEDDED_SHA256[:16]}.json").write_text(json.dumps(card), encoding="utf-8")
    own = ModelTrust(EMBEDDED, profile).card
    assert (own.own, own.agreement, own.kinds) == (True, 0.61, ())
    assert own.joke == shipped.joke is not None
