"""Lists of jokes are understood as people write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from jokejudge_gui.batch.lists import Choices, read_list
from jokejudge_gui.core.errors import InputError
from jokejudge_gui.core.tables import Table, TextSource


def texts(source: str, name: str = "") -> list[str]:
    return [item.text for item in read_list(source, name).jokes]


def test_an_item_may_have_several_lines() -> None:
    assert texts("1. Knock knock.\n   Who's there?\n2. Another.\n\n3. Third.") == [
        "Knock knock.\nWho's there?",
        "Another.",
        "Third.",
    ]


def test_a_line_that_leads_to_the_list_is_left_out_and_told() -> None:
    found = read_list("Here are three jokes about cows:\n\n1. One.\n2. Two.\n3. Three.")
    assert found.left_out == ((1, "Here are three jokes about cows:", "a preamble"),)
    assert found.sentence == "3 jokes found, 1 left out"
    assert found.reasons() == ["Line 1 is left out as a preamble: Here are three jokes about cows:"]


def test_blank_lines_divide_jokes_of_several_lines() -> None:
    found = read_list("A man walks into a bar.\nOuch.\n\nOne line.\n\n\nQ: Why?\nA: Because.")
    assert found.form == "blocks"
    assert [item.text.count("\n") for item in found.jokes] == [1, 0, 1]


def test_the_form_can_be_said() -> None:
    source = "One.\nTwo.\n\nThree."
    assert [item.text for item in read_list(source, choices=Choices("lines")).jokes] == ["One.", "Two.", "Three."]
    assert [item.text for item in read_list(source, choices=Choices("blocks")).jokes] == ["One.\nTwo.", "Three."]


def test_a_table_keeps_its_ids_and_other_columns() -> None:
    found = read_list('id,text,author\na,"One, two.",Ann\nb,,Bob\nc,"One, two.",Cem\n')
    assert found.form == "csv"
    assert [item.id for item in found.items] == ["a", "b", "c"]
    assert found.items[0].columns == {"author": "Ann"}
    assert found.items[2].same_as == "a"
    assert found.sentence == "1 joke found, 1 empty, 1 the same"


def test_what_is_empty_the_same_or_broken_is_told() -> None:
    found = read_list("1. One.\n2.\n3. One.\n4. Two.\n5. T\0wo.")
    assert found.sentence == "2 jokes found, 1 empty, 1 the same, 1 that can't be read"
    assert [item.id for item in found.jokes] == ["1", "4"]
    assert len(found.items) == 5


LINES = [f"My {animal} has opinions about the weather." for animal in (
    "heron", "badger", "otter", "lobster", "pigeon", "donkey", "walrus", "hamster", "gecko", "moth",
    "ferret", "camel", "beetle", "magpie", "salmon", "weasel", "python", "canary", "iguana", "marmot",
)]  # fmt: skip


DIRTY = """Sure! Here are 200 jokes about animals

- My heron has opinions.
17) My badger has opinions.
3. "My otter has opinions."
* My heron has opinions.

I'm sorry, but I can't write jokes about that.
“My lobster has opinions.”
Let me know if you'd like more!"""


def test_mixed_markers_quotes_preambles_and_refusals_go_and_twins_behind_different_numbers_are_seen() -> None:
    listed = read_list(DIRTY)
    animals = ("heron", "badger", "otter", "lobster")
    assert [item.text for item in listed.jokes] == [f"My {one} has opinions." for one in animals]
    assert listed.sentence == "4 jokes found, 1 the same, 3 left out"
    assert [(line, why) for line, _, why in listed.left_out] == [(1, "a preamble"), (8, "a refusal"), (10, "a remark")]
    kept = read_list(DIRTY, choices=Choices(strip=False))
    assert kept.items[0].text.startswith("Sure! Here are 200 jokes")
    assert not kept.left_out


