"""Many draws of a policy along logged paths, held in step: all draws take their next step at once."""
