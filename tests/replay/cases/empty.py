# SPDX-License-Identifier: MIT
"""Nothing happened."""


def build(t):
    pass
