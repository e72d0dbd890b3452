"""Nothing happened."""


def build(t):
    pass
