"""What can be typed after ``jokejudge history``, ``votes`` and ``models``."""

from __future__ import annotations

from .parser import Adder, Parser, choice, rows, some, words


def _filters(parser: Parser) -> None:
    kinds = ("rate", "duel", "contest", "workshop", "audit", "template")
    parser.add_argument("--kind", choices=kinds, help="only verdicts of this kind")
    parser.add_argument(
        "--status",
        choices=("finished", "failed", "cancelled", "interrupted", "running"),
        help="only rows of this status",
    )
    parser.add_argument("--starred", action="store_true", help="only starred ones")
    parser.add_argument("--tag", metavar="TAG", type=words, help="only those with this tag")
    parser.add_argument(
        "--sort", choices=("newest", "oldest", "score_high", "score_low"), default="newest", help="order"
    )


def _paging(parser: Parser) -> None:
    parser.add_argument("--limit", metavar="N", type=rows, default=20, help="show at most N (20)")
    parser.add_argument("--offset", metavar="N", type=rows, default=0, help="leave out the first N")


def history_commands(add: Adder) -> None:
    """The commands under ``jokejudge history``."""
    leaf = add("list", "the newest verdicts")
    _filters(leaf)
    _paging(leaf)
    leaf = add("search", "verdicts whose texts, note, tags or explanation hold these words")
    leaf.add_argument("words", nargs="+", metavar="WORD", type=words)
    _filters(leaf)
    _paging(leaf)
    leaf = add("show", "one verdict, whole")
    leaf.add_argument("id", metavar="ID|last", type=words)
    leaf = add("leaderboard", "which group of a contest's jokes is the funnier one: models, authors, prompts")
    leaf.add_argument("id", metavar="ID|last", type=words)
    leaf.add_argument("--by", metavar="COLUMN", type=words, help="column of the list; needed where it has several")
    leaf.add_argument("--export", metavar="FILE", help="write it to a .csv, .jsonl, .md or .html file")
    leaf = add("star", "star a verdict")
    leaf.add_argument("id", metavar="ID|last", type=words)
    leaf.add_argument("--off", action="store_true", help="take the star away")
    leaf = add("mark", "say of jokes of a contest: keep, bin, star, tag")
    leaf.add_argument("id", metavar="ID|last", type=words)
    leaf.add_argument("jokes", nargs="+", metavar="JOKE", type=words, help="ids of jokes in the contest's list")
    marks = leaf.add_mutually_exclusive_group()
    marks.add_argument("--keep", dest="mark", action="store_const", const="keep", help="keep them")
    marks.add_argument("--bin", dest="mark", action="store_const", const="bin", help="bin them")
    marks.add_argument("--undecided", dest="mark", action="store_const", const="none", help="neither keep nor bin them")
    leaf.add_argument("--star", action="store_const", const=True, help="star them")
    leaf.add_argument("--no-star", dest="star", action="store_const", const=False, help="take their stars away")
    leaf.add_argument("--tags", metavar="A,B", type=words, help="set their tags; an empty text takes them away")
    leaf = add("tag", "set a verdict's tags; without any, take them away")
    leaf.add_argument("id", metavar="ID|last", type=words)
    leaf.add_argument("tags", nargs="*", metavar="TAG", type=words)
    leaf = add("note", "set a verdict's note; an empty one takes it away")
    leaf.add_argument("id", metavar="ID|last", type=words)
    leaf.add_argument("text", metavar="TEXT", type=words)
    leaf = add("delete", "delete verdicts; undo brings them back")
    leaf.add_argument("ids", nargs="+", metavar="ID", type=words)
    add("undo", "bring the last deleted verdicts back")
    add("purge", "really remove what was deleted, and what was typed and never judged; this can't be undone")
    leaf = add("export", "write verdicts to a file")
    leaf.add_argument("out", metavar="FILE")
    leaf.add_argument(
        "--format",
        choices=("csv", "jsonl", "markdown", "html"),
        help="the format; without it the ending of the file's name says it",
    )
    leaf.add_argument("--search", metavar="WORDS", type=words, default="", help="only verdicts that hold these words")
    _filters(leaf)
    leaf = add("rerun", "judge the same text again, as a new verdict")
    leaf.add_argument("id", metavar="ID|last", type=words)


def vote_commands(add: Adder) -> None:
    """The commands under ``jokejudge votes``."""
    leaf = add("add", "say what you think of a verdict: up or down of a rating, A or B of a duel")
    leaf.add_argument("id", metavar="ID|last", type=words)
    leaf.add_argument("choice", metavar="up|down|A|B", type=choice)
    leaf.add_argument("--blind", action="store_true", help="you made up your mind before you saw the verdict")
    leaf.add_argument(
        "--joke", dest="jokes", action="append", metavar="JOKE", type=words, default=[],
        help="of a contest: the id of a joke (up or down), given twice for two (A is the first)",
    )  # fmt: skip
    leaf = add("undo", "take a vote back")
    leaf.add_argument(
        "id", metavar="ID|last", type=words, help="id of the vote or of its verdict; last: the newest vote"
    )
    leaf = add("list", "the newest votes")
    leaf.add_argument("--limit", metavar="N", type=rows, default=20, help="show at most N (20)")
    add("fit", "what your votes say about your taste, and how sure that is")
    leaf = add("export", "write all votes to a file")
    leaf.add_argument("out", metavar="FILE.csv|FILE.jsonl")
    leaf = add("delete", "remove all votes for good")
    leaf.add_argument("--yes", action="store_true", help="without this nothing is removed")
    add("on", "show your taste beside verdicts")
    add("off", "don't show it, and don't ask for votes in the window; votes are kept")


