# SPDX-License-Identifier: MIT
"""No room for modules: a module that is gone and holds only an area stays."""


def build(t):
    t.layout["modules"] = 16
    t.comm(210, b"modprobe")
    for i in range(14):
        t.load_enter(210)
        t.module_load(210, b"module_%d" % i)
        t.load_exit(210)
    for name, base, pages, gone in [
            (b"module_14", 0xe0000000, 9, b"module_2"),
            (b"module_15", 0xe0100000, 30, b"module_7")]:
        t.module_free(210, gone)
        t.load_enter(210)
        t.module_load(210, name)
        t.vmalloc(210, base, [pages], [0xc1000010])
        t.load_exit(210)
    t.vmallocinfo([(0xe0000000, 9, b"load_module+0x1/0x2 [module_14]"),
                   (0xe0100000, 30, b"load_module+0x1/0x2 [module_15]")])
    t.module_free(210, b"module_14")
    t.module_free(210, b"module_15")
    t.load_enter(210)			# finds no room
    t.load_exit(210)
    t.area_free(210, 0xe0100000)
    t.load_enter(210)			# that of module_15
    t.module_load(210, b"last")
    t.alloc(210, 0x1010, 1)
    t.load_exit(210)
