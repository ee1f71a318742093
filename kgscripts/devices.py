"""The devices on which networks run: the CPU, or what onnxruntime, and torch in training, support beside it."""

from __future__ import annotations

import re

from schemas.errors import ConfigurationError

CPU = "cpu"
_NAME = re.compile(r"cpu|coreml|cuda(?::(0|[1-9]\d{0,2}))?")
_PROVIDERS = {"cuda": "CUDAExecutionProvider", "coreml": "CoreMLExecutionProvider"}


def kind_of(device: str) -> str:
    """``cpu``, ``cuda`` or ``coreml``: the device without its number."""
    return device.partition(":")[0]


def provider_of(device: str) -> list[str | tuple[str, dict[str, int]]]:
    """The provider of onnxruntime that runs networks there, and the CPU for what it cannot do."""
    kind, _, number = device.partition(":")
    cpu = "CPUExecutionProvider"
    return [cpu] if kind == CPU else [(_PROVIDERS[kind], {"device_id": int(number)} if number else {}), cpu]


def check_device(device: str) -> None:
    """Raise ConfigurationError unless `device` is ``cpu``, or ``cuda``, ``cuda:N`` or ``coreml`` and onnxruntime has
    it here."""
    if not _NAME.fullmatch(device):
        raise ConfigurationError(f"no device {device!r}", remedy="name cpu, cuda, cuda:N or coreml")
    if device == CPU:
        return
    # Here, since importing it takes time, and most commands name no device.
    import onnxruntime

    if _PROVIDERS[kind_of(device)] not in onnxruntime.get_available_providers():
        raise ConfigurationError(
            f"onnxruntime has no device {device!r} here",
            remedy="install onnxruntime-gpu in place of onnxruntime for cuda; cpu is always there",
        )
