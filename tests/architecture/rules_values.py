"""House rules about values: who may make one, what has no default, what is said once."""

import ast
from collections.abc import Iterator
from itertools import chain
from typing import Final

from tools.sources import Source, dotted, sources
from tools.wire_enums import is_wire_enum, wire_enums

POSTFILTER: Final = "privity/engine/postfilter.py"
CONTEXT_FACTORY: Final = "privity/host/context.py"
CONTENT: Final = frozenset({"Passage", "Card", "TranscriptEvent"})
"""Types that carry text. A plugin hands one out inside an `Envelope` only."""

NO_DEFAULT: Final = frozenset({"context", "plan", "audience", "store_id"})
CLOSED_SETS: Final = frozenset(
    {
        "privity.model.operations.Operation",
        "privity.model.reasons.Reason",
        "privity.model.resources.RevisionState",
    }
)
COMMANDS: Final = "privity/cli/"
"""Commands are words of the operator's language: some are spelled like an operation."""


def makers(source: Source, type_name: str) -> Iterator[int]:
    """Yield the lines that make a value of the type, or give the type another name."""
    for node in ast.walk(source.tree):
        match node:
            case ast.Call(func=function) if type_name in dotted(function).split("."):
                yield node.lineno
            case ast.Call(args=[argument, *_], func=ast.Attribute(attr="__new__")) if dotted(argument) == type_name:
                yield node.lineno
            case ast.alias(name=name, asname=str()) if name == type_name:
                yield node.lineno
            case ast.Assign(value=value) if dotted(value) == type_name:
                yield node.lineno
            case _:
                pass


def only_the_postfilter_makes_permitted(source: Source) -> Iterator[int]:
    """Only the postfilter makes `Permitted`."""
    if source.path != POSTFILTER:
        yield from makers(source, "Permitted")


def only_the_context_factory_makes_contexts(source: Source) -> Iterator[int]:
    """Only the host's context factory makes `AccessContext`."""
    if source.path != CONTEXT_FACTORY:
        yield from makers(source, "AccessContext")


def bare_content(annotation: ast.expr | None) -> bool:
    """The annotation names content that stands outside an envelope."""
    match annotation:
        case None:
            return False
        case ast.Subscript(value=value) if dotted(value).endswith("Envelope"):
            return False
        case ast.Constant(value=str() as quoted):
            return bare_content(ast.parse(quoted, mode="eval").body)
        case ast.Name() | ast.Attribute():
            return dotted(annotation).split(".")[-1] in CONTENT
        case _:
            return any(bare_content(child) for child in ast.iter_child_nodes(annotation) if isinstance(child, ast.expr))


def no_content_leaves_a_plugin_outside_an_envelope(source: Source) -> Iterator[int]:
    """No content leaves a plugin outside an `Envelope`."""
    if not source.path.startswith("privity/sdk/"):
        return
    for node in ast.walk(source.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and bare_content(node.returns):
            yield node.lineno


def defaulted(arguments: ast.arguments) -> Iterator[ast.arg]:
    """Yield the parameters that have a default."""
    positional = [*arguments.posonlyargs, *arguments.args]
    yield from positional[len(positional) - len(arguments.defaults) :]
    yield from (arg for arg, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if default)


def facts_have_no_defaults(source: Source) -> Iterator[int]:
    """Nothing named `context`, `plan`, `audience` or `store_id` has a default."""
    for node in ast.walk(source.tree):
        match node:
            case ast.arguments():
                yield from (arg.lineno for arg in defaulted(node) if arg.arg in NO_DEFAULT)
            case ast.ClassDef(body=body):
                yield from (field.lineno for field in body if has_default(field))
            case _:
                pass


def has_default(line: ast.stmt) -> bool:
    """The line declares a field that must not have a default, with one."""
    match line:
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
            return name in NO_DEFAULT
        case _:
            return False


def closed_words() -> frozenset[str]:
    """Return the words of the closed sets: operations, reasons and states."""
    enums = wire_enums(sources())
    return frozenset(chain.from_iterable(enums[name].values() for name in CLOSED_SETS & enums.keys()))


CLOSED_WORDS: Final = closed_words()


def no_literal_repeats_a_word(source: Source) -> Iterator[int]:
    """No literal repeats an operation, a reason or a state."""
    if source.path.startswith(COMMANDS):
        return
    definitions = [node for node in ast.walk(source.tree) if isinstance(node, ast.ClassDef) and is_wire_enum(node)]
    defining = {id(node) for definition in definitions for node in ast.walk(definition)}
    for node in ast.walk(source.tree):
        match node:
            case ast.Constant(value=str() as word) if word in CLOSED_WORDS and id(node) not in defining:
                yield node.lineno
            case _:
                pass
