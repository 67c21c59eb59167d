"""The mathematics: arrays and small frozen values; no files, no clock, no screen."""
