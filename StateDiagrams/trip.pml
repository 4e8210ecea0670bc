/* Generated from TripMachine. */
#define S_idle 0
#define S_prepared 1
#define S_recording 2
#define S_stopped 3
#define E_prepare 0
#define E_start 1
#define E_stop 2
#define E_reset 3
#define E_fix 4
#define E_signalChanged 5
#define E_weakForLong 6
#define E_silence 7

byte state = S_idle;

inline take(event) {
  if
  :: state == S_idle && event == E_prepare -> state = S_prepared
  :: state == S_idle && event == E_start -> state = S_recording
  :: state == S_idle && event == E_stop -> skip /* There is no trip to stop. */
  :: state == S_idle && event == E_reset -> skip /* clear */
  :: state == S_idle && event == E_fix -> skip /* The fix belongs to another consumer. */
  :: state == S_idle && event == E_signalChanged -> assert(false) /* The recorder doesn't use the GPS. */
  :: state == S_idle && event == E_weakForLong -> assert(false) /* The recorder doesn't wait for a better signal. */
  :: state == S_idle && event == E_silence -> assert(false) /* The recorder expects no fix. */
  :: state == S_prepared && event == E_prepare -> skip /* The GPS is already on. */
  :: state == S_prepared && event == E_start -> state = S_recording
  :: state == S_prepared && event == E_stop -> state = S_stopped
  :: state == S_prepared && event == E_reset -> skip /* clear */
  :: state == S_prepared && event == E_fix -> skip /* The distance doesn't count while the GPS warms up. */
  :: state == S_prepared && event == E_signalChanged -> skip /* notifySignal */
  :: state == S_prepared && event == E_weakForLong -> skip /* allowWeakFixes, notifyWeak */
  :: state == S_prepared && event == E_silence -> skip /* restartReceiver */
  :: state == S_recording && event == E_prepare -> skip /* The GPS is already on. */
  :: state == S_recording && event == E_start -> skip /* The trip is already recorded. */
  :: state == S_recording && event == E_stop -> state = S_stopped /* endSegment */
  :: state == S_recording && event == E_reset -> skip /* clear */
  :: state == S_recording && event == E_fix -> skip /* measure */
  :: state == S_recording && event == E_signalChanged -> skip /* notifySignal */
  :: state == S_recording && event == E_weakForLong -> skip /* allowWeakFixes, notifyWeak */
  :: state == S_recording && event == E_silence -> skip /* restartReceiver */
  :: state == S_stopped && event == E_prepare -> state = S_prepared
  :: state == S_stopped && event == E_start -> state = S_recording
  :: state == S_stopped && event == E_stop -> skip /* There is no trip to stop. */
  :: state == S_stopped && event == E_reset -> state = S_idle /* clear */
  :: state == S_stopped && event == E_fix -> skip /* The fix belongs to another consumer. */
  :: state == S_stopped && event == E_signalChanged -> assert(false) /* The recorder doesn't use the GPS. */
  :: state == S_stopped && event == E_weakForLong -> assert(false) /* The recorder doesn't wait for a better signal. */
  :: state == S_stopped && event == E_silence -> assert(false) /* The recorder expects no fix. */
  fi
}

#ifndef NO_ENVIRONMENT
active proctype environment() {
end:
  do
  :: atomic { take(E_prepare) }
  :: atomic { take(E_start) }
  :: atomic { take(E_stop) }
  :: atomic { take(E_reset) }
  :: atomic { take(E_fix) }
  :: atomic { state != S_idle && state != S_stopped -> take(E_signalChanged) }
  :: atomic { state != S_idle && state != S_stopped -> take(E_weakForLong) }
  :: atomic { state != S_idle && state != S_stopped -> take(E_silence) }
  od
}
#endif
