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

    @classmethod
    def of_options(cls, accelerator: str, devices: str, precision: Precision) -> Hardware:
        """From the options of a command."""
        number = int(devices) if devices.isdigit() else devices
        return cls(accelerator=accelerator, devices=number, precision=precision)
