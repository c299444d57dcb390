from __future__ import annotations

import json


def test_json_tells_of_every_source(call):
    done = call("doctor", "--json")

    told = json.loads(done.stdout)
    assert (done.returncode, done.stderr, told["schema_version"]) == (0, "", 1)
    assert {"exit records", "opened files", "GPUs", "control groups", "hardware counters"} <= {
        one["name"] for one in told["permissions"]
    }
    assert all(set(one) == {"name", "permitted", "found", "adds", "remedy"} for one in told["permissions"])
    assert all(one["remedy"] or one["permitted"] for one in told["permissions"])


def test_text_has_a_line_for_each(call):
    done = call("doctor")

    assert (done.returncode, done.stderr) == (0, "")
    assert "exit records" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
