"""Programs that tests run in processes of their own are not to be imported into this one."""

collect_ignore = ["programs"]
