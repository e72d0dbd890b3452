# SPDX-License-Identifier: MIT
"""Initcalls by the frame that do_one_initcall() called: two return addresses of
one function are two rows, until the function is known.

Of one function more may have been held before it was known; a module's init
function has one row in any case.
"""
CALLER, INIT = 0xc1000000, 0xc1000400
ONE, TWO, THREE, UNKNOWN = (0xc2000000 + i * 0x100 for i in range(4))
DRIVER = 0xd0000000


def chain(function, at=0x20):
    return [0xc1002010, function + at, CALLER + 0x59, INIT + 0x80]


def build(t):
    t.task(1, b"swapper")
    t.alloc(1, 0x1000, 0, chain(ONE))		# before it is known
    t.initcall_function(CALLER, 0x200, 0)
    t.alloc(1, 0x1100, 4, chain(ONE, 0x30))
    t.alloc(1, 0x1110, 1, chain(ONE, 0x50))
    t.free(1, 0x1100, 3)
    t.alloc(1, 0x1120, 3, chain(ONE, 0x50))
    t.alloc(1, 0x1200, 5, chain(TWO, 0x20))
    t.alloc(1, 0x1220, 5, chain(TWO, 0x80))
    t.free(1, 0x1200, 4)
    t.free(1, 0x1220, 4)
    t.alloc(1, 0x1300, 2, chain(THREE, 0x100))	# ends with a call
    t.alloc(1, 0x1310, 2, [0xc1002010, THREE + 0x20, INIT + 0x80])
    t.alloc(1, 0x1320, 2, chain(THREE, 0x10), flags=1)
    t.alloc(1, 0x1330, 2, [CALLER + 0x59, INIT + 0x80])	# its own
    t.alloc(1, 0x1400, 2, chain(UNKNOWN, 0x10))
    t.memory(20000)
    t.load_enter(2)
    t.module_load(2, b"driver")
    t.module_range(b"driver", DRIVER, 0x1000, flags=4)
    t.alloc(2, 0x1500, 5, [0xc1002010, DRIVER + 0x130, CALLER + 0x59])
    t.alloc(2, 0x1520, 3, [0xc1002010, DRIVER + 0x190, CALLER + 0x59])
    t.load_exit(2)
    for function in (ONE, TWO, THREE):
        t.initcall_function(function, 0x100)
    t.initcall_function(0xc3000000, 0x100)	# no initcall
    t.alloc(1, 0x1600, 6, chain(TWO, 0x90))
    t.alloc(1, 0x1640, 2, chain(ONE, 0x30))
    t.free(1, 0x1600, 6)
    t.free(1, 0x1110, 1)
    t.memory(19000)
