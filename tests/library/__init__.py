"""Tests of the library as other packages use it: public names, types, plugins."""
