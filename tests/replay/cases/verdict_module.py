# SPDX-License-Identifier: MIT
"""A module stands out, no task does: ten programs use a driver that leaks."""
from kinds_case import ALLOC, SYSCALL, known

DRIVER = 0xd0a00010


def build(t):
    t.memory(30000)
    known(t)
    t.module_range(b"leaky", DRIVER - 0x10, 0x1000)
    for i in range(10):
        t.comm(80 + i, b"user-%d" % i)
        t.alloc(80 + i, 0x2000 + 0x100 * i, 8, [ALLOC, DRIVER, SYSCALL])
    t.symbol(DRIVER, DRIVER - 0x10, b"leaky_ioctl [leaky]")
    t.memory(27400)
    t.reason = b"request"
