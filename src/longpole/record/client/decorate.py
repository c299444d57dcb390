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


def decorate(function: Any, begin: Callable[[], AbstractContextManager[Any]]) -> Any:
    """Return the function wrapped so that each call runs inside a new ``begin()``.

    Raises:
        TypeError: It is a class.
    """
    if isinstance(function, type):
        raise TypeError("longpole.phase marks functions: put it on the methods of a class, not on the class")
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(decorate(function.__func__, begin))
    if isinstance(function, property):
        return property(decorate(function.fget, begin), function.fset, function.fdel, function.__doc__)
    return wraps(function)(_wrapper(function, begin))


def _wrapper(function: Callable[..., Any], begin: Callable[[], AbstractContextManager[Any]]) -> Any:
    flags = getattr(getattr(function, "__code__", None), "co_flags", 0)
    if flags & _COROUTINE:
        return _coroutine(function, begin)
    if flags & _GENERATOR:
        return _generator(function, begin)
    if flags & _ASYNC_GENERATOR:
        return _async_generator(function, begin)
    return _plain(function, begin)


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
            inner = function(*args, **kwargs)
            try:
                value = await inner.__anext__()
                while True:
                    try:
                        sent = yield value
                    except GeneratorExit:
                        raise
                    except BaseException as error:  # noqa: BLE001  it is for the inner one to judge
                        value = await inner.athrow(error)
                    else:
                        value = await inner.asend(sent)
            except StopAsyncIteration:
                return
            finally:
                await inner.aclose()

    return wrapper
