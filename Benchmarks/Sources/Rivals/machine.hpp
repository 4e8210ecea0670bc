// LocoKit's location machine in C++: the same states, events and effects in the same order.

#pragma once

#include <cstdint>

namespace machine {

enum State : uint8_t { initial, prompted, denied, waitingSignificantChange, acquiring, paused };
constexpr int stateCount = 6;

enum Event : uint8_t {
  tryPrompt,
  forcePrompt,
  promptExpired,
  authorized,
  refused,
  authorizationReset,
  significantChange,
  lookDue,
  trackingRequested,
  coarseFixAccepted,
  fixAccepted,
  acquired,
  acquisitionFailed,
  pause,
  resume,
  forceAcquire,
};
constexpr int eventCount = 16;

/// A run returns the sum of its effects, so each has a different number.
enum Effect : uint8_t {
  notifyAccessGranted = 1,
  notifyAccessDenied,
  notifyPromptExpired,
  notifySignificantChange,
  notifyLookDue,
  notifyForceAcquire,
  notifyAcquisitionFailed,
  notifyPaused,
  notifyResumed,
  requestAuthorization,
  deliverLocation,
};

}  // namespace machine
