"""A rating in words."""

from __future__ import annotations

import re

import pytest

from jokejudge_gui.core.errors import ErrorInfo
from jokejudge_gui.core.languages import NOT_ENGLISH
from jokejudge_gui.core.pages import Mark, Page, Row, as_lines
from jokejudge_gui.core.verdicts import (
    CheckResult,
    Earlier,
    Heard,
    ModelRef,
    Offence,
    Sense,
    Span,
    Usage,
    Wordplay,
)
from jokejudge_gui.judge.kinds import KINDS, kind_of
from jokejudge_gui.judge.rating.record import (
    Branch,
    CategoryScore,
    FactorScore,
    Node,
    Prose,
    RatingResult,
    ReasoningTree,
    Remark,
    Trial,
)
from jokejudge_gui.judge.rating.words import page
from tests import records
from tests.records import audience

JOKE = "I told my wife she drew her eyebrows too high. She looked surprised at me."
TURN = Span(start=JOKE.index("surprised"), end=JOKE.index(" at me"), text="surprised", p=0.9)


def rated(**fields: object) -> RatingResult:
    return records.rating("1", **{"text": JOKE, "usage": Usage(), "model": None} | fields)


def factor(name: str, standing: float | None = None, **fields: object) -> FactorScore:
    return records.factor(name, standing, **{"expected": 3.2} | fields)


def said(record: RatingResult) -> list[str]:
    """All rows in one line each."""

    def lines(rows: tuple[Row, ...]) -> list[str]:
        found = []
        for row in rows:
            found.append(": ".join(filter(None, (row.name, row.text))) + (f" ({row.beside})" if row.beside else ""))
            found += lines(row.rows)
        return found

    return lines(page(record).rows)


def test_a_lean_of_people_s_votes_is_the_first_line_and_its_trust_stands_at_the_foot() -> None:
    record = rated(audience=audience(81, 55.4, 99.8), turn=TURN, model=ModelRef(name="Small", sha256="a"))
    shown = page(record)
    assert (shown.headline, shown.badge, shown.tone, shown.value) == (
        "Leans to the upper half, 7 in 10", "▲", "high", 81
    )  # fmt: skip
    assert shown.lead == ()
    assert shown.texts[0].marks == (Mark(TURN.start, TURN.end, "turn"),)
    assert shown.foot == ("Small", "0.5 s")
    lines = said(record)
    assert lines[0] == "15 words · 5 s spoken · turn at word 13 · 2 words after it"
    assert "Audience: Leans to the upper half, 7 in 10 (One-liners: picks the funnier of two 62 times in 100)" in lines
    long = said(record.replaced(text=f"{JOKE} {JOKE} {JOKE} {JOKE} {JOKE}"))
    assert "Audience: Leans to the upper half, 7 in 10" in long  # the figure is one of short texts
    lower = page(rated(audience=audience(30, 5, 60, upper=0.3)))
    assert (lower.headline, lower.badge) == ("Leans to the lower half, 7 in 10", "▼")


def test_nearly_even_odds_have_no_words_and_what_it_works_by_comes_first() -> None:
    pun = CategoryScore(id="pun", name="Pun", p=0.9, z=0, chosen=True)
    records = rated(audience=audience(52, 12, 90, upper=0.52), turn=TURN, categories=(pun,)), rated(turn=TURN)
    shown = page(records[0])
    assert (shown.headline, shown.badge) == ("Pun in “surprised”", "○")
    assert "Audience" not in [row.name for row in shown.rows]
    assert not re.search("half|votes", " ".join(as_lines(shown)))
    assert page(records[1]).rows[-1] == Row("No audience estimate for this text.", "Audience", quiet=True)
    play = Wordplay(start=TURN.start, end=TURN.end, text="surprised", second="surmised", link="sound", p=0.9)
    assert page(records[1].replaced(wordplay=play)).headline == "A pun on “surprised”"


