"""Run by the Python of the throw-away environment: a llama.cpp server on loopback until standard input closes.

Arguments: model file, context of one slot, threads, slots. Prints the server's address on a line of its own.
"""

import sys

import xllamacpp

model, context, threads, slots = sys.argv[1], *map(int, sys.argv[2:5])
parameters = xllamacpp.CommonParams()
parameters.model.path = model
parameters.n_ctx = context * slots
parameters.n_parallel = slots
parameters.cpuparams.n_threads = threads
parameters.cpuparams_batch.n_threads = threads
parameters.hostnames = ["127.0.0.1"]
parameters.port = 0
parameters.verbosity = -1
server = xllamacpp.Server(parameters)
print("address", server.listening_address, flush=True)
sys.stdin.read()
