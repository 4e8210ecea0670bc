// The functions that Embedded Swift needs from a platform. Memory blocks have sizes of powers of two; each size has a list of free
// blocks.

#include <stddef.h>
#include <stdint.h>

extern unsigned char __heap_base;
static uintptr_t top;
static void *free_blocks[32];

typedef struct {
  uint32_t class;
  uint32_t padding[3];
} Header;

static void *allocate(size_t size) {
  uint32_t class = 5;
  while (((size_t)1 << class) < size + sizeof(Header)) class++;
  Header *block = free_blocks[class];
  if (block) {
    free_blocks[class] = *(void **)(block + 1);
  } else {
    if (!top) top = ((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15;
    block = (Header *)top;
    top += (size_t)1 << class;
    size_t have = __builtin_wasm_memory_size(0) * 65536;
    if (top > have && __builtin_wasm_memory_grow(0, (top - have + 65535) / 65536) == (size_t)-1) __builtin_trap();
  }
  block->class = class;
  return block + 1;
}

void *malloc(size_t size) { return allocate(size); }

int posix_memalign(void **block, size_t alignment, size_t size) {
  if (alignment > 16) __builtin_trap();
  *block = allocate(size);
  return 0;
}

void free(void *memory) {
  if (!memory) return;
  Header *block = (Header *)memory - 1;
  *(void **)memory = free_blocks[block->class];
  free_blocks[block->class] = block;
}

// Seeds for hash tables. The page has no secrets, so they are constant.
void arc4random_buf(void *bytes, size_t size) {
  for (size_t index = 0; index < size; index++) ((unsigned char *)bytes)[index] = 0x5A;
}

// The instructions of WebAssembly's bulk memory operations.
void *memmove(void *to, const void *from, size_t size) { return __builtin_memmove(to, from, size); }
void *memcpy(void *to, const void *from, size_t size) { return __builtin_memcpy(to, from, size); }
void *memset(void *to, int value, size_t size) { return __builtin_memset(to, value, size); }

int memcmp(const void *first, const void *second, size_t size) {
  const unsigned char *a = first, *b = second;
  for (size_t index = 0; index < size; index++) {
    if (a[index] != b[index]) return a[index] < b[index] ? -1 : 1;
  }
  return 0;
}

int putchar(int character) { return character; }

typedef union {
  __int128 whole;
  struct {
    uint64_t low, high;
  } half;
} Wide;

// Multiplies 128-bit integers, the type of durations, from 64-bit and 32-bit halves.
__int128 __multi3(__int128 first, __int128 second) {
  Wide a = {.whole = first}, b = {.whole = second}, product;
  uint64_t al = (uint32_t)a.half.low, ah = a.half.low >> 32, bl = (uint32_t)b.half.low, bh = b.half.low >> 32;
  uint64_t middle = ah * bl + (al * bl >> 32);
  uint64_t other = (uint32_t)middle + al * bh;
  product.half.low = other << 32 | (uint32_t)(al * bl);
  product.half.high = ah * bh + (middle >> 32) + (other >> 32) + a.half.low * b.half.high + a.half.high * b.half.low;
  return product.whole;
}
