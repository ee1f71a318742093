"""The devices on which networks run: the CPU, or a graphics card that torch supports."""

from __future__ import annotations

import re

from schemas.errors import ConfigurationError

CPU = "cpu"
_NAME = re.compile(r"cpu|mps|cuda(?::(0|[1-9]\d{0,2}))?")


def kind_of(device: str) -> str:
    """``cpu``, ``cuda`` or ``mps``: the device without its number."""
    return device.partition(":")[0]


def check_device(device: str) -> None:
    """Raise ConfigurationError unless `device` is ``cpu``, or ``cuda``, ``cuda:N`` or ``mps`` and torch has it here."""
    match = _NAME.fullmatch(device)
    if match is None:
        raise ConfigurationError(f"no device {device!r}", remedy="name cpu, cuda, cuda:N or mps")
    if device == CPU:
        return
    # Here, since importing it takes longer than a short build.
    import torch

    cards = torch.cuda.device_count() if torch.cuda.is_available() else 0
    has_it = torch.backends.mps.is_available() if device == "mps" else cards > int(match[1] or 0)
    if not has_it:
        raise ConfigurationError(
            f"torch has no device {device!r} here", remedy="name another one: cpu is always there, and much slower"
        )