def model_commands(add: Adder) -> None:
    """The commands under ``jokejudge models``."""
    add("list", "models in the catalogue and on this computer")
    leaf = add("use", "judge with this model from now on")
    leaf.add_argument("spec", metavar="PATH|NAME|embedded")
    leaf = add("get", "fetch a model from the catalogue (uses the network)")
    leaf.add_argument("name", metavar="NAME", type=words)
    leaf = add(
        "panel",
        "several models that judge together, under a name: add NAME MODEL…, rename OLD NEW, list, remove NAME, "
        "memory GB",
    )
    leaf.add_argument("action", metavar="add|rename|list|remove|memory", type=words)
    leaf.add_argument("given", nargs="*", metavar="NAME MODEL|GB", type=words)
    add("find", "GGUF files that other programs keep on this computer")
    leaf = add("requantise", "make a faster copy in Q8_0 of a model whose quantisation is slow here")
    leaf.add_argument("spec", metavar="PATH|NAME")
    leaf.add_argument("--out", metavar="FILE", help="where to write it; without it, among the program's own models")
    add("warm", "load the model and prepare its prompts, so that the next verdict is quick")
    add("calibrate", "measure the model's habits now, instead of with the first verdict")
    _fit(
        add(
            "fit",
            "fit an audience estimate to people's votes; it is kept only if it does well on votes that were left out",
        )
    )
    leaf = add("trust", "how far a model can be trusted")
    leaf.add_argument("spec", metavar="NAME", nargs="?", help="path or name; without it the model in use")
    leaf = add("compare", "two models on the same rows that people judged, with a paired test")
    leaf.add_argument("specs", metavar="MODEL", nargs=2, type=words, help="path or name of each; embedded is one, too")
    leaf.add_argument(
        "--list", metavar="FILE", action="append",
        help="pairs or ratings as for evaluate, or readings (.jsonl); several may be given; without it, jokes that "
        "come with the program",
    )  # fmt: skip
    leaf.add_argument("--limit", metavar="N", type=some, help="judge at most N rows of each file, drawn at random")
    leaf.add_argument("--html", metavar="OUT.html", help="write the comparison as one web page")
    leaf.add_argument("--items", metavar="OUT.csv", help="write a table of the rows: people's word and both models'")
    leaf = add("card", "all that was measured of a model on one page, and what it is not for")
    leaf.add_argument("spec", metavar="NAME", nargs="?", help="path or name; without it the model in use")
    leaf.add_argument("--markdown", metavar="OUT.md", help="write it as Markdown")
    leaf.add_argument("--html", metavar="OUT.html", help="write it as one web page")
    leaf = add("plan", "what each part of a verdict is worth on a model, and where it comes from")
    leaf.add_argument("spec", metavar="NAME", nargs="?", help="path or name; without it the model in use")
    leaf.add_argument("--measure", action="store_true", help="measure first what asking the model adds (takes minutes)")

    leaf = add("listeners", "which listeners a model tells apart, so that it can be asked whether they would laugh")
    leaf.add_argument("spec", metavar="NAME", nargs="?", help="path or name; without it the model in use")
    leaf.add_argument("--measure", action="store_true", help="measure it first (takes minutes)")
    leaf.add_argument(
        "--listener", dest="listeners", action="append", metavar="NAME", type=words, default=[],
        help="with --measure: only this one, by name or in your own words",
    )  # fmt: skip

    leaf = add("deep", "what Deep adds to Quick on a model, and what it costs")
    leaf.add_argument("spec", metavar="NAME", nargs="?", help="path or name; without it the model in use")
    leaf.add_argument("--measure", action="store_true", help="measure it first (minutes); Ctrl+C keeps what is done")
    leaf.add_argument(
        "--texts", metavar="N", type=rows, default=60, help="judge N jokes, and N pairs, by both modes (60)"
    )
    leaf.add_argument(
        "--ask", choices=("plan", "all"), default="plan",
        help="what is asked: what the model's plan holds, or every question",
    )  # fmt: skip


def _fit(leaf: Parser) -> None:
    leaf.add_argument("name", metavar="NAME", nargs="?", help="the model, as for --model; otherwise the one in use")
    labelled(leaf)
    leaf.add_argument("--only-given", action="store_true", help="don't learn from the votes that come with the program")
    leaf.add_argument("--remove", action="store_true", help="delete the estimate that was fitted on this computer")
    leaf.add_argument(
        "--editor", action="store_true", help="learn to read jokes with the model, as an editor reads them"
    )
    leaf.add_argument("--again", action="store_true", help="with --editor: learn anew what is there already")


def labelled(leaf: Parser) -> None:
    """Files that people judged."""
    leaf.add_argument(
        "--pairs", metavar="FILE.csv", action="append",
        help="columns text_a,text_b and winner (A, B or tie) or votes_a,votes_b; may be given several times",
    )  # fmt: skip
    leaf.add_argument(
        "--ratings", metavar="FILE.csv", action="append",
        help="columns text and rating (or humor_rating, mean_grade, funniness, bws_score, log_score), and is_humor if "
        "it is known; may be given several times",
    )  # fmt: skip
