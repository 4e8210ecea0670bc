/* Generated from LookMachine. */
#define S_moving 0
#define S_resting 1
#define S_blind 2
#define E_fixElsewhere 0
#define E_fixHere 1
#define E_noFix 2
#define E_stillness 3

byte state = S_moving;

inline take(event) {
  if
  :: state == S_moving && event == E_fixElsewhere -> skip /* learnPace */
  :: state == S_moving && event == E_fixHere -> state = S_resting /* rest */
  :: state == S_moving && event == E_noFix -> state = S_blind /* putOff */
  :: state == S_moving && event == E_stillness -> state = S_resting /* rest */
  :: state == S_resting && event == E_fixElsewhere -> state = S_moving /* beginTrip */
  :: state == S_resting && event == E_fixHere -> skip /* rest */
  :: state == S_resting && event == E_noFix -> skip /* putOff */
  :: state == S_resting && event == E_stillness -> skip /* The device is at rest already. */
  :: state == S_blind && event == E_fixElsewhere -> state = S_moving /* learnPace */
  :: state == S_blind && event == E_fixHere -> state = S_resting /* rest */
  :: state == S_blind && event == E_noFix -> skip /* putOff */
  :: state == S_blind && event == E_stillness -> state = S_resting /* rest */
  fi
}

#ifndef NO_ENVIRONMENT
active proctype environment() {
  do
  :: atomic { take(E_fixElsewhere) }
  :: atomic { take(E_fixHere) }
  :: atomic { take(E_noFix) }
  :: atomic { take(E_stillness) }
  od
}
#endif
