"""Networks as ONNX graphs, run by onnxruntime: what a build, a search or a server computes needs no torch.

A graph names its weights, which lie in a checkpoint or in the files of the encoder. The small layers over it are
products of matrices by numpy. Both compute one text at a time, on one thread and without padding, so that what they
give depends on this text alone; several texts run side by side.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import resources
from typing import Any, TypeVar

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from kgscripts.devices import CPU, provider_of
from schemas.errors import ModelError

Array = NDArray[np.float32]
_Input = TypeVar("_Input")
_Output = TypeVar("_Output")


class Network:
    """A graph with its weights."""

    def __init__(self, graph: bytes, weights: Mapping[str, NDArray[Any]], device: str = CPU) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        # onnxruntime reads these arrays as long as the session lives.
        self._weights = {name: np.ascontiguousarray(value) for name, value in weights.items()}
        values = [onnxruntime.OrtValue.ortvalue_from_numpy(value) for value in self._weights.values()]
        options.add_external_initializers(list(self._weights), values)
        try:
            self._session = onnxruntime.InferenceSession(graph, options, providers=provider_of(device))
        # Its errors have no common class but Exception.
        except Exception as error:
            raise ValueError(f"weights that do not fit the graph: {error}") from error
        self._inputs = [given.name for given in self._session.get_inputs()]

    def __call__(self, *inputs: NDArray[Any]) -> list[Array]:
        """What the graph computes of its inputs, in their order."""
        results: list[Array] = self._session.run(None, dict(zip(self._inputs, inputs, strict=True)))
        return results


@cache
def graph(name: str) -> bytes:
    """A graph that ships."""
    return (resources.files("kgscripts.models") / "graphs" / f"{name}.onnx").read_bytes()


def threads() -> int:
    """Texts that are computed side by side: OMP_NUM_THREADS, by default the number of cores."""
    given = os.environ.get("OMP_NUM_THREADS", "")
    return int(given) if given.isdecimal() and int(given) > 0 else os.cpu_count() or 1


def side_by_side(run: Callable[[_Input], _Output], inputs: Sequence[_Input]) -> list[_Output]:
    """`run` of each input, as many at a time as there are `threads`.

    Raises ModelError if a graphics card has too little memory.
    """
    count = min(threads(), len(inputs))
    try:
        with _libraries().limit(limits=1, user_api="blas"), ThreadPoolExecutor(max(1, count)) as pool:
            return [run(item) for item in inputs] if count < 2 else list(pool.map(run, inputs))
    except onnxruntime.capi.onnxruntime_pybind11_state.RuntimeException as error:
        remedy = "run fewer processes on it (--jobs), or the network on the CPU (--device cpu)"
        raise ModelError("the graphics card has too little memory", remedy=remedy) from error


@cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()


@cache
def _gelu() -> Network:
    return Network(graph("gelu"), {})


def gelu(values: NDArray[Any]) -> Array:
    """The Gaussian error linear unit of each value (Hendrycks and Gimpel 2016)."""
    return _gelu()(values)[0]


def softmax(scores: NDArray[Any]) -> NDArray[Any]:
    """The shares of the last axis; zeros where all scores are -inf."""
    largest = scores.max(axis=-1, keepdims=True)
    powers = np.exp(scores - np.where(np.isfinite(largest), largest, 0))
    shares: NDArray[Any] = powers / np.maximum(powers.sum(axis=-1, keepdims=True), np.finfo(powers.dtype).tiny)
    return shares


def sigmoid(scores: NDArray[Any]) -> NDArray[Any]:
    """The logistic function."""
    probabilities: NDArray[Any] = 1 / (1 + np.exp(-np.clip(scores, -60, 60)))
    return probabilities
