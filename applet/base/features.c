/* SPDX-License-Identifier: MIT */
/* Compiled for each configuration: see base.h, features. */
#include "base/base.h"

const uint32_t features = WITH;
