"""Plan several questions ahead."""
