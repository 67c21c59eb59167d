"""An index of the interviews of a log: a cache in SQLite that is derived, checked, and rebuilt when it does not fit.

The index covers the log up to a position; what was written later is read from the log each time, and is little. Its
file is never changed: a new one replaces it as a whole, so there are no journals and no locks, and whoever reads it
reads one state of it. Deleting it loses nothing.
"""
