#ifndef RIVALS_H
#define RIVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Each runs LocoKit's location machine from its initial state over `count` events, each a byte that is the event's position
/// among the machine's events, and returns the sum of the effects, each a number that `Effects.swift` gives it.
uint64_t rival_flat_table(const uint8_t *events, size_t count);
uint64_t rival_switch(const uint8_t *events, size_t count);
/// Only where `rival_has_boost_msm` is true; otherwise 0.
uint64_t rival_boost_msm(const uint8_t *events, size_t count);
extern const bool rival_has_boost_msm;

#ifdef __cplusplus
}
#endif

#endif