def test_a_bad_row_is_listed_with_its_reason_while_the_rest_is_read() -> None:
    listed = read_list('{"text": "One."}\n{"text": \n{"text": "Three."}\n[1]', "x.jsonl")
    assert [item.text for item in listed.jokes] == ["One.", "Three."]
    assert listed.reasons() == [
        "Line 2 of x.jsonl isn't whole JSON.",
        "Line 4 of x.jsonl holds neither a text nor an object.",
    ]
    with pytest.raises(InputError, match="Line 1 of the list isn't whole JSON"):
        read_list('{"text": \n{"text": ')


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("Nr;Witz;Likes\n1;A cow walks into a bar.;12\n2;A sow walks into a spa.;3\n", "witze.csv"),
        ('{"Nr": 1, "Witz": "A cow walks into a bar."}\n{"Nr": 2, "Witz": "A sow walks into a spa."}', "witze.jsonl"),
    ],
)
def test_the_column_of_the_jokes_is_guessed_by_its_texts_told_and_may_be_chosen(source: str, name: str) -> None:
    listed = read_list(source, name)
    assert [item.text for item in listed.jokes] == ["A cow walks into a bar.", "A sow walks into a spa."]
    assert listed.column.lower() == "witz"
    assert any("was taken for the jokes" in note for note in listed.notes)
    assert [item.text for item in read_list(source, name, Choices(text_column="Nr")).items] == ["1", "2"]


def test_a_pasted_table_is_one_by_its_separator() -> None:
    source = "Nr;Witz\n1;A cow walks into a bar.\n2;A sow, and a spa.\n"
    listed = read_list(source, choices=Choices("semicolon"))
    assert [item.text for item in listed.jokes] == ["A cow walks into a bar.", "A sow, and a spa."]
    assert listed.columns == ("Nr", "Witz")
    assert read_list(source).items == listed.items  # or by its first line
    sentences = "Knock, knock; who's there at this hour?\nA cow; a goat.\nOne; two."
    assert read_list(sentences).form == "lines"


def test_strays_after_a_numbered_list_are_jokes_and_frames_and_nothing_is_lost_in_its_last_item() -> None:
    numbered = [f"{n}) {line}" for n, line in enumerate(LINES, start=1)]
    listed = read_list(
        "\n".join(
            [*numbered, f"- “{LINES[0]}”", "I'm sorry, but I can't joke about that.", "Let me know if you need more!"]
        )
    )
    assert [item.text for item in listed.jokes] == LINES
    assert listed.sentence == "20 jokes found, 1 the same, 2 left out"
    dialogue = "1. Doctor!\n- Yes?\n- I'm a pair of curtains.\n2. Waiter!\n- Yes?\n- A fly."
    assert len(read_list(dialogue).jokes) == 2


def test_any_marked_line_is_a_joke_of_its_own_where_most_are_and_bold_marks_and_labels_go() -> None:
    numbered = [f"{n}. {line}" for n, line in enumerate(LINES, start=1)]
    strays = ["21. - I have a split personality.", "* I threw a boomerang.", "• My phone forgets.", "- My cat, too."]
    strays += ["* 21. My ex said that I never listen."]
    dirty = [
        f"22. **{LINES[0]}**",
        "23. Joke 23: My **very** big dog.",
        "**24. Joke #24 - What the f**k is a s**t?**",
        '25) "I tried to catch fog, but I mist."',
        "25. Knock, knock.",
        "- Who's there?",
        "26. Add this:",
        "   - salt",
    ]
    listed = read_list("\n".join([*numbered, *strays, *dirty]))
    own = [
        "I have a split personality.",
        "I threw a boomerang.",
        "My phone forgets.",
        "My cat, too.",
        "My ex said that I never listen.",
    ]
    last = [
        "My very big dog.",
        "What the f**k is a s**t?",
        "I tried to catch fog, but I mist.",
        "Knock, knock.\n- Who's there?",
        "Add this:\n- salt",
    ]
    assert [item.text for item in listed.jokes] == [*LINES, *own, *last]
    assert listed.items[25].same_as == "1"
    mixed = ["* 21. My ex never listens.", '4) "I tried to catch fog."', "- My cat, too.", "7. My dog sued."]
    plain = ["My ex never listens.", "I tried to catch fog.", "My cat, too.", "My dog sued."]
    assert [item.text for item in read_list("\n".join(mixed)).items] == plain
    kept = read_list("One **bold** joke.\nJoke 2: two.", choices=Choices(strip=False))
    assert [item.text for item in kept.items] == ["One **bold** joke.", "Joke 2: two."]


