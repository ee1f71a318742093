"""The devices and the precision that a model is trained with."""

from __future__ import annotations

from enum import StrEnum

from attrs import frozen


class Precision(StrEnum):
    """Precision of the networks, by Lightning's names; lattice and emission are always computed in float32."""

    SINGLE = "32-true"
    BRAIN_FLOAT = "bf16-mixed"
    HALF = "16-mixed"


@frozen(kw_only=True)
class Hardware:
    """Accelerator and devices by Lightning's names, such as ``auto``, ``cpu`` or ``gpu``."""

    accelerator: str = "auto"
    devices: int | str = 1
    precision: Precision = Precision.SINGLE
