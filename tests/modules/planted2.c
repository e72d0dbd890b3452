#include "planted.c"
