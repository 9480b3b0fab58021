"""Runs inside the sandbox: calls the submission's function and writes its result to descriptor 3.

argv: the submission's file, the function's name. stdin: a nonce, then one JSON argument a line.
The expected result is not here; whatever the submission does to this process, it can only change
its own answer. Only exact builtin types are written, so an object that claims to equal everything,
or a `True` that stands for 1, is what it is.
"""

import json
import os
import sys
from typing import Any


def exact(value: object, depth: int = 0) -> object:
    """The value as plain JSON types, tuples as lists. Raises TypeError for any other type."""
    if type(value) in (bool, int, float, str) or value is None:
        return value
    if depth > 500:
        raise TypeError("nested too deeply")
    if type(value) is list or type(value) is tuple:
        return [exact(item, depth + 1) for item in value]
    if type(value) is dict:
        if not all(type(key) is str for key in value):
            raise TypeError("a dictionary with keys that are not strings")
        return {key: exact(item, depth + 1) for key, item in value.items()}
    raise TypeError(f"a result of type {type(value).__name__}")


def prelude() -> dict[str, Any]:
    """The names that such problems' starter code takes for granted."""
    names: dict[str, Any] = {}
    lines = (
        "from typing import *",
        "import bisect, collections, functools, heapq, itertools, math, operator, random, re",
        "import string, sys",
        "from bisect import *",
        "from collections import *",
        "from functools import *",
        "from heapq import *",
        "from itertools import *",
        "from math import gcd, inf, sqrt, ceil, floor, log, log2, comb",
    )
    exec("\n".join(lines), names)
    names["__name__"] = "solution"
    return names


def main() -> None:
    path, function = sys.argv[1:3]
    dumps, write, leave = json.dumps, os.write, os._exit
    data = sys.stdin.buffer.read()
    nonce, _, rest = data.partition(b"\n")
    sys.stdin = open(os.devnull)  # noqa: SIM115
    arguments = [json.loads(line) for line in rest.splitlines() if line.strip()]
    names = prelude()
    with open(path, "rb") as file:
        code = compile(file.read(), path, "exec")
    sys.argv = [path]
    names.pop(function, None)  # one that the prelude happens to have is no solution
    exec(code, names)
    if function in names:
        target = names[function]
    else:
        target = getattr(names["Solution"](), function)
    result = target(*arguments)
    try:
        text = dumps(exact(result), allow_nan=True)
    except TypeError as error:
        text = dumps({"refused": str(error)})
        nonce = b"refused " + nonce
    left = nonce + b" " + text.encode() + b"\n"
    while left:
        left = left[write(3, left) :]
    sys.stdout.flush()
    leave(0)


main()
