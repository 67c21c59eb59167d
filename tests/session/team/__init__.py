"""Tests of the work in a team, with a real server."""
