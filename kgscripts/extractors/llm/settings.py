"""The settings of the extractor that asks a language model."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from attrs import field, frozen, validators

from kgscripts.settings import running_setting
from schemas.addresses import check_address
from schemas.errors import ConfigurationError

_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*|")


def _is_address(_: object, __: object, value: str) -> None:
    if value:
        check_address(value, ("http", "https"), "server", "name the variable that holds the key by llm.key_variable")
        if "?" in value:
            raise ConfigurationError("the address has a query", remedy="give the part before the ?")


def _is_variable(_: object, __: object, value: str) -> None:
    # The value is not repeated: whoever gives the key itself would read it in a log.
    if not _VARIABLE.fullmatch(value):
        raise ConfigurationError(
            "key_variable is no name of an environment variable", remedy="give its name in capitals, never the key"
        )


@frozen(kw_only=True)
class LanguageModelSettings:
    """The settings. The model and what it is asked are part of the version, how it is reached is not."""

    endpoint: str = running_setting("", _is_address)
    """The address of the server, such as http://127.0.0.1:8000/v1."""
    model: str = field(default="")
    """The name of the model at the server."""
    key_variable: str = running_setting("", _is_variable)
    """The environment variable that holds the key, if the server asks for one."""
    confidence: float = field(default=0.5, validator=[validators.gt(0.0), validators.le(1.0)])
    """The confidence in what it reads, above 0: nothing measures it but you."""
    characters: int = field(default=800, validator=validators.ge(80))
    """The most characters of text in a request."""
    max_tokens: int = field(default=2048, validator=validators.ge(16))
    """The most tokens of an answer; a longer one is asked for in two halves of the text."""
    seed: int = field(default=1, validator=validators.ge(0))
    """The seed that the server is given; the temperature is 0."""
    prompts: str = running_setting("")
    """A folder with prompts instead of those that ship; their content is part of the version."""
    concurrency: int = running_setting(4, [validators.ge(1), validators.le(256)])
    """How many requests are sent at once, by each process."""
    timeout: float = running_setting(120.0, validators.gt(0.0))
    """The seconds that a request may take."""
    max_tokens_total: int = running_setting(0, validators.ge(0))
    """The tokens that a build may use; 0 for no limit. What is left is for the next build."""
    cache: str = running_setting("")
    """The folder in which answers are kept; by default kgscripts/answers in your cache folder."""

    @property
    def host(self) -> str:
        """The host of the endpoint, without its port."""
        return (urlsplit(self.endpoint).hostname or "").lower()

    def check_complete(self) -> None:
        """Check that a server and a model are named.

        Raises
        ------
        ConfigurationError
            If one is missing.
        """
        for name in ("endpoint", "model"):
            if not getattr(self, name):
                raise ConfigurationError(
                    f"llm.{name} is missing",
                    remedy="--set llm.endpoint=http://127.0.0.1:8000/v1 --set llm.model=NAME",
                )

    def of_answers(self) -> dict[str, object]:
        """What an answer depends on besides prompts, schema and text."""
        return {"host": self.host, "model": self.model, "max_tokens": self.max_tokens, "seed": self.seed}
