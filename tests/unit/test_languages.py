"""English, or clearly something else."""

from __future__ import annotations

import pytest

from jokejudge_gui.core.languages import is_english
from jokejudge_gui.rubric.xml_parser import load_criteria


@pytest.mark.parametrize(
    "text",
    [
        "Warum gehen Ameisen nicht in die Kirche? Weil sie Insekten sind.",
        "Pourquoi les plongeurs plongent-ils toujours en arrière ? Parce que sinon ils tombent dans le bateau.",
        "¿Qué le dice un pez a otro pez? Nada, porque está en el agua.",
        "Mein Arzt sagt, ich soll mehr Sport treiben. Jetzt schaue ich zwei Sendungen hintereinander.",
        "Treffen sich zwei Jäger. Beide tot.",
        "Perché il pomodoro non dorme? Perché l'insalata russa è nella stanza.",
        "Почему программисты путают Хэллоуин и Рождество?",
        "なぜ鶏は道路を渡ったのですか。",
        "Waarom heeft een giraf een lange nek? Omdat zijn hoofd niet op de romp van het dier zit.",
    ],
)
def test_another_language_is_seen(text: str) -> None:
    assert not is_english(text)


@pytest.mark.parametrize(
    "text",
    [
        "A funny cow! LOL!!!",
        "404",
        "Déjà vu is French for gin.",
        "La la la, said the tenor.",
        "Parallel lines. So sad.",
        "¡Olé!",
    ],
)
def test_english_and_what_can_not_be_told_pass(text: str) -> None:
    assert is_english(text)


def test_every_example_of_the_criteria_is_english() -> None:
    criteria = load_criteria(None)
    texts = [category.example for category in criteria.categories] + list(criteria.contrast.baseline)
    assert [text for text in texts if not is_english(text)] == []
