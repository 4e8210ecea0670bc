/* Generated from LocationMachine. */
#define S_init 0
#define S_prompted 1
#define S_denied 2
#define S_waitingSignificantChange 3
#define S_acquiring 4
#define S_paused 5
#define E_tryPrompt 0
#define E_forcePrompt 1
#define E_promptExpired 2
#define E_authorized 3
#define E_refused 4
#define E_authorizationReset 5
#define E_significantChange 6
#define E_lookDue 7
#define E_trackingRequested 8
#define E_coarseFixAccepted 9
#define E_fixAccepted 10
#define E_acquired 11
#define E_acquisitionFailed 12
#define E_pause 13
#define E_resume 14
#define E_forceAcquire 15

byte state = S_init;
bool A_significantChanges = false;
bool A_gps = false;

inline take(event) {
  if
  :: state == S_init && event == E_tryPrompt -> state = S_prompted /* requestAuthorization */
  :: state == S_init && event == E_forcePrompt -> state = S_prompted /* requestAuthorization */
  :: state == S_init && event == E_promptExpired -> assert(false) /* No prompt is shown, so none can expire. */
  :: state == S_init && event == E_authorized -> skip /* A permission alone starts nothing: the app must ask first. */
  :: state == S_init && event == E_refused -> skip /* The app has not asked yet, so a refusal changes nothing. */
  :: state == S_init && event == E_authorizationReset -> skip /* The permission is already undecided. */
  :: state == S_init && event == E_significantChange -> skip /* The app has not asked for the permission, so a significant change has no effect. */
  :: state == S_init && event == E_lookDue -> assert(false) /* The app has not asked for the permission, so no look is due. */
  :: state == S_init && event == E_trackingRequested -> skip /* Tracking needs a permission, and the app has not asked for one. */
  :: state == S_init && event == E_coarseFixAccepted -> assert(false) /* The app has not asked for the permission, so a coarse fix is not used. */
  :: state == S_init && event == E_fixAccepted -> assert(false) /* The GPS is off until the app asks for the permission, so a fix is not used. */
  :: state == S_init && event == E_acquired -> assert(false) /* No acquisition is running before the app has asked. */
  :: state == S_init && event == E_acquisitionFailed -> assert(false) /* No acquisition is running before the app has asked, so none can fail. */
  :: state == S_init && event == E_pause -> skip /* Nothing is on yet, so there is nothing to pause. */
  :: state == S_init && event == E_resume -> skip /* Nothing was paused; begin by asking for the permission. */
  :: state == S_init && event == E_forceAcquire -> skip /* An acquisition needs a permission, and the app has not asked for one. */
  :: state == S_prompted && event == E_tryPrompt -> skip /* The app has already asked for the permission. */
  :: state == S_prompted && event == E_forcePrompt -> skip /* The app has already asked; a second prompt would change nothing. */
  :: state == S_prompted && event == E_promptExpired -> state = S_init /* notify(promptExpired) */
  :: state == S_prompted && event == E_authorized -> state = S_acquiring; A_gps = true /* notify(accessGranted) */
  :: state == S_prompted && event == E_refused -> state = S_denied /* notify(accessDenied) */
  :: state == S_prompted && event == E_authorizationReset -> skip /* The user has not answered yet. */
  :: state == S_prompted && event == E_significantChange -> skip /* A significant change has no effect until the permission is granted. */
  :: state == S_prompted && event == E_lookDue -> assert(false) /* No look is due until the permission is granted. */
  :: state == S_prompted && event == E_trackingRequested -> skip /* Tracking begins when the permission is granted. */
  :: state == S_prompted && event == E_coarseFixAccepted -> assert(false) /* Everything is off until the user answers; a late coarse fix is not used. */
  :: state == S_prompted && event == E_fixAccepted -> assert(false) /* The GPS stays off while the prompt is shown. */
  :: state == S_prompted && event == E_acquired -> assert(false) /* No acquisition is running while the prompt is shown. */
  :: state == S_prompted && event == E_acquisitionFailed -> assert(false) /* No acquisition is running while the prompt is shown, so none can fail. */
  :: state == S_prompted && event == E_pause -> state = S_paused /* notify(paused) */
  :: state == S_prompted && event == E_resume -> skip /* Nothing was paused; the user must answer the prompt first. */
  :: state == S_prompted && event == E_forceAcquire -> skip /* The first acquisition begins automatically when the permission is granted. */
  :: state == S_denied && event == E_tryPrompt -> skip /* The permission was refused; only a forced prompt asks again. */
  :: state == S_denied && event == E_forcePrompt -> state = S_prompted /* requestAuthorization */
  :: state == S_denied && event == E_promptExpired -> assert(false) /* The user has answered the prompt, so it cannot expire. */
  :: state == S_denied && event == E_authorized -> state = S_acquiring; A_gps = true /* notify(accessGranted) */
  :: state == S_denied && event == E_refused -> skip /* The permission is already refused. */
  :: state == S_denied && event == E_authorizationReset -> state = S_init
  :: state == S_denied && event == E_significantChange -> skip /* A significant change has no effect without a permission. */
  :: state == S_denied && event == E_lookDue -> assert(false) /* No look is due without a permission. */
  :: state == S_denied && event == E_trackingRequested -> skip /* Tracking needs a permission, and it was refused. */
  :: state == S_denied && event == E_coarseFixAccepted -> assert(false) /* Everything is off without a permission; a late coarse fix is not used. */
  :: state == S_denied && event == E_fixAccepted -> assert(false) /* The GPS is off without a permission; a late fix is not used. */
  :: state == S_denied && event == E_acquired -> assert(false) /* No acquisition is running without a permission. */
  :: state == S_denied && event == E_acquisitionFailed -> assert(false) /* No acquisition is running without a permission, so none can fail. */
  :: state == S_denied && event == E_pause -> skip /* Nothing is on without a permission, so there is nothing to pause. */
  :: state == S_denied && event == E_resume -> skip /* Nothing was paused; the permission is missing. */
  :: state == S_denied && event == E_forceAcquire -> skip /* An acquisition needs a permission, and it was refused. */
  :: state == S_waitingSignificantChange && event == E_tryPrompt -> skip /* The permission is already granted; the manager waits for a significant change. */
  :: state == S_waitingSignificantChange && event == E_forcePrompt -> skip /* The permission is already granted, so a forced prompt has no effect between acquisitions. */
  :: state == S_waitingSignificantChange && event == E_promptExpired -> assert(false) /* The user answered the prompt before the first acquisition. */
  :: state == S_waitingSignificantChange && event == E_authorized -> skip /* The permission is already granted; the manager continues to wait. */
  :: state == S_waitingSignificantChange && event == E_refused -> state = S_denied; A_significantChanges = false /* notify(accessDenied) */
  :: state == S_waitingSignificantChange && event == E_authorizationReset -> state = S_init; A_significantChanges = false
  :: state == S_waitingSignificantChange && event == E_significantChange -> state = S_acquiring; A_significantChanges = false; A_gps = true /* notify(significantChange) */
  :: state == S_waitingSignificantChange && event == E_lookDue -> state = S_acquiring; A_significantChanges = false; A_gps = true /* notify(lookDue) */
  :: state == S_waitingSignificantChange && event == E_trackingRequested -> state = S_acquiring; A_significantChanges = false; A_gps = true
  :: state == S_waitingSignificantChange && event == E_coarseFixAccepted -> skip /* deliverLocation */
  :: state == S_waitingSignificantChange && event == E_fixAccepted -> assert(false) /* The GPS is off between acquisitions; a late fix is not used. */
  :: state == S_waitingSignificantChange && event == E_acquired -> assert(false) /* The acquisition has ended; a late location is not used. */
  :: state == S_waitingSignificantChange && event == E_acquisitionFailed -> assert(false) /* The acquisition has ended, so it can no longer fail. */
  :: state == S_waitingSignificantChange && event == E_pause -> state = S_paused; A_significantChanges = false /* notify(paused) */
  :: state == S_waitingSignificantChange && event == E_resume -> skip /* Nothing was paused; the manager sleeps until the device moves. */
  :: state == S_waitingSignificantChange && event == E_forceAcquire -> state = S_acquiring; A_significantChanges = false; A_gps = true /* notify(forceAcquire) */
  :: state == S_acquiring && event == E_tryPrompt -> skip /* The permission is already granted, and the GPS is on. */
  :: state == S_acquiring && event == E_forcePrompt -> skip /* The permission is already granted, so a forced prompt has no effect while the GPS is on. */
  :: state == S_acquiring && event == E_promptExpired -> assert(false) /* The user answered the prompt before the GPS was turned on. */
  :: state == S_acquiring && event == E_authorized -> skip /* The permission is already granted; the acquisition continues. */
  :: state == S_acquiring && event == E_refused -> state = S_denied; A_gps = false /* notify(accessDenied) */
  :: state == S_acquiring && event == E_authorizationReset -> state = S_init; A_gps = false
  :: state == S_acquiring && event == E_significantChange -> skip /* The GPS is already on, so a significant change has no effect. */
  :: state == S_acquiring && event == E_lookDue -> assert(false) /* The GPS is already on, so no look is needed. */
  :: state == S_acquiring && event == E_trackingRequested -> skip /* The GPS is already on; tracking joins the acquisition. */
  :: state == S_acquiring && event == E_coarseFixAccepted -> assert(false) /* While the GPS is on, the acquisition judges coarse fixes like all others. */
  :: state == S_acquiring && event == E_fixAccepted -> skip /* deliverLocation */
  :: state == S_acquiring && event == E_acquired -> state = S_waitingSignificantChange; A_gps = false; A_significantChanges = true /* deliverLocation */
  :: state == S_acquiring && event == E_acquisitionFailed -> state = S_waitingSignificantChange; A_gps = false; A_significantChanges = true /* notify(acquisitionFailed) */
  :: state == S_acquiring && event == E_pause -> state = S_paused; A_gps = false /* notify(paused) */
  :: state == S_acquiring && event == E_resume -> skip /* Nothing was paused; the GPS is on. */
  :: state == S_acquiring && event == E_forceAcquire -> skip /* An acquisition is already running. */
  :: state == S_paused && event == E_tryPrompt -> skip /* The app has paused; it must resume before it can ask for the permission. */
  :: state == S_paused && event == E_forcePrompt -> skip /* The app has paused; it must resume even before a forced prompt. */
  :: state == S_paused && event == E_promptExpired -> assert(false) /* A pause ends the wait for the prompt's answer, so the prompt cannot expire. */
  :: state == S_paused && event == E_authorized -> skip /* A pause lasts until the app resumes, even if the permission is granted. */
  :: state == S_paused && event == E_refused -> skip /* Everything is off during a pause; a refusal takes effect when the app resumes. */
  :: state == S_paused && event == E_authorizationReset -> skip /* Everything is off during a pause; a reset takes effect when the app resumes. */
  :: state == S_paused && event == E_significantChange -> skip /* The app has paused; a significant change has no effect. */
  :: state == S_paused && event == E_lookDue -> assert(false) /* The app has paused; no look is due until it resumes. */
  :: state == S_paused && event == E_trackingRequested -> skip /* The app has paused; tracking begins when it resumes. */
  :: state == S_paused && event == E_coarseFixAccepted -> assert(false) /* The app has paused; a late coarse fix is not used. */
  :: state == S_paused && event == E_fixAccepted -> assert(false) /* The app has paused; a late fix is not used. */
  :: state == S_paused && event == E_acquired -> assert(false) /* The app has paused; a late location is not delivered. */
  :: state == S_paused && event == E_acquisitionFailed -> assert(false) /* The pause has ended the acquisition, so it can no longer fail. */
  :: state == S_paused && event == E_pause -> skip /* The app has already paused. */
  :: state == S_paused && event == E_resume -> state = S_acquiring; A_gps = true /* notify(resumed) */
  :: state == S_paused && event == E_forceAcquire -> skip /* The app has paused; it must resume before an acquisition can begin. */
  fi
}

