// Replaces malloc and related functions: counts each call and forwards it to glibc. A program that links this file counts allocations
// for each thread.

#include "AllocationCounter.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#if defined(__GLIBC__)

static __thread uint64_t count;

bool allocation_counter_works(void) { return true; }
uint64_t allocation_counter_count(void) { return count; }

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t number, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
  count++;
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count++;
  return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
  count++;
  return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
  count++;
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count++;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) return EINVAL;
  count++;
  void *new = __libc_memalign(alignment, size);
  if (new == NULL) return ENOMEM;
  *block = new;
  return 0;
}

#else

bool allocation_counter_works(void) { return false; }
uint64_t allocation_counter_count(void) { return 0; }

#endif
