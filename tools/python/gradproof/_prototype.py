"""Prototypes of C functions with shapes, as check_kernel(signature=...) takes them.

    void rms_norm(const float* x[*rows, n], const float* gain[n], float* y[*rows, n], float eps, long rows, long n);
    void rms_norm_backward(const float* x, const float* gain, const float* dy, float* dx, float* dgain, float eps, long rows,
                           long n);

A const pointer is read, another one written. Sizes in brackets are bound by the inputs; *rows stands for any number of axes, and
as an argument is the product of their sizes. A number that is no size is an attribute; `float eps = 1e-5` gives it a value. What
is written may have sizes made of others, y[*rows, (n - window) / stride + 1], and a number too, `long m = n / 2`: / is that of C.
What the forward saves may hold integers, `int* where[*rows, n]`.
"""

import ast
import ctypes
import re

FLOATS = {"float": "float32", "double": "float64"}
_WHOLE = {"int": ctypes.c_int, "long": ctypes.c_long, "long long": ctypes.c_longlong, "size_t": ctypes.c_size_t}
_WHOLE |= {"int32_t": ctypes.c_int32, "int64_t": ctypes.c_int64, "unsigned": ctypes.c_uint, "bool": ctypes.c_bool}
_REAL = {"float": ctypes.c_float, "double": ctypes.c_double}
INTEGERS = {"short": "int16", "int8_t": "int8", "uint8_t": "uint8", "int16_t": "int16", "uint32_t": "uint32"}
INTEGERS |= {name: f"{'u' if name in ('size_t', 'unsigned') else ''}int{8 * ctypes.sizeof(c)}" for name, c in _WHOLE.items()}
_ELEMENT = "|".join(sorted([*FLOATS, *INTEGERS], key=len, reverse=True))

_FUNCTION = re.compile(r"\s*(void|int)\s+(\w+)\s*\((.*)\)\s*", re.DOTALL)
_POINTER = re.compile(rf"(const\s+)?({_ELEMENT})\s*(?:const\s*)?\*\s*(?:restrict\s+|__restrict\s+)?(\w+)\s*(?:\[(.*)\])?")
_NUMBER = re.compile(r"(?:const\s+)?(\w+(?:\s+long)?)\s+(\w+)\s*(?:=\s*(.+))?")


class Array:
    """A pointer: read or written, and the sizes of what it points to, None where they are not said. Of floats or of integers."""

    def __init__(self, name, is_read, type_name, sizes):
        self.name, self.is_read, self.type, self.sizes = name, is_read, type_name, sizes
        self.c_type = ctypes.c_void_p

    is_float = property(lambda self: self.type in FLOATS.values())


class Number:
    """A size, or an attribute with its value, a number or a text such as "n / 2", where there is none from elsewhere."""

    def __init__(self, name, c_type, default):
        self.name, self.c_type, self.default = name, c_type, default


class Prototype:
    def __init__(self, returns, name, parameters):
        self.returns, self.name, self.parameters = returns, name, parameters

    @property
    def arrays(self):
        return [p for p in self.parameters if isinstance(p, Array)]

    @property
    def numbers(self):
        return [p for p in self.parameters if isinstance(p, Number)]

    def function(self, address):
        kind = None if self.returns == "void" else ctypes.c_int
        return ctypes.CFUNCTYPE(kind, *(p.c_type for p in self.parameters))(address)


def _parameter(text):
    text = " ".join(text.split())
    if found := _POINTER.fullmatch(text):
        const, kind, name, sizes = found.groups()
        told = None if sizes is None else [s.strip() for s in sizes.split(",") if s.strip()]
        for size in told or []:
            _parsed(size.removeprefix("*"))
        return Array(name, bool(const), (FLOATS | INTEGERS)[kind], told)
    found = _NUMBER.fullmatch(text)
    c_type = found and (_WHOLE | _REAL).get(found[1])
    if not c_type:
        raise ValueError(f"signature: {text!r} is not understood, expected `const float* x[n, m]`, `float* y[n, m]` or `long n`")
    return Number(found[2], c_type, found[3] and _default(found[1], found[3]))


def _default(kind, text):
    """The value of a number where it is one, else the text of what it is made of."""
    try:
        return (float if kind in _REAL else int)(text.rstrip("fF") if kind in _REAL else text)
    except ValueError:
        _parsed(text)
        return text


_STEPS = {ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b}
_STEPS |= {ast.Div: lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)}  # towards 0, as in C


def _parsed(text):
    """A size made of names, whole numbers, + - * / and brackets. Errors: ValueError for anything else."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        tree = None
    parts = (ast.Name, ast.Load, ast.BinOp, ast.Constant, ast.UnaryOp, ast.USub, *_STEPS)
    nodes = [] if tree is None else list(ast.walk(tree))
    if not nodes or not all(isinstance(n, parts) and type(getattr(n, "value", 0)) is int for n in nodes):
        raise ValueError(f"signature: the size {text!r} is not understood, expected a name, a number, or such as (n - 3) / 2 + 1")
    return tree


def size_of(text, value):
    """What a size is; value(name) says what each name in it is. Errors: ValueError for a division by 0."""

    def of(node):
        if isinstance(node, ast.Name):
            return int(value(node.id))
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.UnaryOp):
            return -of(node.operand)
        return _STEPS[type(node.op)](of(node.left), of(node.right))

    try:
        return of(_parsed(text))
    except ZeroDivisionError:
        raise ValueError(f"signature: the size {text} divides by 0") from None


def _prototype(text):
    found = _FUNCTION.fullmatch(text)
    if not found:
        raise ValueError(f"signature: {' '.join(text.split())!r} is not understood, expected `void name(const float* x[n], ...)`")
    return Prototype(found[1], found[2], [_parameter(p) for p in re.split(r",(?![^\[]*\])", found[3])])


def read(signature):
    """The two functions of a signature. Errors: ValueError for what is none."""
    texts = [text for text in signature.split(";") if text.strip()]
    if len(texts) != 2:
        raise ValueError(f"signature: got {len(texts)} functions, expected two, the forward and the backward, each ending with ;")
    return _prototype(texts[0]), _prototype(texts[1])


def bind(sizes, shape, bound):
    """Adds what the shape says of the sizes. False where it does not fit, or is not what `bound` has already."""
    stars = [i for i, s in enumerate(sizes) if s.startswith("*")]
    if len(stars) > 1 or len(shape) < len(sizes) - len(stars) or not stars and len(shape) != len(sizes):
        return False
    before = stars[0] if stars else len(sizes)
    behind = len(sizes) - before - 1 if stars else 0
    axes = [(n,) for n in shape[:before]]
    if stars:
        axes += [tuple(shape[before : len(shape) - behind])] + [(n,) for n in shape[len(shape) - behind :]]
    for size, of in zip(sizes, axes, strict=True):
        if size.isdigit():
            if of != (int(size),):
                return False
        elif bound.setdefault(size.lstrip("*"), of) != of:
            return False
    return True