def test_doubt_is_said_once_and_nothing_is_taken_for_granted() -> None:
    kind = CategoryScore(id="pun", name="Pun", p=0.9, z=0, chosen=True)
    doubted = rated(
        audience=audience(81, 55, 99), sense=Sense(joke=0.4, whole=0.9, said="unsure"), turn=TURN, categories=(kind,),
        factors=(factor("Wit", 0.95),),
    )  # fmt: skip
    shown = page(doubted)
    assert (shown.headline, shown.badge, shown.texts[0].marks) == ("I may not get this one.", "–", ())
    assert not any(word in line for line in said(doubted) for word in ("Pun", "Wit", "turn at", "Leans"))


def test_at_most_two_factors_stand_out_and_wordplay_is_weak_only_where_it_is_tried() -> None:
    places = {"Wit": 0.99, "Set-up": 0.98, "Surprise": 0.97, "Economy": 0.01, "Wordplay": 0.01}
    factors = tuple(factor(name, place) for name, place in places.items())
    assert [line.split(":")[0] for line in said(rated(factors=factors))][2:4] == ["Wit", "Set-up"]
    weak = rated(factors=factors[4:])
    assert not any("Wordplay" in line for line in said(weak))
    pun = CategoryScore(id="pun", name="Pun", p=0.9, z=0, chosen=True)
    assert "Wordplay: weaker than in 9 of 10 jokes" in said(weak.replaced(categories=(pun,)))


def test_a_callback_is_named_only_where_a_word_comes_back() -> None:
    text = "The brochure promised a view of Dover. I complained about the bath. They hung it next to Dover."
    kind = CategoryScore(id="callback", name="Callback", p=0.9, z=0, chosen=True)
    for words, headline in (("next to Dover", "Callback at “next to Dover”"), ("about the bath", "")):
        start = text.index(words)
        turn = Span(start=start, end=start + len(words), text=words, p=0.9)
        assert page(rated(text=text, turn=turn, categories=(kind,))).headline == headline


@pytest.mark.parametrize(("p", "warned"), [(0.9, True), (0.82, False)])
def test_offence_is_said_where_it_is_likely(p: float, warned: bool) -> None:
    lines = said(rated(offence=Offence(p=p, trust=0.5, stated=True)))
    assert ("Offence: Some would take offence (90 in 100)." in lines) is warned


def test_a_text_without_a_turn_has_no_estimate() -> None:
    record = rated(sense=Sense(joke=0.1, whole=0.9, said="no turn"))
    shown = page(record)
    assert (shown.headline, shown.badge) == ("Nothing turns here that I can find.", "–")
    assert said(record)[0].endswith("no turn found")
    chosen = page(rated(sense=Sense(joke=0.1, whole=0.9, said="no turn"), turn=TURN, asked_turn=(52, 61)))
    assert (chosen.headline, chosen.lead[0]) == (
        "I still hear no turn there.", "The rest is shown as if there were one."
    )  # fmt: skip
    listed = page(rated(text="Milk\nEggs\nBread\nButter\nSoap\nTea", sense=Sense(joke=0.1, whole=0.9, said="no turn")))
    assert listed.headline in ("This isn't a text that I can read as a joke.", "Nothing turns here that I can find.")
    assert page(rated(text="Ha, ha!")).headline == "Too short to read."


def test_a_text_that_isn_t_english_is_said_to_be_so() -> None:
    text = "Ich habe meiner Frau gesagt, dass sie ihre Augenbrauen zu hoch malt. Sie sah überrascht aus."
    shown = page(rated(text=text, audience=audience(81, 55, 99), mean_score=3.0, factors=(factor("Wit"),)))
    assert (shown.headline, shown.value) == (NOT_ENGLISH, None)
    assert shown.lead == ()
    shown = page(rated(text=text, sense=Sense(joke=0.1, whole=0.9, said="no turn"), warnings=(NOT_ENGLISH,)))
    assert (shown.headline, shown.notes, shown.lead) == (NOT_ENGLISH, (), ())
    assert not any("turn" in row.text for row in shown.rows)


