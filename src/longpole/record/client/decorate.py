"""Functions as phases: every call of a decorated function is one phase, for all kinds of function."""

from __future__ import annotations

from functools import wraps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from typing import Any

# Flags of a code object; asking ``inspect`` would cost its import in the user's program.
_GENERATOR, _COROUTINE, _ASYNC_GENERATOR = 0x20, 0x80, 0x200


def decorate(function: Callable[..., Any], begin: Callable[[], AbstractContextManager[Any]]) -> Any:
    """Return the function wrapped so that each call runs inside a new ``begin()``."""
    flags = getattr(getattr(function, "__code__", None), "co_flags", 0)
    if flags & _COROUTINE:
        wrapper: Any = _coroutine(function, begin)
    elif flags & _GENERATOR:
        wrapper = _generator(function, begin)
    elif flags & _ASYNC_GENERATOR:
        wrapper = _async_generator(function, begin)
    else:
        wrapper = _plain(function, begin)
    return wraps(function)(wrapper)


def _plain(function: Any, begin: Any) -> Any:
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with begin():
            return function(*args, **kwargs)

    return wrapper


def _coroutine(function: Any, begin: Any) -> Any:
    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        with begin():
            return await function(*args, **kwargs)

    return wrapper


def _generator(function: Any, begin: Any) -> Any:
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with begin():
            return (yield from function(*args, **kwargs))

    return wrapper


def _async_generator(function: Any, begin: Any) -> Any:
    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        with begin():
            async for value in function(*args, **kwargs):
                yield value

    return wrapper
