#ifndef ALLOCATION_COUNTER_H
#define ALLOCATION_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/// Returns whether this platform counts allocations: it does with glibc.
bool allocation_counter_works(void);
/// Returns the number of blocks that the calling thread has allocated with malloc and related functions.
uint64_t allocation_counter_count(void);

#endif
