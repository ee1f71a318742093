"""On what models are trained."""

from __future__ import annotations

import sys
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

    @classmethod
    def of_options(cls, accelerator: str, devices: str, precision: Precision) -> Machine:
        """What the options of the commands say, with a progress bar where somebody looks at it."""
        number = int(devices) if devices.isdigit() else devices
        return cls(accelerator=accelerator, devices=number, precision=precision, progress_bar=sys.stderr.isatty())