def test_a_rejected_text_says_why() -> None:
    failed = CheckResult(check="completeness", p_admit=0.03, passed=False, reliable=True)
    shown = page(rated(admissible=False, rejection="Not clearly a joke: it breaks off.", admissibility=(failed,)))
    assert (shown.headline, shown.lead) == ("Not clearly a joke: it breaks off.", ("So nothing was scored.",))
    assert shown.rows[-1] == Row("completeness 0.03 (failed)", "Admission", quiet=True)
    assert page(rated(text="?! …", admissible=False, admissibility=(failed,))).headline == (
        "This isn't a text that I can read as a joke."
    )


def test_only_what_was_rejected_is_said_to_be_rated_anyway() -> None:
    check = CheckResult(check="intent", p_admit=0.03, passed=False, reliable=True)
    shown = page(rated(admissible=False, forced=True, admissibility=(check,)))
    assert [row.beside for row in shown.rows if row.name == "Admission"] == ["rated anyway"]
    check = CheckResult(check="intent", p_admit=0.95, passed=True, reliable=True)
    shown = page(rated(admissible=True, forced=True, admissibility=(check,)))
    assert not [row for row in shown.rows if row.name == "Admission"]


def test_scores_that_a_model_was_asked_for_are_the_headline_without_an_estimate() -> None:
    asked = CheckResult(check="intent", p_admit=0.9, passed=True, reliable=True)
    factors = (factor("Wit"), factor("Ease", expected=1.0, separates=False), factor("Own words", origin="dynamic"))
    fields = {"everything_asked": True, "admissibility": (asked,), "factors": factors, "pathway": "dynamic"}
    record = rated(**fields, mean_score=2.5, spread=0.4, max_score=3.2, stage_seconds={"scores": 1.0})
    shown = page(record)
    assert (shown.headline, shown.badge, shown.tone) == ("2.5 of 5, as the model scores it", "2.5", "middle")
    assert "Ease: 1.0 of 5 (this model hardly tells jokes apart here)" in said(record)
    assert "Own words: 3.2 of 5 (exploratory: written by the model)" in said(record)
    assert "Mean: 2.5 of 5, give or take 0.4; best factor 3.2" in said(record)
    silent = rated(**fields | {"factors": ()}, stage_seconds={"scores": 1.0})
    assert page(silent).headline == "The model gave no usable answer."


def test_a_deep_rating_shows_its_readings_below_their_findings() -> None:
    node = Node(
        id="wit", name="Wit", before=3.9, after=3.2, error=0.2, doubts=("it hardly answered",),
        branches=(Branch(how="as in quick mode", value=3.8), Branch(how="another wording", value=2.6)),
    )  # fmt: skip
    tree = ReasoningTree(nodes=(node,), used_branches=2, contradictions=("its kinds don't fit",))
    row = next(row for row in page(rated(audience=audience(81, 55, 99), tree=tree)).rows if row.name == "Deep")
    assert row.text == "2 further readings of 1 thing; nothing was in doubt any more."
    assert [one.text for one in row.rows] == ["Contradiction: its kinds don't fit", "Wit: 3.9 of 5 → 3.2 of 5 ± 0.2"]
    assert [(one.text, one.beside) for one in row.rows[1].rows] == [
        ("As in quick mode: 3.8 of 5", ""), ("Another wording: 2.6 of 5", "")
    ]  # fmt: skip


def test_a_rating_that_failed_says_so() -> None:
    error = ErrorInfo(code="E_X", sentence="The model is gone.", hint="Choose another.")
    shown = page(RatingResult(id="1", text=JOKE, error=error))
    assert (shown.headline, shown.notes) == ("No score", ("It ended early: The model is gone. Choose another.",))


@pytest.mark.parametrize(
    ("weights", "how"), [({"wit": 2.0}, "by your weights"), ({}, "by how far each factor can be trusted")]
)
def test_the_weighted_score_says_whose_weights_it_has(weights: dict[str, float], how: str) -> None:
    factors = tuple(factor(name, place) for name, place in (("Wit", 0.999), ("Logic", 0.05), ("Truth", 0.5)))
    record = rated(
        audience=audience(81, 55, 99), weights=weights, weighted_score=3.14, everything_asked=True, factors=factors
    )
    assert f"Weighted: 3.1 of 5, {how}" in said(record)
    rows = next(row for row in page(record).rows if row.name == "What stands out").rows
    assert [(row.name, row.text, row.quiet) for row in rows] == [
        ("Wit", "stronger than in 9 of 10 jokes", False),
    ]
    assert Row("Logic 3.2, Truth 3.2", "Other factors", beside="of 5", quiet=True) in page(record).rows


