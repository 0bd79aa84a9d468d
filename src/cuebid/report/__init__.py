"""Tables and figures of how the agents do, measured."""
