# SPDX-License-Identifier: MIT
"""Pages taken and freed after the event of an exit belong to that process."""


def build(t):
    t.fork(400, 1)
    t.comm(400, b"leaving")
    t.alloc(400, 0x1000, 4)
    t.exit(400)
    t.free(400, 0x1000, 3)
    t.alloc(400, 0x2000, 1, [0xc1000010])
    t.exit(400)
    t.free(400, 0x1008, 3)
    t.fork(401, 400, tgid=400)		# its leader is a zombie
    t.alloc(401, 0x3000)
    t.exit(401)
    t.alloc(402, 0x3001, tgid=400)	# a thread whose fork was not seen
    t.comm(400, b"next")		# the number is used again
    t.alloc(400, 0x4000, 1)
