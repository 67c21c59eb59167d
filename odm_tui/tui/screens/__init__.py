"""The screens: each is made from values and wired to its commands."""
