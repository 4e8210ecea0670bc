#ifndef RIVALS_H
#define RIVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Runs LocoKit's location machine from its initial state over `count` events and returns the sum of the effects' numbers. An event is a
/// byte: its index among the machine's events.
uint64_t rival_flat_table(const uint8_t *events, size_t count);
uint64_t rival_switch(const uint8_t *events, size_t count);
/// Returns 0 if `rival_has_boost_msm` is false.
uint64_t rival_boost_msm(const uint8_t *events, size_t count);
extern const bool rival_has_boost_msm;

#ifdef __cplusplus
}
#endif

#endif
