"""Share of whole factors among those that a model writes under the grammar, and the seconds for writing one.

python -m tests.bench.factors [NUMBER] [--model FILE]
"""

from __future__ import annotations

import argparse
import sys
import time
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.paths import Profile, models_dir
from jokejudge_gui.judge.rating.factor_writer import FactorWriter
from jokejudge_gui.learning.editor_data import read_readings
from jokejudge_gui.session.session import Session


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("number", nargs="?", type=int, default=200)
    parser.add_argument("--model")
    args = parser.parse_args()
    texts = read_readings(models_dir() / "readings" / "readings.jsonl").texts
    with TemporaryDirectory() as folder:
        session = Session(Profile.at(Path(folder)), Settings())
        for _ in session.load(args.model):
            pass
        judge = session.judge
        if judge is None:
            print("The model can't be loaded.", file=sys.stderr)
            return 1
        whole, names, began = 0, set(), time.monotonic()
        for number, text in enumerate(islice(texts, args.number), start=1):
            found = FactorWriter(judge, number).written(text)
            whole += found is not None
            names.add(found.name.lower() if found else "")
            if number % 10 == 0 or number == args.number:
                seconds = (time.monotonic() - began) / number
                print(f"{whole} of {number} whole, {len(names - {''})} names, {seconds:.1f} s each", flush=True)
        session.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
