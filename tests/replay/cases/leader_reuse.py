# SPDX-License-Identifier: MIT
"""A thread's exit and the fork of a process with its number are both lost: the
number's threads are not the old process's."""


def build(t):
    t.fork(100, 1)
    t.fork(200, 100, tgid=100)
    t.alloc(201, 0x1000, tgid=200)	# of the process 200
    t.fork(300, 100, tgid=100)
    t.fork(301, 300, tgid=300)
    t.alloc(301, 0x1010, 1, tgid=300)	# of the process 300
