"""Doors that take what they say: an argument of another type than a public call names is refused at once.

Annotations are the one description of what a call takes. Whether a value of the right type is
also a sensible one is for the call itself to say.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime, timedelta
from functools import cache, partial, wraps
from pathlib import Path
from types import FunctionType, NoneType, UnionType
from typing import Any, Final, NewType, ParamSpec, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from privity.sdk.errors import InputError

Face = TypeVar("Face")
Given = ParamSpec("Given")
Answer = TypeVar("Answer")

Form = Callable[[object, str], None]
"""Lets a value pass, or raises what is wrong with it, and where."""


def strict(face: type[Face]) -> type[Face]:
    """Make every public method of a class refuse arguments of other types than it names.

    A method refuses with an `InputError`, before it does anything.
    """
    for name, member in tuple(vars(face).items()):
        if isinstance(member, FunctionType) and not name.startswith("_"):
            setattr(face, name, strictly(member))
    return face


def strictly(call: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """Make one function refuse arguments of other types than it names."""
    signature = inspect.signature(call)

    @wraps(call)
    def taking(*values: Given.args, **named: Given.kwargs) -> Answer:
        forms = forms_of(call)
        for where, value in signature.bind(*values, **named).arguments.items():
            if where in forms:
                forms[where](value, where)
        return call(*values, **named)

    return taking


def conform(expected: Any, value: object, where: str) -> None:  # noqa: ANN401 - types have no common type
    """Let a value of the type `expected` pass.

    Raises:
        InputError: it is of another type, or something inside it is.
    """
    form_of(expected)(value, where)


@cache
def forms_of(call: Callable[..., object]) -> Mapping[str, Form]:
    """Return the form of each parameter, made when the call is first used: by then all types exist."""
    return {name: form_of(hint) for name, hint in get_type_hints(call).items() if name != "return"}


@cache
def form_of(expected: Any) -> Form:  # noqa: ANN401 - types have no common type
    """Return the form of a type, made once."""
    origin, arguments = get_origin(expected) or expected, get_args(expected)
    if isinstance(expected, NewType):
        return form_of(expected.__supertype__)
    if origin in (Union, UnionType):
        return alternatives_form(arguments)
    if origin in PARTS:
        return partial(parts_form, PARTS[origin], form_of(arguments[0]))
    if origin is Mapping:
        return mapping_form
    if origin is Callable:
        return partial(calls_form, ("__call__",))
    return class_form(origin)


def class_form(expected: Any) -> Form:  # noqa: ANN401 - types have no common type
    """Return the form of a class."""
    if expected in SCALARS:
        return SCALARS[expected]
    kind = cast("type", expected)
    if getattr(kind, "_is_protocol", False):
        return partial(calls_form, tuple(name for name in vars(kind) if name == "__call__" or name[0] != "_"))
    if not is_dataclass(kind):
        return partial(instance_form, kind)
    if kind.__eq__ is object.__eq__:
        # What is recognised by identity is for its keeper to recognise, whatever it is.
        return anything_form
    hints = get_type_hints(kind)
    return partial(record_form, kind, {one.name: form_of(hints[one.name]) for one in fields(kind)})


def alternatives_form(arguments: tuple[Any, ...]) -> Form:
    """Return the form of a union: what is not `None` is of one of the other types."""
    others = [one for one in arguments if one is not NoneType]
    if len(others) == 1:
        return partial(optional_form, form_of(others[0]))
    return partial(one_of_form, [form_of(one) for one in arguments], " or ".join(map(named, arguments)))


def optional_form(form: Form, value: object, where: str) -> None:
    """Let `None` pass, and what passes without it."""
    if value is not None:
        form(value, where)


def one_of_form(forms: Sequence[Form], names: str, value: object, where: str) -> None:
    """Let pass what one of several forms lets pass."""
    if not any(passes(form, value, where) for form in forms):
        raise misfit(value, where, names)


def passes(form: Form, value: object, where: str) -> bool:
    """The form has nothing against the value."""
    try:
        form(value, where)
    except InputError:
        return False
    return True


def parts_form(kinds: tuple[type, ...], form: Form, value: object, where: str) -> None:
    """Let a list, tuple or set pass whose parts pass."""
    if not isinstance(value, kinds):
        raise misfit(value, where, " or ".join(kind.__name__ for kind in kinds))
    for number, part in enumerate(cast("Sequence[object]", value)):
        form(part, f"{where}[{number}]")


def mapping_form(value: object, where: str) -> None:
    """Let a mapping of text to text pass, in whatever encoding: headers and settings, as a transport has them."""
    if not isinstance(value, Mapping):
        raise misfit(value, where, "mapping of str to str")
    for name, text in cast("Mapping[object, object]", value).items():
        if type(name) is not str or type(text) is not str:
            raise InputError("holds something else than text", where=where, remedy="pass a mapping of str to str")


def calls_form(names: tuple[str, ...], value: object, where: str) -> None:
    """Let pass what has every member that is asked of it."""
    for name in names:
        if isinstance(value, type) or not hasattr(value, name):
            raise InputError(f"has no `{name}`", where=where, remedy="pass what satisfies its protocol")


def record_form(record: type, forms: Mapping[str, Form], value: object, where: str) -> None:
    """Let a record pass whose fields pass."""
    instance_form(record, value, where)
    for name, form in forms.items():
        form(getattr(value, name), f"{where}.{name}")


def instance_form(kind: type, value: object, where: str) -> None:
    """Let pass what is of a class."""
    if not isinstance(value, kind):
        raise misfit(value, where, kind.__name__)


def exact_form(kind: type, value: object, where: str) -> None:
    """Let pass what is of a class and of none derived from it: a truth is no number."""
    if type(value) is not kind:
        raise misfit(value, where, kind.__name__)


def text_form(value: object, where: str) -> None:
    """Let pass text that some encoding can carry."""
    exact_form(str, value, where)
    try:
        cast("str", value).encode("utf-8")
    except UnicodeEncodeError:
        raise InputError("is not valid Unicode", where=where, remedy="remove lone surrogates") from None


def anything_form(_value: object, _where: str) -> None:
    """Let everything pass."""


def misfit(value: object, where: str, expected: str) -> InputError:
    """Return the error about a value of another type. It names the type and never shows the value."""
    return InputError(f"is `{type(value).__name__}`", where=where, remedy=f"pass `{expected}`")


def named(expected: Any) -> str:  # noqa: ANN401 - types have no common type
    """Return what a type is called."""
    return "None" if expected is NoneType else str(getattr(expected, "__name__", expected))


PARTS: Final[Mapping[Any, tuple[type, ...]]] = {
    Sequence: (tuple, list),
    tuple: (tuple,),
    list: (list,),
    frozenset: (frozenset,),
}
SCALARS: Final[Mapping[Any, Form]] = {
    str: text_form,
    int: partial(exact_form, int),
    bool: partial(exact_form, bool),
    bytes: partial(exact_form, bytes),
    datetime: partial(instance_form, datetime),
    timedelta: partial(instance_form, timedelta),
    Path: partial(instance_form, Path),
    NoneType: partial(instance_form, NoneType),
    object: anything_form,
}
