/* SPDX-License-Identifier: MIT */
#include "planted.c"
