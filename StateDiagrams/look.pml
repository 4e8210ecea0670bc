/* Generated from LookMachine. */
#define S_moving 0
#define S_resting 1
#define S_blind 2
#define S_asleep 3
#define S_asleepMoving 4
#define S_asleepBlind 5
#define E_fixElsewhere 0
#define E_fixHere 1
#define E_noFix 2
#define E_stillness 3
#define E_settled 4
#define E_slow 5
#define E_woken 6

byte state = S_moving;

inline take(event) {
  if
  :: state == S_moving && event == E_fixElsewhere -> skip /* learnPace */
  :: state == S_moving && event == E_fixHere -> state = S_resting
  :: state == S_moving && event == E_noFix -> state = S_blind /* scheduleRetry */
  :: state == S_moving && event == E_stillness -> state = S_resting /* rest */
  :: state == S_moving && event == E_settled -> assert(false) /* A device is at rest before it settles. */
  :: state == S_moving && event == E_slow -> state = S_asleepMoving /* fallAsleep */
  :: state == S_moving && event == E_woken -> skip /* The app isn't suspended. */
  :: state == S_resting && event == E_fixElsewhere -> state = S_moving /* beginTrip */
  :: state == S_resting && event == E_fixHere -> skip /* waitLonger */
  :: state == S_resting && event == E_noFix -> skip /* backOff, waitLonger */
  :: state == S_resting && event == E_stillness -> skip /* The device is at rest already. */
  :: state == S_resting && event == E_settled -> state = S_asleep /* fallAsleep */
  :: state == S_resting && event == E_slow -> state = S_asleep /* fallAsleep */
  :: state == S_resting && event == E_woken -> skip /* The app isn't suspended. */
  :: state == S_blind && event == E_fixElsewhere -> state = S_moving /* learnPace */
  :: state == S_blind && event == E_fixHere -> state = S_resting
  :: state == S_blind && event == E_noFix -> skip /* scheduleRetry */
  :: state == S_blind && event == E_stillness -> state = S_resting /* rest */
  :: state == S_blind && event == E_settled -> assert(false) /* A device is at rest before it settles. */
  :: state == S_blind && event == E_slow -> assert(false) /* A speed is known only after a fix. */
  :: state == S_blind && event == E_woken -> skip /* The app isn't suspended. */
  :: state == S_asleep && event == E_fixElsewhere -> state = S_asleepMoving /* beginTrip */
  :: state == S_asleep && event == E_fixHere -> skip /* waitLonger */
  :: state == S_asleep && event == E_noFix -> skip /* backOff, waitLonger */
  :: state == S_asleep && event == E_stillness -> assert(false) /* While the app is suspended, the planner doesn't count stillness. */
  :: state == S_asleep && event == E_settled -> assert(false) /* While the app is suspended, the planner doesn't count stillness. */
  :: state == S_asleep && event == E_slow -> skip /* fallAsleep */
  :: state == S_asleep && event == E_woken -> state = S_resting /* wakeUp */
  :: state == S_asleepMoving && event == E_fixElsewhere -> skip /* learnPace */
  :: state == S_asleepMoving && event == E_fixHere -> state = S_asleep
  :: state == S_asleepMoving && event == E_noFix -> state = S_asleepBlind /* scheduleRetry */
  :: state == S_asleepMoving && event == E_stillness -> assert(false) /* While the app is suspended, the planner doesn't count stillness. */
  :: state == S_asleepMoving && event == E_settled -> assert(false) /* While the app is suspended, the planner doesn't count stillness. */
  :: state == S_asleepMoving && event == E_slow -> skip /* fallAsleep */
  :: state == S_asleepMoving && event == E_woken -> state = S_moving /* wakeUp */
  :: state == S_asleepBlind && event == E_fixElsewhere -> state = S_asleepMoving /* learnPace */
  :: state == S_asleepBlind && event == E_fixHere -> state = S_asleep
  :: state == S_asleepBlind && event == E_noFix -> skip /* scheduleRetry */
  :: state == S_asleepBlind && event == E_stillness -> assert(false) /* While the app is suspended, the planner doesn't count stillness. */
  :: state == S_asleepBlind && event == E_settled -> assert(false) /* While the app is suspended, the planner doesn't count stillness. */
  :: state == S_asleepBlind && event == E_slow -> assert(false) /* A speed is known only after a fix. */
  :: state == S_asleepBlind && event == E_woken -> state = S_blind /* wakeUp */
  fi
}

#ifndef NO_ENVIRONMENT
active proctype environment() {
end:
  do
  :: atomic { take(E_fixElsewhere) }
  :: atomic { take(E_fixHere) }
  :: atomic { take(E_noFix) }
  :: atomic { state != S_asleep && state != S_asleepMoving && state != S_asleepBlind -> take(E_stillness) }
  :: atomic { state != S_moving && state != S_blind && state != S_asleep && state != S_asleepMoving && state != S_asleepBlind -> take(E_settled) }
  :: atomic { state != S_blind && state != S_asleepBlind -> take(E_slow) }
  :: atomic { take(E_woken) }
  od
}
#endif
