/* Generated from Turnstile. */
#define S_locked 0
#define S_unlocked 1
#define E_coin 0
#define E_push 1

byte state = S_locked;

inline take(event) {
  if
  :: state == S_locked && event == E_coin -> state = S_unlocked
  :: state == S_locked && event == E_push -> skip /* The arm is locked until a coin is paid. */
  :: state == S_unlocked && event == E_coin -> skip /* refund */
  :: state == S_unlocked && event == E_push -> state = S_locked
  fi
}

#ifndef NO_ENVIRONMENT
active proctype environment() {
end:
  do
  :: atomic { take(E_coin) }
  :: atomic { take(E_push) }
  od
}
#endif
