// The machine as a hand-written switch.

#include "rivals.h"
#include "machine.hpp"

using namespace machine;

namespace {

class Machine {
 public:
  uint64_t sum = 0;

  void handle(Event event) {
    switch (state) {
      case initial:
        switch (event) {
          case tryPrompt: case forcePrompt: go(prompted, requestAuthorization); break;
          default: break;
        }
        break;
      case prompted:
        switch (event) {
          case promptExpired: go(initial, notifyPromptExpired); break;
          case authorized: go(acquiring, notifyAccessGranted); break;
          case refused: go(denied, notifyAccessDenied); break;
          default: break;
        }
        break;
      case denied:
        switch (event) {
          case forcePrompt: go(prompted, requestAuthorization); break;
          case authorized: go(acquiring, notifyAccessGranted); break;
          case authorizationReset: state = initial; break;
          default: break;
        }
        break;
      case waitingSignificantChange:
        switch (event) {
          case refused: go(denied, notifyAccessDenied); break;
          case authorizationReset: state = initial; break;
          case significantChange: go(acquiring, notifySignificantChange); break;
          case lookDue: go(acquiring, notifyLookDue); break;
          case trackingRequested: state = acquiring; break;
          case coarseFixAccepted: perform(deliverLocation); break;
          case pause: go(paused, notifyPaused); break;
          case forceAcquire: go(acquiring, notifyForceAcquire); break;
          default: break;
        }
        break;
      case acquiring:
        switch (event) {
          case refused: go(denied, notifyAccessDenied); break;
          case authorizationReset: state = initial; break;
          case fixAccepted: perform(deliverLocation); break;
          case acquired: go(waitingSignificantChange, deliverLocation); break;
          case acquisitionFailed: go(waitingSignificantChange, notifyAcquisitionFailed); break;
          case pause: go(paused, notifyPaused); break;
          default: break;
        }
        break;
      case paused:
        switch (event) {
          case resume: go(acquiring, notifyResumed); break;
          default: break;
        }
        break;
    }
  }

 private:
  State state = initial;

  void go(State next, Effect effect) {
    state = next;
    perform(effect);
  }

  void perform(Effect effect) { sum += effect; }
};

}  // namespace

uint64_t rival_switch(const uint8_t *events, size_t count) {
  Machine machine;
  for (size_t index = 0; index < count; index++) machine.handle(Event(events[index]));
  return machine.sum;
}
