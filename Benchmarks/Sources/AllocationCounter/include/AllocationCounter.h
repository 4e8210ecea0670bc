#ifndef ALLOCATION_COUNTER_H
#define ALLOCATION_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/// Whether allocations are counted on this platform: where the C library is glibc.
bool allocation_counter_works(void);
/// How many blocks the calling thread has been given so far by malloc and its kin.
uint64_t allocation_counter_count(void);

#endif
