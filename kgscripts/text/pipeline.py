"""Loading the spaCy pipeline that parses text: the one shipped with the package, or any other that is installed."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgscripts.lean_imports import import_spacy, is_lean
from kgscripts.score_files import read_scores
from schemas.errors import ModelError
from schemas.provenance import Model

if TYPE_CHECKING:
    from spacy.language import Language

SHIPPED = "en_kgscripts"
_NEEDED = ("tagger", "lemmatizer", "parser")
_UNUSED = ("ner", "entity_linker", "entity_ruler", "textcat", "spancat")
"""Components whose annotations are not used."""
COMPONENT = "kgscripts"
"""The factory of the component that reads parsed texts (`kgscripts.component`), which parsing does not need."""
SCORES = "scores.json"


def shipped_directory() -> Path:
    """The directory of the pipeline shipped with the package."""
    return Path(str(resources.files("kgscripts.text") / "model"))


def load_pipeline(name: str | None = None) -> Language:
    """Load the pipeline called `name`, once per process; without a name, the shipped one.

    `name` is an installed spaCy package ("en_core_web_trf") or the directory of a pipeline. Named entity recognisers
    and text classifiers are excluded, since their annotations are not used.

    Raises
    ------
    ModelError
        if it is not installed, cannot be read, or gives no tags, lemmas or parse.
    """
    return _load(SHIPPED if name is None else name)


@functools.cache
def _load(name: str) -> Language:
    # Here, since importing spaCy takes long, and describing a pipeline needs none of it.
    if name == SHIPPED and is_lean():
        import_spacy()
    import spacy

    from kgscripts.text import lemmas  # noqa: F401  (registers the component that the shipped pipeline names)

    path: str | Path = shipped_directory() if name == SHIPPED else name
    try:
        inner = Path(path).rglob("*") if Path(path, "config.cfg").exists() else ()
        if odd := [file.name for file in inner if not (file.is_file() or file.is_dir())]:
            raise ValueError(f"{odd[0]} is not a regular file")
        nlp = spacy.load(path, exclude=_UNUSED)
        if not isinstance(nlp, spacy.language.Language):
            raise TypeError("it is another package")
    # Any file can be damaged and any package can be named, so that loading can raise anything.
    except Exception as error:
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        raise ModelError(
            f"the spaCy pipeline {name!r} cannot be loaded: {reason}",
            where=str(path),
            remedy="the package is incomplete: reinstall kgscripts"
            if name == SHIPPED
            else f"install it with `python -m spacy download {name}`, give the directory of a pipeline, or leave the "
            "name away for the one that ships",
        ) from error
    missing = [part for part in _NEEDED if not any(part in pipe for pipe in nlp.pipe_names)]
    if missing:
        raise ModelError(
            f"the spaCy pipeline {name!r} has no {', no '.join(missing)}",
            where=str(path),
            remedy="name a pipeline with a tagger, a lemmatizer and a parser, such as en_core_web_sm",
        )
    return nlp


def components_of_kgscripts(nlp: Language) -> list[str]:
    """The names of the components of a pipeline that read parses (`kgscripts.component`)."""
    return [name for name in nlp.pipe_names if nlp.get_pipe_meta(name).factory == COMPONENT]


def describe_pipeline(name: str | None = None) -> Model:
    """Name, version, digest of all files, licence and known scores of a pipeline, for the graph's Model node.

    The one that ships is described without being loaded.
    """
    return _describe(SHIPPED if name is None else name)


@functools.cache
def _describe(name: str) -> Model:
    if name == SHIPPED:
        path: Path | None = shipped_directory()
        meta: dict[str, Any] = json.loads((shipped_directory() / "meta.json").read_text(encoding="utf-8"))
    else:
        nlp = load_pipeline(name)
        path, meta = nlp.path, nlp.meta
    return _model(meta, _digest(path) if path else hashlib.sha256(nlp.to_bytes()).hexdigest(), path)


def describe_language(nlp: Language) -> Model:
    """Describe a pipeline in memory: as `describe_pipeline` describes its directory if it parses as the one there does,
    and else with a digest of its components.
    """
    content = _digest_of_components(nlp)
    if nlp.path is not None and (nlp.path / "config.cfg").exists():
        name = None if nlp.path == shipped_directory() else str(nlp.path)
        if _digest_of_components(load_pipeline(name)) == content:
            return describe_pipeline(name)
    return _model(nlp.meta, content, None)


def _model(meta: Mapping[str, Any], digest: str, path: Path | None) -> Model:
    return Model(
        name=f"{meta['lang']}_{meta['name']}",
        version=str(meta.get("version") or "0.0.0"),
        digest=digest,
        task="syntactic analysis",
        licence=str(meta.get("license") or ""),
        language=str(meta["lang"]),
        scores=read_scores(path / SCORES) if path else (),
    )


def _digest(directory: Path) -> str:
    """SHA-256 over the names and bytes of a pipeline's files; scores written beside the weights do not count."""
    digest = hashlib.sha256()
    for path in sorted(path for path in directory.rglob("*") if path.is_file() and path.name != SCORES):
        if "__pycache__" in path.parts:
            continue
        content = path.read_bytes()
        digest.update(f"{path.relative_to(directory).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def _digest_of_components(nlp: Language) -> str:
    """SHA-256 over vectors, tokenizer and the components that are used, without what grows as texts are read."""
    digest = hashlib.sha256(nlp.vocab.vectors.to_bytes(exclude=["strings"]))
    unused = {*_UNUSED, *components_of_kgscripts(nlp)}
    used = [(name, nlp.get_pipe_meta(name).factory, part) for name, part in nlp.pipeline if name not in unused]
    for name, factory, part in [("tokenizer", "", nlp.tokenizer), *used]:
        content = part.to_bytes(exclude=["vocab"]) if hasattr(part, "to_bytes") else b""
        digest.update(f"{name}\0{factory}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()
