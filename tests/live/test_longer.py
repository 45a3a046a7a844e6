"""Longer texts on the embedded model."""

from __future__ import annotations

from pathlib import Path

from jokejudge_gui import JokeJudge
from jokejudge_gui.core.words import sentences

from .conftest import NewProfile

BIT = (
    "I live in a very small flat. When I bend over to tie my shoes, I'm in a different postcode. The estate agent "
    "called it a studio. I've been in there two years and I haven't recorded anything. He said the kitchen was "
    "compact. You can cook or you can breathe. I have a neighbour upstairs who walks around at night in what I "
    "believe are flowerpots. I've never met him. I went up once to complain, and I could hear him hiding. There is a "
    "smoke alarm, and it goes off whenever I make toast. I don't own a toaster. The rent went up this year. I asked "
    "the landlord why, and he said it was because of the area. I said, what's happened to the area? He said, it's "
    "where you live now."
)
PLAIN = (
    "We moved in at the end of October, so we didn't really see the garden until the spring. The previous owners had "
    "left everything to grow. There was a pond under the brambles, which the survey hadn't mentioned, and behind it a "
    "row of six apple trees that somebody must have planted in the thirties. We cut back the brambles first. That "
    "took three weekends. Then my brother-in-law came with a pump, and we cleared the pond. There were newts in it, so "
    "we had to stop and ask the council what we were allowed to do. They sent us a leaflet and the name of a woman who "
    "comes and counts them. In August we picked the first apples, and we gave most of them to the neighbours."
)


def test_a_bit_has_its_laughs_and_a_plain_text_of_its_length_none(
    new_profile: NewProfile, embedded_model: Path
) -> None:
    folder = new_profile("longer").data
    (folder / "models").symlink_to(embedded_model.parent)
    with JokeJudge(data_dir=folder, threads=1, jobs=1) as judge:
        bit, plain = judge.rate_joke(BIT), judge.rate_joke(PLAIN)
    laughs, sense, other = bit.laughs, bit.sense, plain.sense
    assert [(one.start, one.end) for one in laughs] == list(sentences(BIT))
    assert sense.said == "joke"
    assert [BIT[one.start : one.end] for one in laughs if one.mark == "likely"]
    assert other.said != "joke"
    assert not [one for one in plain.laughs if one.mark == "likely"]
