/* Generated from GPSDMachine. */
#define S_closed 0
#define S_connecting 1
#define S_greeting 2
#define S_idle 3
#define S_watching 4
#define S_withoutReceiver 5
#define S_backingOff 6
#define E_receiverWanted 0
#define E_receiverUnwanted 1
#define E_released 2
#define E_connected 3
#define E_identified 4
#define E_greeted 5
#define E_failed 6
#define E_retryDue 7
#define E_receiverFound 8
#define E_receiverMissing 9
#define E_receiversReopened 10

byte state = S_closed;

inline take(event) {
  if
  :: state == S_closed && event == E_receiverWanted -> state = S_connecting /* connect */
  :: state == S_closed && event == E_receiverUnwanted -> skip /* The receiver is off already. */
  :: state == S_closed && event == E_released -> skip /* There is no connection. */
  :: state == S_closed && event == E_connected -> skip /* The connection was canceled. */
  :: state == S_closed && event == E_identified -> skip /* The report is from an earlier connection. */
  :: state == S_closed && event == E_greeted -> skip /* The report is from an earlier connection. */
  :: state == S_closed && event == E_failed -> skip /* There is no connection. */
  :: state == S_closed && event == E_retryDue -> skip /* No back-off runs; receiverWanted starts the connection. */
  :: state == S_closed && event == E_receiverFound -> skip /* The report is from an earlier connection. */
  :: state == S_closed && event == E_receiverMissing -> skip /* The report is from an earlier connection. */
  :: state == S_closed && event == E_receiversReopened -> skip /* The receiver is no longer wanted. */
  :: state == S_connecting && event == E_receiverWanted -> skip /* The connection is being made. */
  :: state == S_connecting && event == E_receiverUnwanted -> skip /* The connection is made anyway, and becomes idle. */
  :: state == S_connecting && event == E_released -> state = S_closed /* disconnect */
  :: state == S_connecting && event == E_connected -> state = S_greeting
  :: state == S_connecting && event == E_identified -> skip /* gpsd sends nothing before it is connected. */
  :: state == S_connecting && event == E_greeted -> skip /* gpsd sends nothing before it is connected. */
  :: state == S_connecting && event == E_failed -> state = S_backingOff /* disconnect */
  :: state == S_connecting && event == E_retryDue -> skip /* The connection is being made. */
  :: state == S_connecting && event == E_receiverFound -> skip /* gpsd sends nothing before it is connected. */
  :: state == S_connecting && event == E_receiverMissing -> skip /* gpsd sends nothing before it is connected. */
  :: state == S_connecting && event == E_receiversReopened -> skip /* gpsd can't be asked before it is connected. */
  :: state == S_greeting && event == E_receiverWanted -> skip /* The watch begins after the greeting. */
  :: state == S_greeting && event == E_receiverUnwanted -> skip /* The connection stays open, and becomes idle. */
  :: state == S_greeting && event == E_released -> state = S_closed /* disconnect */
  :: state == S_greeting && event == E_connected -> skip /* The connection is made already. */
  :: state == S_greeting && event == E_identified -> skip /* listReceivers */
  :: state == S_greeting && event == E_greeted -> state = S_idle
  :: state == S_greeting && event == E_failed -> state = S_backingOff /* disconnect */
  :: state == S_greeting && event == E_retryDue -> skip /* The watch begins after the greeting. */
  :: state == S_greeting && event == E_receiverFound -> skip /* The receiver isn't watched yet. */
  :: state == S_greeting && event == E_receiverMissing -> skip /* The receiver isn't watched yet. */
  :: state == S_greeting && event == E_receiversReopened -> skip /* The watch begins after the greeting. */
  :: state == S_idle && event == E_receiverWanted -> state = S_watching /* watch */
  :: state == S_idle && event == E_receiverUnwanted -> skip /* The receiver isn't watched. */
  :: state == S_idle && event == E_released -> state = S_closed /* disconnect */
  :: state == S_idle && event == E_connected -> skip /* The connection is made already. */
  :: state == S_idle && event == E_identified -> skip /* The greeting is over. */
  :: state == S_idle && event == E_greeted -> skip /* The greeting is over. */
  :: state == S_idle && event == E_failed -> state = S_closed /* disconnect */
  :: state == S_idle && event == E_retryDue -> skip /* No back-off runs; receiverWanted starts the watch. */
  :: state == S_idle && event == E_receiverFound -> skip /* The receiver isn't watched; another program may watch it. */
  :: state == S_idle && event == E_receiverMissing -> skip /* The receiver isn't watched, so it isn't missed. */
  :: state == S_idle && event == E_receiversReopened -> skip /* The receiver is no longer wanted. */
  :: state == S_watching && event == E_receiverWanted -> skip /* The receiver is watched already. */
  :: state == S_watching && event == E_receiverUnwanted -> state = S_idle /* unwatch */
  :: state == S_watching && event == E_released -> state = S_idle /* unwatch */
  :: state == S_watching && event == E_connected -> skip /* The connection is made already. */
  :: state == S_watching && event == E_identified -> skip /* The greeting is over. */
  :: state == S_watching && event == E_greeted -> skip /* The greeting is over. */
  :: state == S_watching && event == E_failed -> state = S_backingOff /* disconnect */
  :: state == S_watching && event == E_retryDue -> skip /* The receiver is watched already. */
  :: state == S_watching && event == E_receiverFound -> skip /* gpsd has the receiver already. */
  :: state == S_watching && event == E_receiverMissing -> state = S_withoutReceiver
  :: state == S_watching && event == E_receiversReopened -> skip /* watch */
  :: state == S_withoutReceiver && event == E_receiverWanted -> skip /* gpsd is asked for the receiver already. */
  :: state == S_withoutReceiver && event == E_receiverUnwanted -> state = S_idle /* unwatch */
  :: state == S_withoutReceiver && event == E_released -> state = S_idle /* unwatch */
  :: state == S_withoutReceiver && event == E_connected -> skip /* The connection is made already. */
  :: state == S_withoutReceiver && event == E_identified -> skip /* The greeting is over. */
  :: state == S_withoutReceiver && event == E_greeted -> skip /* The greeting is over. */
  :: state == S_withoutReceiver && event == E_failed -> state = S_backingOff /* disconnect */
  :: state == S_withoutReceiver && event == E_retryDue -> skip /* gpsd is asked for the receiver already. */
  :: state == S_withoutReceiver && event == E_receiverFound -> state = S_watching
  :: state == S_withoutReceiver && event == E_receiverMissing -> skip /* The receiver is missing already. */
  :: state == S_withoutReceiver && event == E_receiversReopened -> skip /* watch */
  :: state == S_backingOff && event == E_receiverWanted -> skip /* The next attempt begins when the back-off is over. */
  :: state == S_backingOff && event == E_receiverUnwanted -> skip /* The receiver is off already. */
  :: state == S_backingOff && event == E_released -> state = S_closed
  :: state == S_backingOff && event == E_connected -> skip /* The connection was canceled. */
  :: state == S_backingOff && event == E_identified -> skip /* The report is from an earlier connection. */
  :: state == S_backingOff && event == E_greeted -> skip /* The report is from an earlier connection. */
  :: state == S_backingOff && event == E_failed -> skip /* The failure is handled already. */
  :: state == S_backingOff && event == E_retryDue -> state = S_connecting /* connect */
  :: state == S_backingOff && event == E_receiverFound -> skip /* The report is from an earlier connection. */
  :: state == S_backingOff && event == E_receiverMissing -> skip /* The report is from an earlier connection. */
  :: state == S_backingOff && event == E_receiversReopened -> skip /* There is no connection. */
  fi
}

#ifndef NO_ENVIRONMENT
active proctype environment() {
end:
  do
  :: atomic { take(E_receiverWanted) }
  :: atomic { take(E_receiverUnwanted) }
  :: atomic { take(E_released) }
  :: atomic { take(E_connected) }
  :: atomic { take(E_identified) }
  :: atomic { take(E_greeted) }
  :: atomic { take(E_failed) }
  :: atomic { take(E_retryDue) }
  :: atomic { take(E_receiverFound) }
  :: atomic { take(E_receiverMissing) }
  :: atomic { take(E_receiversReopened) }
  od
}
#endif