#ifndef NO_ENVIRONMENT
active proctype environment() {
end:
  do
  :: atomic { take(E_tryPrompt) }
  :: atomic { take(E_forcePrompt) }
  :: atomic { state != S_init && state != S_denied && state != S_waitingSignificantChange && state != S_acquiring && state != S_paused -> take(E_promptExpired) }
  :: atomic { take(E_authorized) }
  :: atomic { take(E_refused) }
  :: atomic { take(E_authorizationReset) }
  :: atomic { take(E_significantChange) }
  :: atomic { state != S_init && state != S_prompted && state != S_denied && state != S_acquiring && state != S_paused -> take(E_lookDue) }
  :: atomic { take(E_trackingRequested) }
  :: atomic { state != S_init && state != S_prompted && state != S_denied && state != S_acquiring && state != S_paused -> take(E_coarseFixAccepted) }
  :: atomic { state != S_init && state != S_prompted && state != S_denied && state != S_waitingSignificantChange && state != S_paused -> take(E_fixAccepted) }
  :: atomic { state != S_init && state != S_prompted && state != S_denied && state != S_waitingSignificantChange && state != S_paused -> take(E_acquired) }
  :: atomic { state != S_init && state != S_prompted && state != S_denied && state != S_waitingSignificantChange && state != S_paused -> take(E_acquisitionFailed) }
  :: atomic { take(E_pause) }
  :: atomic { take(E_resume) }
  :: atomic { take(E_forceAcquire) }
  od
}
#endif
