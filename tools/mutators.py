"""Small changes to a module, each of which a good test suite notices.

Besides the bodies of functions they change data at module level, since the order of the checks, the lattice and
the tables of the algebra are data.
"""

import ast
import copy
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, cast

from tools.sources import Source, dotted

SWAPPED_COMPARISONS: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
SWAPPED_OPERATORS: Final[dict[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
SWAPPED_CALLS: Final = {"all": "any", "any": "all", "min": "max", "max": "min"}
SNIPPET: Final = 60
MODULE: Final = "module"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One change: an identity that survives unrelated edits, where it is now, and the changed module."""

    identity: str
    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What stands in for a node, and what that does in one line."""

    node: ast.AST
    said: str


Operator = Callable[[ast.AST], Iterator[Change]]


def snippet(node: ast.AST) -> str:
    """Return a node's text on one line, shortened."""
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= SNIPPET else f"{text[: SNIPPET - 1]}…"


def becomes(before: ast.AST, after: ast.AST) -> Change:
    """Return the change of a small node into another."""
    return Change(node=after, said=f"{snippet(before)} => {snippet(after)}")


def comparisons(node: ast.AST) -> Iterator[Change]:
    """Swap a comparison with its opposite, or move its bound by one."""
    if not isinstance(node, ast.Compare):
        return
    for n, op in enumerate(node.ops):
        if type(op) in SWAPPED_COMPARISONS:
            ops = [*node.ops[:n], SWAPPED_COMPARISONS[type(op)](), *node.ops[n + 1 :]]
            yield becomes(node, ast.Compare(left=node.left, ops=ops, comparators=node.comparators))


def connectives(node: ast.AST) -> Iterator[Change]:
    """Swap `and` with `or`, drop one side, drop a `not`."""
    match node:
        case ast.BoolOp(op=op, values=values):
            yield becomes(node, ast.BoolOp(op=ast.Or() if isinstance(op, ast.And) else ast.And(), values=values))
            for n, value in enumerate(values):
                rest = values[:n] + values[n + 1 :]
                left = rest[0] if len(rest) == 1 else ast.BoolOp(op=op, values=rest)
                yield Change(node=left, said=f"drop operand {snippet(value)}")
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield becomes(node, operand)
        case _:
            pass


def operators(node: ast.AST) -> Iterator[Change]:
    """Swap union with intersection, plus with minus, `all` with `any`; take the left side alone."""
    match node:
        case ast.BinOp(left=left, op=op, right=right):
            if type(op) in SWAPPED_OPERATORS:
                yield becomes(node, ast.BinOp(left=left, op=SWAPPED_OPERATORS[type(op)](), right=right))
            yield becomes(node, left)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords) if name in SWAPPED_CALLS:
            function = ast.Name(id=SWAPPED_CALLS[name], ctx=ast.Load())
            yield becomes(node, ast.Call(func=function, args=args, keywords=keywords))
        case _:
            pass


def constants(node: ast.AST) -> Iterator[Change]:
    """Flip a boolean, move a number by one."""
    match node:
        case ast.Constant(value=bool() as value):
            yield becomes(node, ast.Constant(value=not value))
        case ast.Constant(value=int() as value):
            yield becomes(node, ast.Constant(value=value + 1))
        case _:
            pass


def branches(node: ast.AST) -> Iterator[Change]:
    """Take one way always, and the other way always."""
    match node:
        case ast.If(test=test, body=body, orelse=orelse) if not isinstance(test, ast.Constant):
            for taken in (True, False):
                said = f"if {snippet(test)} => if {taken}"
                yield Change(node=ast.If(test=ast.Constant(value=taken), body=body, orelse=orelse), said=said)
        case ast.IfExp(body=body, orelse=orelse):
            yield becomes(node, body)
            yield becomes(node, orelse)
        case _:
            pass


def clauses(node: ast.AST) -> Iterator[Change]:
    """Drop one condition of a comprehension, one case of a match, or the guard of a case."""
    match node:
        case ast.comprehension(ifs=[_, *_] as ifs):
            for n, condition in enumerate(ifs):
                changed = copy.copy(node)
                changed.ifs = ifs[:n] + ifs[n + 1 :]
                yield Change(node=changed, said=f"drop condition {snippet(condition)}")
        case ast.match_case(pattern=pattern, guard=ast.expr() as guard, body=body):
            unguarded = ast.match_case(pattern=pattern, guard=None, body=body)
            yield Change(node=unguarded, said=f"drop guard {snippet(guard)}")
        case ast.Match(subject=subject, cases=[_, _, *_] as cases):
            for n, case in enumerate(cases):
                rest = ast.Match(subject=subject, cases=cases[:n] + cases[n + 1 :])
                yield Change(node=rest, said=f"drop case {snippet(case.pattern)}")
        case _:
            pass


def elements(node: ast.AST) -> Iterator[Change]:
    """Drop one element of a literal."""
    match node:
        case ast.Set(elts=members):
            for n, member in enumerate(members):
                yield Change(node=ast.Set(elts=members[:n] + members[n + 1 :]), said=f"drop {snippet(member)}")
        case ast.Dict(keys=keys, values=values):
            for n, key in enumerate(keys):
                rest = ast.Dict(keys=keys[:n] + keys[n + 1 :], values=values[:n] + values[n + 1 :])
                yield Change(node=rest, said=f"drop {snippet(key or values[n])}")
        case ast.Tuple(elts=[ast.Tuple(), *_] as rows, ctx=ctx):
            for n, row in enumerate(rows):
                yield Change(node=ast.Tuple(elts=rows[:n] + rows[n + 1 :], ctx=ctx), said=f"drop {snippet(row)}")
        case _:
            pass


def order(node: ast.AST) -> Iterator[Change]:
    """Let two neighbouring rows of a table change places."""
    match node:
        case ast.Tuple(elts=[ast.Tuple(), *_] as rows, ctx=ctx):
            for n in range(len(rows) - 1):
                swapped = ast.Tuple(elts=[*rows[:n], rows[n + 1], rows[n], *rows[n + 2 :]], ctx=ctx)
                yield Change(node=swapped, said=f"swap {snippet(rows[n])} with the next")
        case _:
            pass


def predicates(node: ast.AST) -> Iterator[Change]:
    """Let a predicate always hold, and never hold."""
    match node:
        case ast.FunctionDef(returns=ast.Name(id="bool")):
            for answer in (True, False):
                changed = copy.copy(node)
                changed.body = [ast.Return(value=ast.Constant(value=answer))]
                yield Change(node=changed, said=f"always {answer}")
        case _:
            pass


def is_member(node: ast.AST) -> bool:
    """The node names a member of an enumeration, like `Reason.DEFAULT_DENY`."""
    match node:
        case ast.Attribute(value=ast.Name(id=name), attr=attr, ctx=ast.Load()):
            return name[0].isupper() and not name.isupper() and attr.isupper()
        case _:
            return False


def members(tree: ast.Module) -> Operator:
    """Return the operator that puts another member, which the module names as well, in the place of one."""
    named = sorted({dotted(node) for node in ast.walk(tree) if isinstance(node, ast.expr) and is_member(node)})

    def another(node: ast.AST) -> Iterator[Change]:
        """Put the next member of the same enumeration in the place of this one."""
        if isinstance(node, ast.Attribute) and is_member(node):
            enumeration = dotted(node.value)
            peers = [name.split(".")[1] for name in named if name.startswith(f"{enumeration}.")]
            peer = peers[(peers.index(node.attr) + 1) % len(peers)]
            if peer != node.attr:
                yield becomes(node, ast.Attribute(value=node.value, attr=peer, ctx=ast.Load()))

    return another


OPERATORS: Final[tuple[Operator, ...]] = (
    comparisons,
    connectives,
    operators,
    constants,
    branches,
    clauses,
    elements,
    order,
    predicates,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A node that may change: the field of its parent that holds it, and the function or name around it."""

    parent: ast.AST
    field: str
    index: int
    node: ast.AST
    scope: str


def places(node: ast.AST, scope: str = MODULE) -> Iterator[Place]:
    """Yield every place below `node` that is neither an annotation nor a type alias."""
    for field, value in ast.iter_fields(node):
        if field in {"annotation", "returns", "decorator_list", "bases"}:
            continue
        for index, child in children(value):
            if not is_type(node, child):
                inner = scope_of(child, scope) + key_of(node, field, index)
                yield Place(parent=node, field=field, index=index, node=child, scope=inner)
                yield from places(child, inner)


def children(value: object) -> list[tuple[int, ast.AST]]:
    """Return the nodes that a field holds, each with its index: one, several or none."""
    several = cast("list[object]", value) if isinstance(value, list) else [value]
    return [(index, child) for index, child in enumerate(several) if isinstance(child, ast.AST)]


def is_type(parent: ast.AST, child: ast.AST) -> bool:
    """The child is a union of types or a subscript, not a computation."""
    match parent:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if child is value:
            return isinstance(value, ast.BinOp | ast.Subscript) and not name.isupper()
        case ast.Call(func=ast.Name(id="isinstance" | "NewType" | "TypeVar" | "cast"), args=args):
            return child in args[1:]
        case ast.Call(func=ast.Name(id="dataclass")) | ast.Subscript():
            return True
        case _:
            return False


def key_of(parent: ast.AST, field: str, index: int) -> str:
    """Return `[key]` where the field holds the values of a dictionary, so that its entries are told apart."""
    if not isinstance(parent, ast.Dict) or field != "values":
        return ""
    key = parent.keys[index]
    return f"[{snippet(key)}]" if key else "[**]"


def scope_of(node: ast.AST, around: str) -> str:
    """Return the name of what the node defines at module level or as a function, else what is around it."""
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return name
        case ast.Assign(targets=[target]) | ast.AnnAssign(target=target) if around == MODULE:
            return dotted(target)
        case _:
            return around


def put(place: Place, node: ast.AST) -> None:
    """Put `node` where the place is."""
    held = getattr(place.parent, place.field)
    if isinstance(held, list):
        held[place.index] = node
    else:
        setattr(place.parent, place.field, node)


def changes(source: Source) -> Iterator[tuple[Place, Change, str]]:
    """Yield each place with what changes there, and the text of the module so changed."""
    tree = copy.deepcopy(source.tree)
    every_operator = (*OPERATORS, members(tree))
    for place in list(places(tree)):
        for change in [change for operator in every_operator for change in operator(place.node)]:
            put(place, change.node)
            yield place, change, ast.unparse(ast.fix_missing_locations(tree))
            put(place, place.node)


def mutants(source: Source) -> Iterator[Mutant]:
    """Yield every mutant of the source; equal changes within one scope are numbered."""
    seen: Counter[str] = Counter()
    for place, change, text in changes(source):
        identity = f"{source.path}::{place.scope}::{change.said}"
        seen[identity] += 1
        yield Mutant(
            identity=identity if seen[identity] == 1 else f"{identity} #{seen[identity]}",
            path=source.path,
            line=getattr(place.node, "lineno", getattr(place.parent, "lineno", 0)),
            text=text,
        )
