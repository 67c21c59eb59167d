"""Tests of a team's store, with a real server."""
