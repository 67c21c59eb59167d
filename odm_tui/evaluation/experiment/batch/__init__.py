"""Many live interviews in step: the same results as one by one, many times faster.

The units of a batch share their data source, policy and settings; seeds and stakes differ. All of them hold their
first interview, then their second, and so on, so that array operations serve the whole batch, and one compiled
function holds the interviews. Needs numba, the extra ``fast``.
"""

from __future__ import annotations
