"""What every container runtime must do; a test class of an adapter inherits all of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from longpole.model.containers import Inside
from longpole.model.ports import Runtime
from tests.images import MARKER, SAID
from tests.recording import NOBODY, Someone

AWKWARD = ("two  blanks", "it's", 'say "hi"', "$HOME `id` \\n", "naïve ✓", "", "-v", "line\nbreak", "a,b:c")


class RuntimeContract:
    """The promises of ``model.ports.Runtime``."""

    contained = False
    """Whether commands are kept from the host."""

    def make(self) -> Runtime:
        """Return the runtime, or skip; adapters say how."""
        raise NotImplementedError

    def image(self, folder: Path) -> str:
        """Return an image that the runtime takes; ``folder`` is that of ``images()``."""
        raise NotImplementedError

    @pytest.fixture
    def someone(self, user: Someone) -> Someone:
        """Who runs the commands; an adapter may let others do it too."""
        return user

    @pytest.fixture
    def runtime(self) -> Runtime:
        return self.make()

    @pytest.fixture
    def prepared(self, runtime: Runtime, image_folder: Path) -> Iterator[str]:
        prepared = runtime.prepare(self.image(image_folder))
        yield prepared
        runtime.release(prepared)

    @pytest.fixture
    def job(self, someone: Someone) -> Path:
        return _folder(someone, "a job's folder")

    @pytest.fixture(autouse=True)
    def _setting(self, someone: Someone, runtime: Runtime, prepared: str, job: Path) -> None:
        self.who, self.runs_by, self.ready, self.folder = someone, runtime, prepared, job

    def run(
        self,
        *arguments: str,
        read_only: tuple[str, ...] = (),
        environment: Mapping[str, str] | None = None,
        shared: Mapping[str, bool] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in the job's folder as whoever it is."""
        inside = Inside(str(self.folder), read_only, _environment(environment), shared or {})
        command = self.runs_by.command(self.ready, inside, arguments)
        return subprocess.run(
            [*self.who.prefix, *command],
            cwd=self.folder,
            env=dict(inside.environment),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def sh(self, script: str, **more) -> subprocess.CompletedProcess[str]:
        return self.run("/bin/sh", "-c", script, **more)

    def file(self, name: str, text: str = "as it was") -> Path:
        """Put a file into the job's folder."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        for owned in (path, path.parent):
            _give(self.who, owned)
        return path

    def test_it_can_be_used_here_and_has_a_name(self) -> None:
        assert self.runs_by.missing() == ""
        assert self.runs_by.name

    def test_a_command_runs_in_its_image(self) -> None:
        done = self.run("/bin/cat", MARKER)

        assert (done.stdout == SAID) == self.contained, done.stderr

    def test_a_command_starts_in_the_folder_of_its_job_and_writes_there(self) -> None:
        self.file("in.txt")

        done = self.sh("cat in.txt > out.txt && mkdir new && echo more > new/file")

        assert done.returncode == 0, done.stderr
        assert (self.folder / "out.txt").read_text() == "as it was"
        assert (self.folder / "new" / "file").read_text() == "more\n"

    def test_what_a_command_writes_belongs_to_who_runs_it(self) -> None:
        self.sh("echo 1 > out.txt")

        assert (self.folder / "out.txt").stat().st_uid == (NOBODY if self.who.prefix else os.getuid())

    @pytest.mark.parametrize("code", [0, 1, 3, 42, 255])
    def test_exit_codes_pass_through(self, code: int) -> None:
        assert self.sh(f"exit {code}").returncode == code

    @pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
    def test_a_signal_that_kills_the_command_is_told(self, number: signal.Signals) -> None:
        # the shell must not be the first process of its namespace, which no signal of its own can kill
        done = self.sh(f"sh -c 'kill -{int(number)} $$'; exit $?")

        assert done.returncode in (-number, 128 + number)

    def test_arguments_arrive_unchanged(self) -> None:
        done = self.run("/bin/sh", "-c", 'printf "%s\\0" "$@"', "name", *AWKWARD)

        assert tuple(done.stdout.split("\0")[:-1]) == AWKWARD, done.stderr

    def test_the_environment_arrives(self) -> None:
        values = {f"LONGPOLE_TEST_{number}": value for number, value in enumerate(AWKWARD)}

        done = self.run("/usr/bin/env", "-0", environment=values)

        told = dict(line.split("=", 1) for line in done.stdout.split("\0") if "=" in line)
        assert {name: told.get(name) for name in values} == values

    def test_no_value_of_a_variable_stands_in_the_command_line(self) -> None:
        inside = Inside(str(self.folder), environment=_environment({"API_TOKEN": "a-secret-value"}))

        command = self.runs_by.command(self.ready, inside, ["/bin/true"])

        assert "a-secret-value" not in " ".join(command)

    def test_standard_input_and_both_outputs_pass_through(self) -> None:
        done = self.sh("echo out; echo err >&2")

        assert (done.stdout, done.stderr) == ("out\n", "err\n")

    def test_an_input_that_is_absent_is_no_fault(self) -> None:
        assert self.run("/bin/true", read_only=("checkpoint", "folder/")).returncode == 0

    def test_shared_folders_are_there_at_their_own_paths(self) -> None:
        readable, writable = (_folder(self.who, name) for name in ("read", "write"))
        (readable / "told").write_text("shared")
        script = f"cat '{readable}/told'; echo x > '{readable}/new'; echo x > '{writable}/new'"

        done = self.sh(script, shared={str(readable): False, str(writable): True})

        assert done.stdout == "shared"
        assert (writable / "new").exists()
        assert (readable / "new").exists() != self.contained

    def test_an_image_can_be_made_ready_again(self, image_folder: Path) -> None:
        assert self.runs_by.prepare(self.image(image_folder)) == self.ready


class ContainerContract(RuntimeContract):
    """What a runtime promises besides if it keeps commands from the host."""

    contained = True

    def test_inputs_cannot_be_changed(self) -> None:
        one, other = self.file("one.txt"), self.file("inputs/deep/a b,c.txt")
        script = (
            'for f in one.txt \'inputs/deep/a b,c.txt\'; do echo x >> "$f"; rm -f "$f"; mv "$f" away; done'
        )

        done = self.sh(
            f"{script}; touch inputs/new; cat one.txt inputs/deep/*", read_only=("one.txt", "inputs/")
        )

        assert done.stdout == "as it wasas it was", done.stderr
        assert one.read_text() == other.read_text() == "as it was"
        assert {"inputs", "one.txt"} <= set(os.listdir(self.folder))
        assert os.listdir(self.folder / "inputs") == ["deep"]

    def test_a_hard_link_to_a_file_of_the_run_cannot_be_changed(self) -> None:
        kept = _folder(self.who, "kept") / "data"
        kept.write_text("as it was")
        _give(self.who, kept)
        os.link(kept, self.folder / "data")

        done = self.sh("echo x > data; echo x >> data; cat data", read_only=("data",))

        assert done.stdout == "as it was", done.stderr
        assert kept.read_text() == "as it was"

    def test_the_image_cannot_be_changed(self) -> None:
        done = self.sh(f"echo x > {MARKER}; touch /usr/bin/new /new; mkdir /etc/new; cat {MARKER}")

        assert done.stdout == SAID
        assert "new" not in (listed := self.sh("ls / /usr/bin /etc").stdout)
        assert "usr" in listed

    def test_nothing_of_the_host_is_seen_but_the_job_folder(self) -> None:
        other = _folder(self.who, "another job")
        (other / "secret").write_text("of another")

        done = self.sh(
            f"ls '{other}'; cat '{other}/secret' '{Path(__file__)}' /etc/passwd; ls /home /root; echo ran"
        )

        assert done.stdout.endswith("ran\n"), done.stderr
        assert "of another" not in done.stdout
        assert "def test_nothing" not in done.stdout
        assert "bin:x:" not in done.stdout

    def test_processes_of_the_host_are_not_seen(self) -> None:
        done = self.sh("cat /proc/[0-9]*/cmdline; echo ran")

        assert done.stdout.endswith("ran\n"), done.stderr
        assert sys.executable not in done.stdout.replace("\0", " ")

    def test_a_temporary_file_can_be_made_and_is_gone_afterwards(self) -> None:
        assert self.sh("echo x > /tmp/here && cat /tmp/here").stdout == "x\n"
        assert self.sh("cat /tmp/here || echo gone").stdout == "gone\n"

    def test_a_missing_program_is_told(self) -> None:
        done = self.run("/no/such/program")

        assert done.returncode != 0
        assert "no such file" in done.stderr.lower()


def _environment(more: Mapping[str, str] | None) -> dict[str, str]:
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", **(more or {})}


def _folder(someone: Someone, name: str) -> Path:
    path = someone.runs / name
    path.mkdir()
    _give(someone, path)
    return path


def _give(someone: Someone, path: Path) -> None:
    if someone.prefix:
        os.chown(path, NOBODY, NOBODY)
