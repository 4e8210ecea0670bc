/* Generated from PaceMachine. */
#define S_ordinary 0
#define S_highway 1
#define E_fast 0
#define E_slow 1

byte state = S_ordinary;

inline take(event) {
  if
  :: state == S_ordinary && event == E_fast -> state = S_highway
  :: state == S_ordinary && event == E_slow -> skip /* The pace is already ordinary. */
  :: state == S_highway && event == E_fast -> skip /* The pace is already highway. */
  :: state == S_highway && event == E_slow -> state = S_ordinary
  fi
}

#ifndef NO_ENVIRONMENT
active proctype environment() {
end:
  do
  :: atomic { take(E_fast) }
  :: atomic { take(E_slow) }
  od
}
#endif
