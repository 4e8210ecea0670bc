// The machine as a flat table, with an entry of four bytes for each pair of state and event.

#include <array>

#include "rivals.h"
#include "machine.hpp"

using namespace machine;

namespace {

struct Entry {
  State next;
  uint8_t effectCount;
  uint16_t firstEffect;
};

struct Transition {
  State from;
  Event event;
  State to;
  int effect;  // -1: none
};

constexpr Transition transitions[] = {
    {initial, tryPrompt, prompted, requestAuthorization},
    {initial, forcePrompt, prompted, requestAuthorization},
    {prompted, authorized, acquiring, notifyAccessGranted},
    {prompted, refused, denied, notifyAccessDenied},
    {prompted, promptExpired, initial, notifyPromptExpired},
    {denied, forcePrompt, prompted, requestAuthorization},
    {denied, authorized, acquiring, notifyAccessGranted},
    {denied, authorizationReset, initial, -1},
    {waitingSignificantChange, significantChange, acquiring, notifySignificantChange},
    {waitingSignificantChange, lookDue, acquiring, notifyLookDue},
    {waitingSignificantChange, trackingRequested, acquiring, -1},
    {waitingSignificantChange, coarseFixAccepted, waitingSignificantChange, deliverLocation},
    {waitingSignificantChange, forceAcquire, acquiring, notifyForceAcquire},
    {waitingSignificantChange, pause, paused, notifyPaused},
    {waitingSignificantChange, refused, denied, notifyAccessDenied},
    {waitingSignificantChange, authorizationReset, initial, -1},
    {acquiring, fixAccepted, acquiring, deliverLocation},
    {acquiring, acquired, waitingSignificantChange, deliverLocation},
    {acquiring, acquisitionFailed, waitingSignificantChange, notifyAcquisitionFailed},
    {acquiring, pause, paused, notifyPaused},
    {acquiring, refused, denied, notifyAccessDenied},
    {acquiring, authorizationReset, initial, -1},
    {paused, resume, acquiring, notifyResumed},
};

struct Table {
  std::array<Entry, stateCount * eventCount> entries{};
  std::array<Effect, std::size(transitions)> effects{};
};

constexpr Table makeTable() {
  Table table{};
  for (int pair = 0; pair < stateCount * eventCount; pair++) {
    table.entries[pair] = {State(pair / eventCount), 0, 0};
  }
  uint16_t effectCount = 0;
  for (const Transition &transition : transitions) {
    Entry &entry = table.entries[transition.from * eventCount + transition.event];
    entry = {transition.to, 0, effectCount};
    if (transition.effect >= 0) {
      table.effects[effectCount++] = Effect(transition.effect);
      entry.effectCount = 1;
    }
  }
  return table;
}

constexpr Table table = makeTable();

class Machine {
 public:
  uint64_t sum = 0;

  void handle(Event event) {
    const Entry entry = table.entries[state * eventCount + event];
    state = entry.next;
    for (unsigned index = entry.firstEffect; index < entry.firstEffect + entry.effectCount; index++) {
      sum += table.effects[index];
    }
  }

 private:
  State state = initial;
};

}  // namespace

uint64_t rival_flat_table(const uint8_t *events, size_t count) {
  Machine machine;
  for (size_t index = 0; index < count; index++) machine.handle(Event(events[index]));
  return machine.sum;
}
