"""Two copies of a folder went on with the same interview: choose one branch, and keep the other as a conflict."""
