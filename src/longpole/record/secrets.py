"""Shapes of secrets, as patterns, and a text with what matches them replaced.

Known shapes: a name such as token or password before a value, credentials in URLs and headers, keys with a
known prefix, long random-looking words. It errs on the side of hiding. A secret of no known shape, short
and unnamed, is not recognised.
"""

from __future__ import annotations

import re

MASK = "***"

_NAME = (
    r"[\w.-]*(?:pass(?:wd|word|phrase|code)?|pwd|pw|pin|secret|token|api[_-]?key|access[_-]?key|account[_-]?key"
    r"|private[_-]?key|auth(?:orization)?|bearer|credentials?|cookie|session[_-]?id|signature|sig|licen[cs]e[_-]?key"
    r"|encryption[_-]?key|connection[_-]?string|dsn|key)"
)
_PREFIXED = (
    r"\b(?:A(?:KIA|SIA|IDA|ROA)[0-9A-Z]{12,}|gh[pousr]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|hf_\w{16,}"
    r"|sk-[\w-]{16,}|sk_\w{16,}|pk_\w{16,}|rk_\w{16,}|xox[a-z]-[\w-]{8,}|ya29\.[\w-]{16,}|AIza[\w-]{20,}"
    r"|npm_\w{16,}|pypi-[\w-]{16,}|dop_v1_\w{16,}|eyJ[\w-]{8,}\.[\w-]+\.?[\w-]*)"
)

NAMED_OPTION = re.compile(rf"--?{_NAME}", re.IGNORECASE)
_HEADER = re.compile(r"\b(bearer|basic|digest|negotiate|token)(\s+)[^\s'\"]+", re.IGNORECASE)
_NAMED_VALUE = re.compile(
    rf"(?<![\w])({_NAME})(['\"]?\s*[=:]\s*|\s+(?=['\"]))(\"[^\"]*\"?|'[^']*'?|[^\s'\"&;,]+)", re.IGNORECASE
)
_NAMED_AFTER_SPACE = re.compile(rf"(?<![\w])(--?{_NAME})(\s+)([^\s'\"-][^\s'\"]*)", re.IGNORECASE)
_URL = re.compile(r"(?<=://)[^\s/@'\"]+(?=@)")
_USER_AT_HOST = re.compile(r"(?<![\w/])([\w.+-]+):[^\s/@:'\"]+@(?=[\w\[])")
_USER_OPTION = re.compile(r"((?<!\w)(?:-u|-U|--user|--proxy-user)[\s=]+[\w.@+-]+:)[^\s'\"]+")
_KNOWN_PREFIX = re.compile(_PREFIXED)
_RANDOM_WORD = re.compile(r"[A-Za-z0-9+/_=-]{20,}")


def replace_secrets(text: str) -> str:
    """Return the text with every known shape of a secret replaced."""
    text = _URL.sub(MASK, text)
    text = _USER_AT_HOST.sub(rf"\1:{MASK}@", text)
    text = _KNOWN_PREFIX.sub(MASK, text)
    text = _HEADER.sub(rf"\1\2{MASK}", text)
    text = _NAMED_VALUE.sub(rf"\1\2{MASK}", text)
    text = _USER_OPTION.sub(rf"\1{MASK}", text)
    text = _NAMED_AFTER_SPACE.sub(rf"\1\2{MASK}", text)
    return _RANDOM_WORD.sub(_mask_if_random, text)


def names_a_secret(argument: str) -> bool:
    """Return whether an argument is an option whose value, in the next argument, is secret."""
    return NAMED_OPTION.fullmatch(argument) is not None


def _mask_if_random(found: re.Match[str]) -> str:
    return MASK if looks_random(found.group()) else found.group()


def looks_random(word: str) -> bool:
    """Return whether a word mixes cases and digits as keys do and paths, options and numbers do not."""
    if word.startswith(("/", "--")) or word.count("/") > 2 or word.count("-") > 3 or word.count("_") > 3:
        return False
    hexadecimal = len(word) >= 32 and not word.isdigit() and not word.strip("0123456789abcdefABCDEF")
    mixed = (
        any(c.isdigit() for c in word) and any(c.isupper() for c in word) and any(c.islower() for c in word)
    )
    return mixed or hexadecimal
