"""Run by the Python of the throw-away environment: typed-gguf on a model that stays loaded.

Argument: the model file. Each line of standard input is a request; each answer is a line with its seconds.
"""

import json
import sys
import time

from typed_gguf import cli
from typed_gguf.engine import session

prepared = cli.prepare_decision(
    {"model": sys.argv[1], "state": "x", "questions": {"a": {"type": "noul", "instructions": "Is it funny?"}}}
)
handle = session.open_model(prepared.model_path, fit_plan=prepared.plan)
print("ready", flush=True)
for line in sys.stdin:
    payload = json.loads(line)
    begin = time.perf_counter()
    body = cli.decide_on_handle(prepared, payload, handle)
    seconds = time.perf_counter() - begin
    answer = {"seconds": seconds, "questions": body["timings"]["questions_ms"] / 1000, "n": len(body["answers"])}
    print("answer", json.dumps(answer), flush=True)