def test_a_told_joke_isn_t_original_and_a_play_on_a_name_has_one() -> None:
    factors = (factor("Originality", 0.97),)
    assert "Originality: stronger than in 9 of 10 jokes" in said(rated(factors=factors))
    heard = Heard(where="7 of 15 collections", likeness=0.9, same="joke", collections=7, of=15, times=66)
    assert not any("Originality: " in line for line in said(rated(factors=factors, heard=heard)))
    play = CategoryScore(id="name_play", name="Play on a name", p=0.9, z=3.0, chosen=True)
    for text, names in ((JOKE, False), (JOKE.replace("my wife", "Joan"), True)):
        assert any("Play on a name" in line for line in said(rated(text=text, categories=(play,)))) is names


def test_remarks_carry_their_words_and_the_edit_that_they_propose() -> None:
    start = JOKE.index(" at me")
    trial = Trial(kind="cut", text=JOKE.replace(" at me", ""), change="at me", p_better=0.9)
    remarks = (
        Remark(text="“at me” could go.", about="cut", right=0.83, start=start + 1, end=start + 6, trial=trial),
        Remark(text="It surprises.", about="heard", right=0.75),
        Remark(text="It is often wrong.", about="fault", right=0.5),
    )
    prose = Prose(text="Works. The joke works because it does.")
    record = rated(audience=audience(81, 55, 99), remarks=remarks, prose=prose)
    shown: Page = kind_of(record).words(record)
    assert shown.texts[0].marks == (Mark(start + 1, start + 6, "cut"),)
    assert said(record)[1:4] == [
        "Try: “at me” could go. (right in 8 of 10)", trial.text, "Works: It surprises. (right in 7 of 10)"
    ]  # fmt: skip
    assert shown.rows[-1].beside == "Written by the model: don't rely on it."
    assert KINDS["rate"].glance(record).headline == shown.headline


@pytest.mark.parametrize(
    ("count", "same", "headline", "row"),
    [
        (4, "joke", "Widely told.", ["The same joke stands in 4 of 9 collections."]),
        (3, "punchline", "Widely told.", ["The same punchline stands in 3 of 9 collections."]),
        (2, "joke", "Leans to the upper half, 7 in 10", ["The same joke stands in 2 of 9 collections."]),
        (1, "joke", "Leans to the upper half, 7 in 10", ["The same joke stands in 1 of 9 collections."]),
        (0, "joke", "Leans to the upper half, 7 in 10", []),
    ],
)
def test_the_page_says_where_a_joke_is_told_and_first_if_in_several_places(
    count: int, same: str, headline: str, row: list[str]
) -> None:
    told = {"where": f"{count} of 9 collections", "likeness": 0.9, "same": same, "collections": count, "of": 9}
    heard = Heard.model_validate(told) if count else None
    shown = page(rated(heard=heard, audience=audience(70.0, 52.0, 95.0)))
    assert shown.headline == headline
    nowhere = page(rated(heard=heard, sense=Sense(joke=0.1, whole=0.9, said="no turn")))
    for one in (shown, nowhere):
        assert [found.text for found in one.rows if found.name == "Heard before"] == row


def test_an_own_earlier_text_stands_beside_it_with_the_words_that_both_have() -> None:
    own = Earlier(id="0123456789", day="2026-03-03", text="My kettle sighs before tea.", likeness=0.8)
    shown = page(rated(text="Before tea, our kettle always sighs.", yours=own))
    [row] = [one for one in shown.rows if one.name == "Yours"]
    assert (row.text, row.beside) == ("Like yours of 3 March 2026.", "01234567")
    earlier = shown.texts[1]
    assert earlier.label == "Yours of 3 March 2026"
    assert [earlier.text[mark.start : mark.end] for mark in earlier.marks] == ["kettle sighs before tea"]
