"""Secrets on command lines and in the environment are nowhere in a run."""

from __future__ import annotations

import pytest

from longpole.record.discretion import command_text, is_plain, mask_command, mask_text
from tests.recording import Someone

PLANTED = {
    "option": (["prog", "--token", "hunter2token"], "hunter2token"),
    "option with equals": (["prog", "--api-key=abc123short"], "abc123short"),
    "short option": (["mysql", "--password=pw1"], "pw1"),
    "assignment": (["env", "DB_PASSWORD=correcthorse", "true"], "correcthorse"),
    "url": (["curl", "https://alice:s3cretpw@example.org/x"], "s3cretpw"),
    "url user": (["git", "clone", "https://ghtokenvalue@example.org/x"], "ghtokenvalue"),
    "query": (["curl", "https://example.org/x?api_key=qqqq1234&b=1"], "qqqq1234"),
    "signature": (["curl", "https://example.org/x?X-Amz-Signature=deadbeef01&b=1"], "deadbeef01"),
    "header": (["curl", "-H", "Authorization: Bearer abcdefgh"], "abcdefgh"),
    "basic header": (["curl", "-H", "Authorization: Basic dXNlcjpwdw=="], "dXNlcjpwdw=="),
    "user option": (["curl", "-u", "alice:mypassw0rd", "https://example.org"], "mypassw0rd"),
    "aws id": (["prog", "AKIAIOSFODNN7EXAMPLE"], "AKIAIOSFODNN7EXAMPLE"),
    "aws secret": (["prog", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"], "wJalrXUtnFEMI"),
    "github": (
        ["prog", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"],
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    ),
    "hugging face": (["prog", "hf_abcdefghijklmnopqrstuvwx"], "hf_abcdefghijklmnopqrstuvwx"),
    "openai": (["prog", "sk-proj-abcdEFGH1234567890"], "sk-proj-abcdEFGH1234567890"),
    "jwt": (["prog", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"], "eyJzdWIiOiIxIn0"),
    "hex": (["prog", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"], "9f86d081884c7d65"),
    "inside a script": (["bash", "-c", "export API_TOKEN=zzz9 && curl -H 'X-Auth-Token: yyy8' u"], "zzz9"),
    "header inside a script": (["bash", "-c", "curl -H 'X-Auth-Token: yyy8' u"], "yyy8"),
    "json": (["prog", '{"password": "open sesame", "n": 1}'], "open sesame"),
    "quoted with spaces": (["bash", "-c", "prog --password 'open sesame'"], "open sesame"),
}


@pytest.mark.parametrize("case", PLANTED)
def test_secret_is_masked(case: str) -> None:
    command, secret = PLANTED[case]

    assert secret not in command_text(command)
    assert secret not in " ".join(mask_command(command))


@pytest.mark.parametrize(
    "command",
    [
        ["python", "train.py", "--epochs", "3", "--lr", "0.001"],
        ["bash", "-c", "for i in 1 2 3; do echo $i; done"],
        ["python", "-m", "torch.distributed.run", "--nproc-per-node", "2", "src/train_resnet50.py"],
        ["/scratch/users/me/envs/torch-2.13/bin/python3.11", "data/2026-11-15_run_003/input.parquet"],
    ],
)
def test_ordinary_command_stays_as_it_is(command: list[str]) -> None:
    assert mask_command(command) == command


def test_tokenizer_is_not_a_token_but_its_value_may_go() -> None:
    assert mask_text("tokenizers") == "tokenizers"


def test_long_command_says_how_long_it_was() -> None:
    text = command_text(["echo", "word " * 2000])

    assert text.endswith("... (10005 characters)")


def test_glance_and_patterns_agree() -> None:
    for command, _ in PLANTED.values():
        assert not all(is_plain(argument) for argument in command)


def test_no_secret_anywhere_in_a_run(anyone: Someone) -> None:
    secrets = {secret for _, secret in PLANTED.values()}
    script = "import subprocess, sys, time; time.sleep(0.3)"
    environment = {
        "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI-in-environment",
        "MY_TOKEN": "token-in-environment",
    }
    for command, _ in PLANTED.values():
        anyone.record(anyone.python, "-c", script, *command, env=environment)
    anyone.record("sh", "-c", "sleep 0.3; : --password=pw1 alice:mypassw0rd@host", options=["--files"])

    for path in anyone.runs.rglob("*"):
        content = path.read_bytes() if path.is_file() else b""
        assert not path.is_file() or path.stat().st_mode & 0o077 == 0
        for secret in {*secrets, *environment.values()} - {"alice:mypassw0rd"}:
            assert secret.encode() not in content, (path.name, secret)
            assert secret not in str(path)


MORE = {
    "blanks after equals": (["prog", "--secret=a b hunterIpw"], "hunterIpw"),
    "user option in a script": (["bash", "-c", "curl -u alice:mypassw0rd https://example.org"], "mypassw0rd"),
    "mysql": (["mysql", "-phunter2"], "hunter2"),
    "sshpass": (["/usr/bin/sshpass", "-p", "hunter2", "ssh", "host"], "hunter2"),
    "pin": (["prog", "--pin", "98765"], "98765"),
}


@pytest.mark.parametrize("case", MORE)
def test_secret_of_a_rarer_shape_is_masked(case: str) -> None:
    command, secret = MORE[case]

    assert secret not in " ".join(mask_command(command))


def test_option_p_is_no_password_elsewhere() -> None:
    assert mask_command(["make", "-p", "8080"]) == ["make", "-p", "8080"]
