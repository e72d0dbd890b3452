# SPDX-License-Identifier: MIT
"""Events with extreme values are counted where they belong."""
NONE = 2**64 - 1


def build(t):
    t.ram = [(0x100, 0x100), (0x1000, 0x100), (0x10000000000, 0x200)]
    t.comm(220, b"edge")
    t.alloc(220, NONE, 4, [0xc1000010])		# the kernel had none
    t.alloc(220, 0x180, 21)
    t.alloc(220, 0x180, 255)
    t.alloc(220, 0x180, 300)
    t.free(220, 0x180, 21)
    t.alloc(220, 0x90)				# outside of RAM
    t.free(220, 0x90)
    t.alloc(220, 0xf8, 4)			# half of it outside
    t.free(220, 0x1f8, 4)
    t.alloc(220, 0x10f0, 5, [0xc1000010])
    t.alloc(220, 0x10000000000, 9, [0xc1000010])
    t.free(220, 0x100001ff00)
    t.free(220, 0x100000001ff)
    t.alloc(220, 0x80, 10)			# over two ranges, and more
    t.rejected()
    t.rejected()
    t.exit(7777)
    t.now_ns -= 5000				# later than it says
    t.alloc(220, 0x1000)
    t.memory(0)
