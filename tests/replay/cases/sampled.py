# SPDX-License-Identifier: MIT
"""No probes: areas as samples of vmallocinfo showed them."""
SAMPLED = 128
BEFORE = (0xe0000000, 500, b"of_before+0x1/0x2")
CORE = (0xd0000000, 16, b"module_alloc+0x5/0x50")
OWN = (0xe0100000, 64, b"planted_init+0x40/0x90 [planted]")
STACK = (0xe0200000, 4, b"kernel_clone+0xbf/0x430")


def build(t):
    t.vmallocinfo([BEFORE], SAMPLED)
    t.memory(30000)
    t.load_enter(130)
    t.module_load(130, b"planted")
    t.module_range(b"planted", 0xd0000000, 0x4000)
    t.load_exit(130)
    t.vmallocinfo([BEFORE, CORE, OWN, STACK], SAMPLED)
    t.vmallocinfo([BEFORE, CORE, OWN, STACK], SAMPLED)	# nothing is new
    t.vmallocinfo([CORE, OWN, (0xe0300000, 7, STACK[2])], SAMPLED)
    t.module_free(130, b"planted")
    t.vmallocinfo([OWN, (0xe0400000, 8, b"x [planted]")], SAMPLED)
    t.memory(30000 - 72)
