"""Analysis: values in, findings out. One method per file; nothing here reads, writes, draws or waits."""
