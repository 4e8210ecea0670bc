/* Generated from PaceMachine. */
#define S_ordinary 0
#define S_walking 1
#define S_highway 2
#define E_walkModeOn 0
#define E_walkModeOff 1
#define E_fast 2
#define E_slow 3

byte state = S_ordinary;

inline take(event) {
  if
  :: state == S_ordinary && event == E_walkModeOn -> state = S_walking
  :: state == S_ordinary && event == E_walkModeOff -> skip /* The walk mode is already off. */
  :: state == S_ordinary && event == E_fast -> state = S_highway
  :: state == S_ordinary && event == E_slow -> skip /* The pace is already ordinary. */
  :: state == S_walking && event == E_walkModeOn -> skip /* The walk mode is already on. */
  :: state == S_walking && event == E_walkModeOff -> state = S_ordinary
  :: state == S_walking && event == E_fast -> skip /* The walk mode takes precedence over the speed. */
  :: state == S_walking && event == E_slow -> skip /* A low speed is expected in the walk mode. */
  :: state == S_highway && event == E_walkModeOn -> state = S_walking
  :: state == S_highway && event == E_walkModeOff -> skip /* The pace is highway, so the walk mode is already off. */
  :: state == S_highway && event == E_fast -> skip /* The pace is already highway. */
  :: state == S_highway && event == E_slow -> state = S_ordinary
  fi
}

#ifndef NO_ENVIRONMENT
active proctype environment() {
  do
  :: atomic { take(E_walkModeOn) }
  :: atomic { take(E_walkModeOff) }
  :: atomic { take(E_fast) }
  :: atomic { take(E_slow) }
  od
}
#endif