@pytest.mark.parametrize("encoding", ["utf_16_le", "utf_16_be"])
@pytest.mark.parametrize("joke", ["A duck walks into a bar.\n", "Колобок повесился, а медведь вышел из леса и сел.\n"])
def test_utf_16_without_a_mark_is_recognised(tmp_path: Path, joke: str, encoding: str) -> None:
    (tmp_path / "list").write_bytes(joke.encode(encoding))
    source = TextSource(str(tmp_path / "list"))
    assert source.whole() == joke
    assert source.notes[0].endswith("read as UTF-16.")


@pytest.mark.parametrize(
    ("encoding", "name", "joke"),
    [
        ("cp1250", "Windows-1250", "Przychodzi baba do lekarza, a lekarz też baba.\n"),
        ("cp1251", "Windows-1251", "Буратино утонул.\n"),
        ("cp1252", "Windows-1252", "¿Qué hace una abeja en el gimnasio? ¡Zum-ba!\n"),
        ("koi8_r", "KOI8-R", "Буратино утонул.\n"),
        ("cp932", "Shift-JIS", "ねこがねころんだ\n"),
        ("euc_jp", "EUC-JP", "ふとんがふっとんだ\n"),
    ],
)
def test_one_short_joke_tells_the_encoding(tmp_path: Path, encoding: str, name: str, joke: str) -> None:
    (tmp_path / "list").write_bytes(joke.encode(encoding))
    source = TextSource(str(tmp_path / "list"))
    assert source.whole() == joke
    assert source.notes[0].endswith(f"it was read as {name}.")


@pytest.mark.parametrize("file", ["jokes.csv", "jokes.txt"])
def test_a_header_with_a_nul_character_is_no_joke(tmp_path: Path, file: str) -> None:
    (tmp_path / file).write_bytes(b"id,te\0xt\n1,A duck walks into a bar.\n")
    with pytest.raises(InputError) as error:
        Table(TextSource(str(tmp_path / file)))
    assert error.value.code == "E_INPUT_NUL"


def test_a_list_with_bullets_behind_one_with_numbers_is_read_too() -> None:
    numbered = [f"{number}. Numbered joke {number}." for number in range(1, 21)]
    bulleted = [f"- Bulleted joke {number}." for number in range(1, 13)]
    read = read_list("\n".join([*numbered, "", "Here are some more:", "", *bulleted]))
    assert len(read.jokes) == 32
    assert read.jokes[20].text == "Bulleted joke 1."
    assert [why for _, _, why in read.left_out] == ["a preamble"]


def test_lines_with_all_sorts_of_marks_are_a_joke_each() -> None:
    """As a stranger pasted them; a dialogue and a quoted reply stay with their joke."""
    dirty = ["Sure! Here are some jokes:", "", "1. The gym.", "- A suitcase.", '3) "A telegram."', "**4.** A memory."]
    dirty += ["• “The mould.”", "6. She asked:", '"Why?"', "7. Knock, knock.", "- Who's there?", "8. A bank."]
    dirty += [
        '"The boss."',
        "10. A yacht.",
        "As an AI language model, I cannot make jokes about religion.",
        "* The priest.",
    ]
    own = ["The gym.", "A suitcase.", "A telegram.", "A memory.", "The mould.", 'She asked:\n"Why?"']
    own += ["Knock, knock.\n- Who's there?", "A bank.", "The boss.", "A yacht.", "The priest."]
    read = read_list("\n".join(dirty))
    assert [item.text for item in read.items] == own
    assert [why for _, _, why in read.left_out] == ["a preamble", "a refusal"]
