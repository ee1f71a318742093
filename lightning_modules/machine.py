"""On what models are trained."""

from __future__ import annotations

from enum import StrEnum

from attrs import frozen


class Precision(StrEnum):
    """Of the networks, by Lightning's names; the lattice and the emission stay in float32."""

    SINGLE = "32-true"
    BRAIN_FLOAT = "bf16-mixed"
    HALF = "16-mixed"


@frozen(kw_only=True)
class Machine:
    """Accelerator and devices by Lightning's names, such as ``auto``, ``cpu`` or ``gpu``."""

    accelerator: str = "auto"
    devices: int | str = 1
    precision: Precision = Precision.SINGLE
    progress_bar: bool = False
