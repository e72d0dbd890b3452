# SPDX-License-Identifier: MIT
"""Events of a CPU that stood still come after younger events of another CPU: a
free after the next allocation, an allocation after its free."""


def build(t):
    t.comm(90, b"stolen")
    t.comm(91, b"runs")
    t.alloc(90, 0x1000, 3, [0xc1000010])
    t.alloc(90, 0x2000, 0, [0xc1000010])
    then = t.now_ns + 500
    t.alloc(91, 0x1002, 1, [0xc1000020])	# two of the eight pages
    t.alloc(91, 0x2000, 0, [0xc1000020])
    t.late(then, t.free, 90, 0x1000, 3)	# leaves those two
    t.late(then + 1, t.free, 90, 0x2000)	# leaves its only one
    then = t.now_ns + 500
    t.free(91, 0x3000, 2)		# not seen allocated
    t.late(then, t.alloc, 90, 0x3000, 2, [0xc1000010])
    t.free(91, 0x1002)			# in order: it is freed
    then = t.now_ns + 500
    t.free(91, 0x3100)
    t.alloc(91, 0x3100, 0, [0xc1000020])
    t.late(then, t.alloc, 90, 0x3100, 0, [0xc1000010])
    t.late(then, t.free, 90, 0x4000)		# older than no allocation
    t.alloc(90, 0x1003, 0, [0xc1000010])	# its free is lost
    t.memory(30000)
