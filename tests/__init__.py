"""The tests; a package, so that the benchmarks can import the literal versions."""
