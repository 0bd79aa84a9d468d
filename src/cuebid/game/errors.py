"""What a user can get wrong, said in one line."""


class BridgeError(ValueError):
    """Something that is not bridge: a wrong hand, an impossible call, a bad contract."""
