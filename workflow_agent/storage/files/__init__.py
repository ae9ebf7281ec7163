"""Whatever keeps something: files, memory, caches, and the processes that own a run."""
