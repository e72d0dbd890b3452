/* SPDX-License-Identifier: MIT */
/*
 * Before each function RISC-V keeps an address, for which the function must be
 * aligned. A compiler before GCC 13 does not align functions that it thinks run
 * seldom, whatever option asks for it; it obeys an attribute.
 */
#include <linux/init.h>

#undef noinline
#define noinline __attribute__((__noinline__, __aligned__(8)))
#undef __init
#define __init __section(".init.text") __aligned(8)
#undef __exit
#define __exit __section(".exit.text") __used __aligned(8)
