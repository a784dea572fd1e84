"""Join networks of the same kind into one whose output is the mean of theirs.

    python -m training.ensemble ONE.onnx OTHER.onnx --out vision/weights/rim.onnx

Networks trained from different seeds or pictures err differently, and where they differ neither should be sure
(Lakshminarayanan et al., "Simple and scalable predictive uncertainty estimation using deep ensembles", 2017). Needs
onnx.
"""

import argparse
from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper

MEMBER = "m{}_"
"""Before the names of what belongs to the n-th member."""


def renamed(model: onnx.ModelProto, prefix: str, source: str) -> onnx.GraphProto:
    """The model's graph with a prefix before every inner name, its input called ``source``."""
    graph = onnx.GraphProto()
    graph.CopyFrom(model.graph)
    outer = graph.input[0].name

    def name(old: str) -> str:
        return source if old == outer else prefix + old if old else old

    for tensor in graph.initializer:
        tensor.name = name(tensor.name)
    for k, node in enumerate(graph.node):
        node.name = f"{prefix}{node.name or k}"
        node.input[:] = [name(n) for n in node.input]
        node.output[:] = [name(n) for n in node.output]
    return graph


def averaged(models: list[onnx.ModelProto]) -> onnx.ModelProto:
    """One model that runs all and gives the mean of their first outputs."""
    first = models[0].graph
    source, target = first.input[0].name, first.output[0].name
    graphs = [renamed(m, MEMBER.format(k), source) for k, m in enumerate(models)]
    last = [MEMBER.format(k) + m.graph.output[0].name for k, m in enumerate(models)]
    share = numpy_helper.from_array(np.array([1 / len(models)], np.float32), "share")
    nodes = [n for g in graphs for n in g.node]
    total = last[0]
    for k, name in enumerate(last[1:]):
        nodes.append(helper.make_node("Add", [total, name], [f"sum{k}"]))
        total = f"sum{k}"
    nodes.append(helper.make_node("Mul", [total, "share"], [target]))
    tensors = [t for g in graphs for t in g.initializer] + [share]
    graph = helper.make_graph(nodes, "mean", [first.input[0]], [first.output[0]], tensors)
    joined = helper.make_model(graph, opset_imports=models[0].opset_import, ir_version=models[0].ir_version)
    onnx.checker.check_model(joined)
    return joined


def main() -> None:
    """Join and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("networks", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.write_bytes(averaged([onnx.load(str(p)) for p in options.networks]).SerializeToString())


if __name__ == "__main__":
    main()
