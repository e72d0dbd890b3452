# SPDX-License-Identifier: MIT
"""RAM of which more is told than there is: it was counted twice. And more parts
than find room."""


def build(t):
    t.mem_total_kib = 100000
    t.memory(20000)
    t.part("all", b"present", 120000)
    t.part("all", b"installed", 130000)
    t.part("firmware", b"reserved", 20000)
    t.part("kernel", b"code", 30000)
    for i in range(70):
        t.part("before", b"kind %d" % i, 100 * i)
    t.part("kernel", b"most there can be", (2**64 - 1) // 1024)
    t.memory(19000)
