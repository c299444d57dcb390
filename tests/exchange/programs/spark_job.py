"""A small application of Spark that writes an event log into a folder, and prints what Spark counted itself.

Three jobs: numbers summed by key and numbers grouped (a shuffle each), and one in which the first try of a
task fails. Tables are left alone: Spark takes most of its start to get ready for them.
"""

import json
import sys

from pyspark import SparkConf, SparkContext, TaskContext

GROUP = "counted"
SETTINGS = {
    "spark.eventLog.enabled": "true",
    "spark.eventLog.compress": "false",
    "spark.eventLog.rolling.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "512m",
    "spark.ui.enabled": "false",
    "spark.log.level": "OFF",
}


def main(folder: str) -> None:
    conf = SparkConf().setMaster("local[2,2]").setAppName("three jobs").setAll(SETTINGS.items())
    context = SparkContext(conf=conf.set("spark.eventLog.dir", f"file://{folder}"))
    context.setJobGroup(GROUP, "small jobs")
    numbers = context.parallelize(range(1000), 4)
    sums = numbers.map(lambda number: (number % 10, number)).reduceByKey(lambda one, other: one + other, 3)
    assert sum(value for _, value in sums.collect()) == 499500
    assert numbers.groupBy(lambda number: number % 7, 5).count() == 7
    assert context.parallelize(range(2), 2).map(fails_once).count() == 2
    print(json.dumps(counted(context)))
    context.stop()


def fails_once(number: int) -> int:
    if TaskContext.get().attemptNumber() == 0 and number == 0:
        raise RuntimeError("the first try of this one fails")
    return number


def counted(context) -> dict[str, object]:
    """Return jobs and stages as Spark's own trackers have them."""
    spark = context._jsc.sc()
    spark.listenerBus().waitUntilEmpty()
    tracker, jobs, stages = context.statusTracker(), [], []
    for job in tracker.getJobIdsForGroup(GROUP):
        jobs.append(job)
        for stage in tracker.getJobInfo(job).stageIds:
            known = spark.statusStore().lastStageAttempt(stage)
            stages.append(
                {
                    "stage": stage,
                    "tasks": known.numTasks(),
                    "completed": tracker.getStageInfo(stage).numCompletedTasks,
                    "failed": known.numFailedTasks(),
                    "shuffle_read": known.shuffleReadBytes(),
                    "shuffle_written": known.shuffleWriteBytes(),
                }
            )
    return {"jobs": sorted(jobs), "stages": stages, "version": context.version}


if __name__ == "__main__":
    main(sys.argv[1])
