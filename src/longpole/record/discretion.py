"""What must not be written down: secrets on command lines, and most of the environment.

Everything written about a command goes through here first. Most texts are seen at a glance to hold no
secret; the patterns are loaded only for those that might (``secrets`` has the method and its limits).
"""

from __future__ import annotations

# Variables that explain a run and hold no secret by their meaning; their values are masked all the same.
ENVIRONMENT = (
    *("CONDA_DEFAULT_ENV", "CUDA_VISIBLE_DEVICES", "HOSTNAME", "LANG", "MKL_NUM_THREADS", "NCCL_DEBUG"),
    *("NVIDIA_VISIBLE_DEVICES", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "PYTHONHASHSEED", "VIRTUAL_ENV"),
    *("RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR", "TOKENIZERS_PARALLELISM", "TZ"),
    *("SLURM_JOB_ID", "SLURM_JOB_NAME", "SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID", "SLURM_NNODES"),
    *("SLURM_NODELIST", "SLURM_NTASKS", "SLURM_PROCID", "SLURM_RESTART_COUNT", "PBS_JOBID", "LSB_JOBID"),
)
_LONGEST_COMMAND = 4096
_USER_OPTIONS = {"-u", "--user", "--proxy-user", "-U"}
# Programs whose -p is a password; elsewhere it is a port, a path or a number of processes.
_TAKE_PASSWORD = frozenset(("mysql", "mysqldump", "mysqladmin", "mariadb", "mariadb-dump", "sshpass"))
# What every secret of a known shape has in it; the patterns are loaded only where one of these is.
_HINTS = (
    *("pass", "pwd", "--pin", "--pw", "secret", "token", "key", "auth", "bearer", "basic", "digest"),
    *("negotiate", "credential", "cookie", "session", "sig", "dsn", "connection", ":", "=", "@"),
    *("akia", "asia", "aida", "aroa", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat", "glpat"),
    *("hf_", "sk-", "sk_", "pk_", "rk_", "xox", "ya29", "aiza", "npm_", "pypi-", "dop_v1", "eyj"),
)
_WORD = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_=-")
_LONG_WORD = 16


def mask_command(arguments: list[str]) -> list[str]:
    """Return a command line with what looks secret replaced."""
    takes_password = bool(arguments) and arguments[0].rpartition("/")[2] in _TAKE_PASSWORD
    if not takes_password and all(is_plain(argument) for argument in arguments):
        return list(arguments)
    from longpole.record.secrets import MASK, names_a_secret

    masked: list[str] = []
    secret_next = False
    for argument in arguments:
        if secret_next and not names_a_secret(argument):
            masked.append(MASK)
            secret_next = False
            continue
        if takes_password and argument.startswith("-p"):
            secret_next = argument == "-p"
            masked.append(f"-p{'' if secret_next else MASK}")
            continue
        secret_next = names_a_secret(argument)
        masked.append(_mask_value(masked, argument))
    return masked


def command_text(arguments: list[str]) -> str:
    """Return a masked command line as one text, its length stated where it had to be cut."""
    text = " ".join(mask_command(arguments))
    if len(text) <= _LONGEST_COMMAND:
        return text
    return f"{text[:_LONGEST_COMMAND]}... ({len(text)} characters)"


def mask_text(text: str) -> str:
    """Return any text with what looks secret replaced."""
    if is_plain(text):
        return text
    from longpole.record.secrets import replace_secrets

    return replace_secrets(text)


def is_plain(text: str) -> bool:
    """Return whether a text is seen at a glance to hold no secret of a known shape."""
    lowered = text.lower()
    if any(hint in lowered for hint in _HINTS):
        return False
    if len(text) < _LONG_WORD:
        return True
    words = "".join(letter if letter in _WORD else " " for letter in text).split()
    return not any(len(word) >= _LONG_WORD and any(c.isdigit() for c in word) for word in words)


def allowed_environment(environment: dict[str, str]) -> dict[str, str]:
    """Return the few variables that are kept."""
    return {name: mask_text(environment[name]) for name in ENVIRONMENT if name in environment}


def _mask_value(before: list[str], argument: str) -> str:
    """Mask the password of ``-u name:password``, and all that follows ``--secret=``, blanks included."""
    from longpole.record.secrets import MASK, names_a_secret

    if before and before[-1] in _USER_OPTIONS and ":" in argument:
        return f"{argument.partition(':')[0]}:{MASK}"
    option, equals, _ = argument.partition("=")
    if equals and (names_a_secret(option) or names_a_secret(f"-{option}")):
        return f"{option}={MASK}"
    return mask_text(argument)
