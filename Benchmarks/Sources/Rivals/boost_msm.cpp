// The machine in Boost.MSM, if Boost's headers are installed.

#include "rivals.h"
#include "machine.hpp"

#if __has_include(<boost/msm/back/state_machine.hpp>)

#define BOOST_MPL_CFG_NO_PREPROCESSED_HEADERS
#define BOOST_MPL_LIMIT_LIST_SIZE 30
#define BOOST_MPL_LIMIT_VECTOR_SIZE 30
#include <boost/msm/back/state_machine.hpp>
#include <boost/msm/front/functor_row.hpp>
#include <boost/msm/front/state_machine_def.hpp>

namespace {

namespace front = boost::msm::front;

template <machine::Event>
struct On {};

template <machine::Effect effect>
struct Perform {
  template <class Event, class Machine, class From, class To>
  void operator()(const Event &, Machine &machine, From &, To &) {
    machine.sum += effect;
  }
};

struct Definition : front::state_machine_def<Definition> {
  using no_exception_thrown = int;
  using no_message_queue = int;

  uint64_t sum = 0;

  struct Initial : front::state<> {};
  struct Prompted : front::state<> {};
  struct Denied : front::state<> {};
  struct Waiting : front::state<> {};
  struct Acquiring : front::state<> {};
  struct Paused : front::state<> {};
  using initial_state = Initial;

  template <class From, machine::Event event, class To, class Action = front::none>
  using Row = front::Row<From, On<event>, To, Action>;

  struct transition_table
      : boost::mpl::vector<
            Row<Initial, machine::tryPrompt, Prompted, Perform<machine::requestAuthorization>>,
            Row<Initial, machine::forcePrompt, Prompted, Perform<machine::requestAuthorization>>,
            Row<Prompted, machine::authorized, Acquiring, Perform<machine::notifyAccessGranted>>,
            Row<Prompted, machine::refused, Denied, Perform<machine::notifyAccessDenied>>,
            Row<Prompted, machine::promptExpired, Initial, Perform<machine::notifyPromptExpired>>,
            Row<Denied, machine::forcePrompt, Prompted, Perform<machine::requestAuthorization>>,
            Row<Denied, machine::authorized, Acquiring, Perform<machine::notifyAccessGranted>>,
            Row<Denied, machine::authorizationReset, Initial>,
            Row<Waiting, machine::significantChange, Acquiring, Perform<machine::notifySignificantChange>>,
            Row<Waiting, machine::lookDue, Acquiring, Perform<machine::notifyLookDue>>,
            Row<Waiting, machine::trackingRequested, Acquiring>,
            Row<Waiting, machine::coarseFixAccepted, front::none, Perform<machine::deliverLocation>>,
            Row<Waiting, machine::forceAcquire, Acquiring, Perform<machine::notifyForceAcquire>>,
            Row<Waiting, machine::pause, Paused, Perform<machine::notifyPaused>>,
            Row<Waiting, machine::refused, Denied, Perform<machine::notifyAccessDenied>>,
            Row<Waiting, machine::authorizationReset, Initial>,
            Row<Acquiring, machine::fixAccepted, front::none, Perform<machine::deliverLocation>>,
            Row<Acquiring, machine::acquired, Waiting, Perform<machine::deliverLocation>>,
            Row<Acquiring, machine::acquisitionFailed, Waiting, Perform<machine::notifyAcquisitionFailed>>,
            Row<Acquiring, machine::pause, Paused, Perform<machine::notifyPaused>>,
            Row<Acquiring, machine::refused, Denied, Perform<machine::notifyAccessDenied>>,
            Row<Acquiring, machine::authorizationReset, Initial>,
            Row<Paused, machine::resume, Acquiring, Perform<machine::notifyResumed>>> {};

  template <class Machine, class Event>
  void no_transition(const Event &, Machine &, int) {}
};

using Machine = boost::msm::back::state_machine<Definition>;

}  // namespace

extern "C" const bool rival_has_boost_msm = true;

uint64_t rival_boost_msm(const uint8_t *events, size_t count) {
  Machine machine;
  machine.start();
  for (size_t index = 0; index < count; index++) {
    switch (machine::Event(events[index])) {
      case machine::tryPrompt: machine.process_event(On<machine::tryPrompt>()); break;
      case machine::forcePrompt: machine.process_event(On<machine::forcePrompt>()); break;
      case machine::promptExpired: machine.process_event(On<machine::promptExpired>()); break;
      case machine::authorized: machine.process_event(On<machine::authorized>()); break;
      case machine::refused: machine.process_event(On<machine::refused>()); break;
      case machine::authorizationReset: machine.process_event(On<machine::authorizationReset>()); break;
      case machine::significantChange: machine.process_event(On<machine::significantChange>()); break;
      case machine::lookDue: machine.process_event(On<machine::lookDue>()); break;
      case machine::trackingRequested: machine.process_event(On<machine::trackingRequested>()); break;
      case machine::coarseFixAccepted: machine.process_event(On<machine::coarseFixAccepted>()); break;
      case machine::fixAccepted: machine.process_event(On<machine::fixAccepted>()); break;
      case machine::acquired: machine.process_event(On<machine::acquired>()); break;
      case machine::acquisitionFailed: machine.process_event(On<machine::acquisitionFailed>()); break;
      case machine::pause: machine.process_event(On<machine::pause>()); break;
      case machine::resume: machine.process_event(On<machine::resume>()); break;
      case machine::forceAcquire: machine.process_event(On<machine::forceAcquire>()); break;
    }
  }
  return machine.sum;
}

#else

extern "C" const bool rival_has_boost_msm = false;

uint64_t rival_boost_msm(const uint8_t *, size_t) { return 0; }

#endif
