"""How many small faults the tests notice: mutants of engine, replay and store, sampled from a seed.

Run ``python -m benchmarks.mutation --mutants 100``. Every test file runs once with a recorder that notes which test
executes which line. Then each mutant changes one operator, number or condition of one module in a copy of the
checkout, and the tests that execute the changed line run there, the fastest first, until one fails. A mutant survives
if all of them pass. Recordings and verdicts are kept in ``build/mutation`` by commit, so a run that is started again
goes on.
"""
