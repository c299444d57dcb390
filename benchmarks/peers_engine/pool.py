"""ProcessPoolExecutor of the standard library: functions, one submitted at a time, all awaited."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor

from asked import answer, asked, timed
from steps import nothing


def main() -> None:
    """Run what is asked for."""
    what = asked()
    with ProcessPoolExecutor(max_workers=what.cores) as pool:

        def work(tasks: int) -> None:
            for future in [pool.submit(nothing) for _ in range(tasks)]:
                future.result()

        work(what.cores)
        answer(timed(lambda: work(what.tasks)))


if __name__ == "__main__":
    main()
