/* Generated from TripDetectionMachine. */
#define S_resting 0
#define S_leaving 1
#define S_moving 2
#define S_stopping 3
#define E_away 0
#define E_here 1
#define E_vehicle 2
#define E_unconfirmed 3
#define E_stayed 4
#define E_silent 5
#define E_start 6
#define E_stop 7

byte state = S_resting;

inline take(event) {
  if
  :: state == S_resting && event == E_away -> state = S_leaving
  :: state == S_resting && event == E_here -> skip /* The device is still at its place. */
  :: state == S_resting && event == E_vehicle -> skip /* A departure begins a trip, whatever the sensor reports. */
  :: state == S_resting && event == E_unconfirmed -> assert(false) /* There is no departure to confirm. */
  :: state == S_resting && event == E_stayed -> assert(false) /* There is no trip to end. */
  :: state == S_resting && event == E_silent -> assert(false) /* Fixes are rare at rest. */
  :: state == S_resting && event == E_start -> state = S_moving /* beginTrip */
  :: state == S_resting && event == E_stop -> skip /* There is no trip to end. */
  :: state == S_leaving && event == E_away -> state = S_moving /* beginTrip */
  :: state == S_leaving && event == E_here -> state = S_resting
  :: state == S_leaving && event == E_vehicle -> skip /* A departure begins a trip, whatever the sensor reports. */
  :: state == S_leaving && event == E_unconfirmed -> state = S_resting
  :: state == S_leaving && event == E_stayed -> assert(false) /* There is no trip to end. */
  :: state == S_leaving && event == E_silent -> assert(false) /* The departure has its own deadline. */
  :: state == S_leaving && event == E_start -> state = S_moving /* beginTrip */
  :: state == S_leaving && event == E_stop -> state = S_resting
  :: state == S_moving && event == E_away -> state = S_moving /* measure */
  :: state == S_moving && event == E_here -> state = S_stopping /* measure */
  :: state == S_moving && event == E_vehicle -> skip /* The device is already moving. */
  :: state == S_moving && event == E_unconfirmed -> assert(false) /* The departure is confirmed. */
  :: state == S_moving && event == E_stayed -> assert(false) /* The device hasn't stopped. */
  :: state == S_moving && event == E_silent -> state = S_resting /* endTrip */
  :: state == S_moving && event == E_start -> skip /* The trip has already begun. */
  :: state == S_moving && event == E_stop -> state = S_resting /* endTrip */
  :: state == S_stopping && event == E_away -> state = S_moving /* measure */
  :: state == S_stopping && event == E_here -> skip /* measure */
  :: state == S_stopping && event == E_vehicle -> state = S_moving
  :: state == S_stopping && event == E_unconfirmed -> assert(false) /* The departure is confirmed. */
  :: state == S_stopping && event == E_stayed -> state = S_resting /* endTrip */
  :: state == S_stopping && event == E_silent -> assert(false) /* A stop has its own deadline. */
  :: state == S_stopping && event == E_start -> skip /* The trip has already begun. */
  :: state == S_stopping && event == E_stop -> state = S_resting /* endTrip */
  fi
}

#ifndef NO_ENVIRONMENT
active proctype environment() {
end:
  do
  :: atomic { take(E_away) }
  :: atomic { take(E_here) }
  :: atomic { take(E_vehicle) }
  :: atomic { state != S_resting && state != S_moving && state != S_stopping -> take(E_unconfirmed) }
  :: atomic { state != S_resting && state != S_leaving && state != S_moving -> take(E_stayed) }
  :: atomic { state != S_resting && state != S_leaving && state != S_stopping -> take(E_silent) }
  :: atomic { take(E_start) }
  :: atomic { take(E_stop) }
  od
}
#endif
