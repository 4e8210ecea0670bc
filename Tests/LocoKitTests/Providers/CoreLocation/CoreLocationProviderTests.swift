#if LOCOKIT_STAND_INS
  import CoreLocation
  import Foundation
  import Testing

  @testable import LocoKit
  import LocoKitMotion
  @testable import LocoKitTrips
  @testable import TestSupport

  @Suite("CoreLocationProvider with a stand-in")
  struct CoreLocationProviderTests {
    @Table static var permission: [PhoneBehavior] {
      PhoneBehavior(
        "The callback at creation turns nothing on, and the state stays init",
        .settings(.authorizedAlways) => "didChangeAuthorization always",
        .wait(1))
      for (permission, answer, received) in [
        (.whenInUse, .allowWhileUsing, "+updating, acquiring, didGrantAccess, didChangeAuthorization whenInUse"),
        (.whenInUse, .allowOnce, "+updating, acquiring, didGrantAccess, didChangeAuthorization whenInUse"),
        (.whenInUse, .deny, "denied, didDenyAccess, didChangeAuthorization denied"),
        (.always, .allowWhileUsing, "+updating, +changes, acquiring, didGrantAccess, didChangeAuthorization always"),
        (.always, .allowOnce, "+updating, acquiring, didGrantAccess, didChangeAuthorization whenInUse"),
        (.always, .deny, "denied, didDenyAccess, didChangeAuthorization denied"),
      ] as [(CoreLocationProvider.Permission, StandInDevice.Answer, String)] {
        PhoneBehavior(
          "Each answer to the prompt leads to its state and permission: \(permission), \(answer)",
          permission: permission, answers: [answer], .prompt => "prompt, prompted, didPromptAccess",
          .wait(3) => received)
      }
      PhoneBehavior(
        "A prompt that isn't answered ends at its time limit, and not earlier", answers: [.none],
        .prompt => "prompt, prompted, didPromptAccess", .wait(59.9), .wait(0.2) => "init, promptDidExpire")
      PhoneBehavior(
        "A prompt that the system ignores in the background is shown in the foreground, and its time limit begins there",
        answers: [.none], .foreground(false), .prompt => "prompted", .wait(61),
        .foreground(true) => "prompt, didPromptAccess",
        .wait(59.9), .wait(0.2) => "init, promptDidExpire")
      for (permission, received) in [
        (.whenInUse, "+updating, acquiring, didGrantAccess, didChangeAuthorization whenInUse"),
        (.whenInUseThenAlways, "+updating, prompt, acquiring, didGrantAccess, didChangeAuthorization whenInUse"),
        (.always, "+updating, +changes, acquiring, didGrantAccess, didChangeAuthorization always"),
      ] as [(CoreLocationProvider.Permission, String)] {
        PhoneBehavior(
          "The answer to a prompt that follows in the foreground counts: \(permission)", permission: permission,
          answers: [.allowWhileUsing, .none], .foreground(false), .prompt => "prompted", .wait(3_600),
          .foreground(true) => "prompt, didPromptAccess", .wait(3) => received)
      }
      for (answer, received) in [
        (.changeToAlways, ", didChangeAuthorization always"), (.keepOnlyWhileUsing, ""), (.none, ""),
      ] as [(StandInDevice.Answer, String)] {
        PhoneBehavior(
          "An acquisition doesn't wait for the answer to the request for Always: \(answer)",
          permission: .whenInUseThenAlways, answers: [.allowWhileUsing, answer], .fixes { _ in 8 },
          .prompt => "prompt, prompted, didPromptAccess",
          .wait(2.5) => "+updating, prompt, acquiring, didGrantAccess, didChangeAuthorization whenInUse",
          .wait(10) => "+changes, -updating, waitingSignificantChange, didUpdate 8" + received)
      }
      for (answer, received) in [
        (.keepOnlyWhileUsing, "prompt, didChangeAuthorization whenInUse"), (.changeToAlways, "prompt"),
      ] as [(StandInDevice.Answer, String)] {
        PhoneBehavior(
          "The second prompt decides about a provisional Always: \(answer)", in: .asleep,
          .expect(\.manager.authorization, .always), .secondPrompt(answer) => received, .wait(10))
      }
      PhoneBehavior(
        "After Allow Once, the request for Always shows no prompt, and nothing waits for one",
        permission: .whenInUseThenAlways, answers: [.allowOnce, .changeToAlways], .fixes { _ in 8 },
        .prompt => "prompt, prompted, didPromptAccess",
        .wait(60)
          => "+updating, acquiring, didGrantAccess, didChangeAuthorization whenInUse, +changes, -updating, waitingSignificantChange, didUpdate 8"
      )
      PhoneBehavior(
        "The prompt for Always is shown once, even if While Using is granted several times",
        permission: .whenInUseThenAlways,
        answers: [.allowWhileUsing, .keepOnlyWhileUsing, .changeToAlways],
        .prompt => "prompt, prompted, didPromptAccess",
        .wait(10) => "+updating, prompt, acquiring, didGrantAccess, didChangeAuthorization whenInUse",
        .settings(.denied) => "-updating, denied, didDenyAccess, didChangeAuthorization denied",
        .settings(.authorizedWhenInUse) => "+updating, acquiring, didGrantAccess, didChangeAuthorization whenInUse",
        .wait(10),
        .prompt => "didIgnore tryPrompt",
        .wait(10) => "+changes, -updating, waitingSignificantChange, didFailToAcquire timeLimit",
        .settings(.denied) => "-changes, denied, didDenyAccess, didChangeAuthorization denied",
        .settings(.authorizedWhenInUse) => "+updating, acquiring, didGrantAccess, didChangeAuthorization whenInUse",
        .expect(\.device.promptsShown, 2))
      for permission in [CoreLocationProvider.Permission.always, .whenInUseThenAlways] {
        PhoneBehavior(
          "No prompt is shown before the app asks, not even for Always: \(permission)", permission: permission,
          .settings(.authorizedWhenInUse) => "didChangeAuthorization whenInUse", .wait(10),
          .prompt => "prompt, prompted, +updating, acquiring, didGrantAccess")
      }
      PhoneBehavior(
        "After Allow Once has expired, the state is init and everything is off", permission: .whenInUse,
        answers: [.allowOnce], .prompt => "prompt, prompted, didPromptAccess",
        .wait(3) => "+updating, acquiring, didGrantAccess, didChangeAuthorization whenInUse",
        .settings(.notDetermined) => "-updating, init, didChangeAuthorization notDetermined")
      for (status, received) in [
        (.authorizedAlways, "prompted, +updating, +changes, acquiring, didGrantAccess"),
        (.denied, "prompted, denied, didDenyAccess"), (.restricted, "prompted, denied, didDenyAccess"),
      ] as [(CLAuthorizationStatus, String)] {
        PhoneBehavior(
          "No prompt is shown or reported if the answer is known: \(status.rawValue)",
          .settings(status) => "didChangeAuthorization \(Authorization(status).rawValue)", .prompt => received)
      }
      PhoneBehavior(
        "After a denial a forced prompt opens the settings, and a tried one doesn't",
        .settings(.denied) => "didChangeAuthorization denied",
        .prompt => "prompted, denied, didDenyAccess", .prompt => "didIgnore tryPrompt",
        .forcePrompt => "openSettings, prompted, denied, didDenyAccess")
      PhoneBehavior(
        "The switch for all apps turns everything off; an acquisition begins when it is on again", in: .asleep,
        .globalSwitch(false) => "-changes, denied, didDenyAccess, didChangeAuthorization denied",
        .wait(1), .globalSwitch(true) => "+updating, +changes, acquiring, didGrantAccess, didChangeAuthorization always"
      )
      PhoneBehavior(
        "Revoking the permission turns the GPS off, and restoring it turns the GPS on", in: .acquiring,
        .settings(.denied) => "-changes, -updating, denied, didDenyAccess, didChangeAuthorization denied",
        .settings(.authorizedAlways) => "+updating, +changes, acquiring, didGrantAccess, didChangeAuthorization always")
      PhoneBehavior(
        "A denial reported as an error is treated like any other error; only the status denies access", in: .asleep,
        .force => "+updating, acquiring, didForceAcquire",
        .fail(.denied, times: 4),
        .fail(.denied) => "-updating, waitingSignificantChange, didFailToAcquire tooManyErrors",
        .settings(.denied) => "-changes, denied, didDenyAccess, didChangeAuthorization denied")
      PhoneBehavior(
        "A change of the accuracy alone doesn't change the permission", in: .asleep, .accuracy(.reducedAccuracy),
        .wait(1))
    }

    @Table static var reducedAccuracy: [PhoneBehavior] {
      PhoneBehavior(
        "If full accuracy can't be requested, the acquisition continues, and a later one requests it",
        in: .acquiring, configure: { $0.fullAccuracyPurposeKey = "Navigation" }, .fixes { _ in 8 },
        .wait(60) => "-updating, waitingSignificantChange, didUpdate 8",
        .foreground(false), .accuracy(.reducedAccuracy), .fixes { _ in 5_000 },
        .force => "+updating, acquiring, didForceAcquire",
        .wait(16) => "didReject stale, -updating, waitingSignificantChange, didFailToAcquire timeLimit 5000",
        .expect(\.phone.provider.isAccuracyReduced, true), .foreground(true),
        .force => "+updating, fullAccuracyPrompt, acquiring, didForceAcquire", .wait(3),
        .expect(\.phone.provider.isAccuracyReduced, false))
      PhoneBehavior(
        "A user who refuses full accuracy is asked once in a launch",
        configure: { $0.fullAccuracyPurposeKey = "Navigation" },
        .settings(.authorizedAlways) => "didChangeAuthorization always",
        .accuracy(.reducedAccuracy), .refusesFullAccuracy,
        .prompt => "prompted, +updating, +changes, fullAccuracyPrompt, acquiring, didGrantAccess",
        .wait(60) => "-updating, waitingSignificantChange, didFailToAcquire timeLimit",
        .force => "+updating, acquiring, didForceAcquire",
        .wait(60) => "-updating, waitingSignificantChange, didFailToAcquire timeLimit",
        .expect(\.phone.provider.isAccuracyReduced, true))
      PhoneBehavior(
        "After the user's answer has expired, the next acquisition requests full accuracy again",
        in: .acquiring, configure: { $0.fullAccuracyPurposeKey = "Navigation" }, .fixes { _ in 8 },
        .wait(60) => "-updating, waitingSignificantChange, didUpdate 8", .accuracy(.reducedAccuracy),
        .force => "+updating, fullAccuracyPrompt, acquiring, didForceAcquire",
        .wait(60) => "didReject stale, -updating, waitingSignificantChange, didUpdate 8 reduced",
        .accuracy(.reducedAccuracy),
        .force => "+updating, fullAccuracyPrompt, acquiring, didForceAcquire")
      for purpose in ["Navigation", nil] {
        PhoneBehavior(
          "Reduced accuracy is reported, and full accuracy requested if there is a purpose: \(purpose ?? "none")",
          configure: { $0.fullAccuracyPurposeKey = purpose }, .accuracy(.reducedAccuracy),
          .expect(\.phone.provider.isAccuracyReduced, true), .prompt => "prompt, prompted, didPromptAccess",
          .wait(6)
            => "+updating, +changes\(purpose == nil ? "" : ", fullAccuracyPrompt"), acquiring, didGrantAccess, didChangeAuthorization always",
          .expect(\.phone.provider.isAccuracyReduced, purpose == nil))
      }
      // With reduced accuracy, Core Location computes a new fix only a few times an hour.
      for (policy, received) in [
        (AcquisitionPolicy.reduced, "-updating, waitingSignificantChange, didUpdate 5000 reduced"),
        (.loco, "didReject stale"),
      ] {
        PhoneBehavior(
          "Only a policy for reduced accuracy accepts an old fix accurate to 5 km: \(policy.acceptsReducedAccuracy)",
          .accuracy(.reducedAccuracy), .policy { $0 = policy }, .prompt => "prompt, prompted, didPromptAccess",
          .wait(2.5) => "+updating, +changes, acquiring, didGrantAccess, didChangeAuthorization always",
          .deliver((5_000, 600)) => received)
      }
    }

    @Table static var fixes: [PhoneBehavior] {
      PhoneBehavior(
        "A cached first fix is rejected as stale, and the next one is accepted", in: .asleep, .wait(3_600),
        .force => "+updating, acquiring, didForceAcquire", .wait(0.5) => "didReject stale",
        .wait(1) => "-updating, waitingSignificantChange, didUpdate 8")
      PhoneBehavior(
        "Fixes of a suspended app arrive in one batch, and the best one counts", in: .acquiring,
        .fixes { $0 == 3 ? 8 : 40 }, .suspend, .wait(6), .expect(\.manager.state, .acquiring),
        .wake
          => "-updating, waitingSignificantChange, didUpdate 8"
      )
      PhoneBehavior(
        "Old, repeated and invalid fixes of a batch are rejected", in: .acquiring,
        .deliver((40, 3_600), (40, 2), (40, 2), (30, 5), (-1, 0), (60, 1), (30, -60))
          => "didReject stale, didReject duplicate, didReject outOfOrder, didReject invalidAccuracy, didReject futureDated"
      )
      for jump in [-7_200.0, 7_200] {
        PhoneBehavior(
          "A clock change while the GPS is on doesn't prevent a location: \(jump) s", in: .acquiring,
          .fixes { $0 < 5 ? 60 : 8 }, .wait(2), .clock(jump),
          .wait(8) => "-updating, waitingSignificantChange, didUpdate 8")
      }
      PhoneBehavior(
        "Unknown locations don't end an acquisition before the time limit", in: .acquiring,
        .fixes { $0 > 12 ? 8 : nil }, .wait(11), .wait(3) => "-updating, waitingSignificantChange, didUpdate 8")
      for code in [
        CLError.Code.headingFailure, .regionMonitoringDenied, .regionMonitoringFailure, .regionMonitoringSetupDelayed,
        .regionMonitoringResponseDelayed, .rangingUnavailable, .rangingFailure,
      ] {
        PhoneBehavior(
          "Errors of other services are ignored: \(code.rawValue)", in: .acquiring, .fail(code, times: 20),
          .expect(\.manager.state, .acquiring))
      }
      PhoneBehavior(
        "Five network errors in a row end an acquisition", in: .acquiring, .fail(.network, times: 4),
        .fail(.network) => "-updating, waitingSignificantChange, didFailToAcquire tooManyErrors")
      PhoneBehavior(
        "The system isn't allowed to pause updates, and the GPS restarts if they are paused", in: .acquiring,
        .pauseUpdates(ifAllowed: true), .expect(\.device.isUpdating, true),
        .pauseUpdates(ifAllowed: false) => "+updating",
        .expect(\.device.isUpdating, true))
      PhoneBehavior(
        "An app suspended beyond the time limit turns the GPS off as soon as it runs", in: .acquiring, .noFixes,
        .suspend, .wait(600), .expect(\.device.isUpdating, true),
        .wake => "-updating, waitingSignificantChange, didFailToAcquire timeLimit")
    }

    @Table static var changes: [PhoneBehavior] {
      PhoneBehavior(
        "While the GPS is on, significant changes stay on with Always, and aren't reported",
        in: .asleep, .expect(\.device.isMonitoringSignificantChanges, true), .noFixes,
        .move(5_000) => "+updating, acquiring, didDetectSignificantChange",
        .expect(\.device.isMonitoringSignificantChanges, true), .wait(5), .force => "didIgnore forceAcquire", .track,
        .wait(400),
        .move(50_000), .settings(.authorizedWhenInUse) => "-changes, didChangeAuthorization whenInUse",
        .settings(.authorizedAlways) => "+changes, didChangeAuthorization always",
        .pause => "-changes, -updating, paused, didPause")
      PhoneBehavior(
        "After a failed acquisition, the GPS stays off until the app forces an acquisition", in: .asleep, .noFixes,
        .force => "+updating, acquiring, didForceAcquire",
        .wait(20) => "didReject stale, -updating, waitingSignificantChange, didFailToAcquire timeLimit", .wait(100),
        .force => "+updating, acquiring, didForceAcquire",
        .wait(20) => "didReject stale, -updating, waitingSignificantChange, didFailToAcquire timeLimit", .wait(100))
      PhoneBehavior(
        "A second start of a service has no effect, and a restart after a stop reports a significant change again",
        in: .asleep, .wait(60),
        .mode(.significantChanges), .startChanges, .wait(10), .stopChanges => "-changes", .startChanges => "+changes",
        .wait(10)
          => "+updating, acquiring, didDetectSignificantChange, didReject stale, -updating, waitingSignificantChange, didUpdate 8",
        .force => "+updating, acquiring, didForceAcquire", .startUpdating)
      PhoneBehavior(
        "A late fix of the GPS is no significant change", in: .asleep,
        .force => "+updating, acquiring, didForceAcquire",
        .wait(2) => "didReject stale, -updating, waitingSignificantChange, didUpdate 8", .wait(1),
        .deliver((30, 3)) => "didReject notListening")
      PhoneBehavior(
        "A clock set back while asleep doesn't block significant changes", in: .asleep, .clock(-86_400),
        .move(5_000) => "+updating, acquiring, didDetectSignificantChange")
      PhoneBehavior(
        "Nothing is on or delivered in a pause", in: .asleep, .pause => "-changes, paused, didPause",
        .deliver((5, 0)) => "didReject notListening", .move(9_000),
        .wait(3_600), .resume => "+updating, +changes, acquiring, didResume")
      PhoneBehavior(
        "Changes are at least 500 m and five minutes apart, and each starts an acquisition", in: .asleep, .wait(60),
        .move(1_000) => "+updating, acquiring, didDetectSignificantChange",
        .wait(299) => "-updating, waitingSignificantChange, didUpdate 8", .move(5_000), .wait(2),
        .move(5_000) => "+updating, acquiring, didDetectSignificantChange",
        .wait(600) => "didReject implausibleSpeed, -updating, waitingSignificantChange, didUpdate 8",
        .move(5_400), .move(5_500) => "+updating, acquiring, didDetectSignificantChange")
      PhoneBehavior(
        "A change without a move starts only one acquisition", in: .asleep,
        .move(0) => "+updating, acquiring, didDetectSignificantChange",
        .wait(600) => "-updating, waitingSignificantChange, didUpdate 8")
    }

    @Table static var launches: [PhoneBehavior] {
      PhoneBehavior(
        "An app relaunched by a significant change needs only to create a manager and ask for the permission",
        in: .asleep, .end,
        .wait(3_600), .move(5_000), .expect(\.device.launchReason, "location"), .launch,
        .expect(\.phone.core.location?.horizontalAccuracy, 500), .fixes { _ in 8 },
        .prompt => "prompted, +updating, +changes, acquiring, didGrantAccess",
        .wait(3) => "didReject implausibleSpeed, -updating, waitingSignificantChange, didUpdate 8")
      PhoneBehavior(
        "A significant change launches an app that was ended with the GPS on", in: .asleep, .launch,
        .prompt => "prompted, +updating, +changes, acquiring, didGrantAccess",
        .end, .wait(3_600), .move(5_000), .expect(\.device.launchReason, "location"))
      PhoneBehavior(
        "With While Using, no significant change launches the app", in: .acquiring, permission: .whenInUse,
        .fixes { _ in 8 }, .wait(60) => "+changes, -updating, waitingSignificantChange, didUpdate 8", .end,
        .move(5_000), .expect(\.device.launchReason, nil))
      PhoneBehavior(
        "After a relaunch in a pause, everything is off and no prompt is shown until the app resumes", in: .acquiring,
        .pause => "-changes, -updating, paused, didPause",
        .launch, .fixes { _ in 8 }, .prompt => "didIgnore tryPrompt", .wait(3_600), .foreground(true),
        .resume => "+updating, +changes, acquiring, didResume")
      for (status, received) in [
        (CLAuthorizationStatus.denied, "acquiring, didResume, denied, didDenyAccess"),
        (.notDetermined, "acquiring, didResume, init"),
      ] {
        PhoneBehavior(
          "Resuming in a new launch uses the current permission: \(status.rawValue)", in: .acquiring,
          .pause => "-changes, -updating, paused, didPause",
          .settings(status) => "didChangeAuthorization \(Authorization(status).rawValue)", .launch,
          .resume => received)
      }
      for isPaused in [true, false] {
        PhoneBehavior(
          "A launch that uses no locations turns off an earlier launch's significant changes, paused: \(isPaused)",
          in: .asleep,
          .end, .wait(3_600), .move(5_000), .expect(\.device.launchReason, "location"), .storedPause(isPaused),
          .launch, .expect(\.manager.state, isPaused ? .paused : .initial), .wait(4),
          .expect(\.device.launchesForSignificantChanges, true), .wait(2),
          .expect(\.device.launchesForSignificantChanges, false), .end, .wait(3_600), .move(9_000),
          .expect(\.device.launchReason, nil))
      }
    }

    /// Behaviors on platforms that deliver one fix for each request.
    @Table static var requests: [PhoneBehavior] {
      PhoneBehavior(
        "Single fixes are requested until one is good enough", in: .withRequests, .fixes { $0 > 5 ? 8 : 60 },
        .prompt => "prompted, request, acquiring, didGrantAccess",
        .wait(20) => "request, waitingSignificantChange, didUpdate 8")
      PhoneBehavior(
        "An unknown location or an error is followed by another request, one at a time", in: .withRequests,
        .noFixes,
        .prompt => "prompted, request, acquiring, didGrantAccess", .wait(8) => "request", .fail(.network),
        .wait(20) => "request, -request, waitingSignificantChange, didFailToAcquire timeLimit")
      PhoneBehavior(
        "An immediate error isn't followed by an immediate request in an acquisition", in: .withRequests,
        .noFixes,
        .requestDuration(0.01), .prompt => "prompted, request, acquiring, didGrantAccess", .wait(4),
        .wait(4) => "request", .wait(52) => "request, waitingSignificantChange, didFailToAcquire timeLimit",
        .pause => "paused, didPause",
        .wait(60))
      PhoneBehavior(
        "An immediate error isn't followed by an immediate request while a consumer tracks", in: .withRequests,
        .noFixes, .requestDuration(0.01), .prompt => "prompted, request, acquiring, didGrantAccess", .track, .wait(4),
        .wait(12) => "request ×3", .pause => "paused, didPause", .wait(60))
      PhoneBehavior(
        "If fixes arrive immediately, one is requested each second", in: .withRequests, .fixes { _ in 60 },
        .requestDuration(0.01),
        .prompt => "prompted, request, acquiring, didGrantAccess", .wait(3.5) => "request ×3")
      PhoneBehavior(
        "A pause withdraws the pending request", in: .withRequests, .fixes { _ in 8 },
        .prompt => "prompted, request, acquiring, didGrantAccess", .wait(4),
        .pause => "-request, paused, didPause", .wait(60))
      PhoneBehavior(
        "Without significant changes a manager sleeps until the app wakes it", in: .withRequests, .fixes { _ in 8 },
        .prompt => "prompted, request, acquiring, didGrantAccess",
        .wait(3_600) => "waitingSignificantChange, didUpdate 8", .force => "request, acquiring, didForceAcquire",
        .wait(10) => "waitingSignificantChange, didUpdate 8")
    }

    @Test(
      "The listeners, the device and the user receive what each row says",
      arguments: permission + reducedAccuracy + fixes + changes + launches + requests)
    func behaves(_ behavior: PhoneBehavior) async { await behavior.check() }

    // MARK: - Info.plist

    @Test(
      "a missing declaration stops the program with a message that names it",
      .timeLimit(.minutes(15)), arguments: Declaration.allCases)
    func missingDeclarations(_ missing: Declaration) async throws {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [missing] in
        let device = StandInDevice()
        device.infoKeys.remove(missing.rawValue)
        if missing == .backgroundMode { device.backgroundModes = [] }
        if missing == .purpose { device.purposeKeys = ["Another"] }
        _ = Phone(.always, device: device) {
          $0.allowsBackgroundUpdates = true
          $0.fullAccuracyPurposeKey = "Navigation"
          $0.motionSensor = .coreMotion
        }
      }
      let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
      #expect(message.contains("Info.plist lacks") && message.contains(missing.rawValue))
    }

    @Test("no declaration is required if the app's Info.plist can't be read", .timeLimit(.minutes(15)))
    func unreadableDeclarations() async {
      await #expect(processExitsWith: .success) {
        let device = StandInDevice()
        device.appInfoIsReadable = false
        device.extensionBackgroundModes = []
        let phone = Phone(.always, device: device) {
          $0.allowsBackgroundUpdates = true
          $0.fullAccuracyPurposeKey = "Navigation"
        }
        precondition(!phone.core.allowsBackgroundLocationUpdates)
      }
    }

    @Test(
      "background updates are allowed only if the running bundle declares the mode", .timeLimit(.minutes(15))
    )
    func backgroundModeOfExtension() async {
      await #expect(processExitsWith: .success) {
        for modes in [[], ["location"]] as [Set<String>] {
          let device = StandInDevice()
          device.extensionBackgroundModes = modes
          let phone = Phone(.always, device: device) { $0.allowsBackgroundUpdates = true }
          precondition(phone.core.allowsBackgroundLocationUpdates == modes.contains("location"))
        }
      }
    }

    @Test(
      "the app of an extension is the containing one",
      arguments: [
        ("/Apps/Loco.app", "/Apps/Loco.app"), ("/Apps/Loco.app/PlugIns/Widget.appex", "/Apps/Loco.app"),
        ("/Apps/Loco.app/Watch/Watch.app/PlugIns/Face.appex", "/Apps/Loco.app/Watch/Watch.app"),
        ("/Apps/Loco.app/Contents/PlugIns/Widget.appex", "/Apps/Loco.app"), ("/usr/bin", "/usr/bin"),
        ("/tmp/Widget.appex", nil),
      ])
    func containingApp(_ bundle: String, _ app: String?) {
      #expect(URL(fileURLWithPath: bundle).appBundle?.path == app)
    }

    // MARK: - Fixes

    @Test("a fix of negative accuracy is rejected, invalid altitudes and speeds become nil, and values of 0 are valid")
    func conversion() throws {
      let phone = Phone(answers: [.allowWhileUsing])
      phone.manager.tryPromptAuthorization()
      phone.device.advance(by: 2.5)
      phone.device.deliver([
        CLLocation(
          coordinate: CLLocationCoordinate2D(latitude: 0, longitude: 0), altitude: 0, horizontalAccuracy: -1,
          verticalAccuracy: -1, course: -1, speed: -1, timestamp: phone.device.date)
      ])
      #expect(phone.recorder.rejections == [.invalidAccuracy])
      phone.device.deliver([
        CLLocation(
          coordinate: CLLocationCoordinate2D(latitude: 0, longitude: 7), altitude: 5, horizontalAccuracy: 6,
          verticalAccuracy: -1, course: 0, speed: -1, timestamp: phone.device.date)
      ])
      let location = try #require(phone.manager.location)
      #expect((location.latitude, location.longitude) == (0, 7))
      #expect(location.altitude == nil && location.speed == nil && location.course == 0)
    }

    // MARK: - Significant changes

    @Test("an acquisition has background time until its end, after a launch and after a significant change")
    func backgroundTime() {
      let phone = Phone.asleep()
      #expect(!phone.host.isActive && phone.host.activities == 1, "the first acquisition had some")
      phone.device.fixes = { $0 > 10 ? phone.fix(8) : nil }
      phone.device.move(to: phone.fix(500, north: 5_000))
      #expect(phone.host.isActive)
      phone.device.advance(by: 9)
      #expect(phone.host.isActive)
      phone.device.advance(by: 3)
      #expect(phone.manager.state == .waitingSignificantChange)
      #expect(!phone.host.isActive && phone.host.activities == 2)
      phone.device.advance(by: 300)
      phone.device.move(to: phone.fix(500, north: 9_000))
      #expect(phone.host.isActive)
      phone.manager.pause()
      #expect(!phone.host.isActive)
    }

    // MARK: - Sessions

    @Test("one service session is held until a denial, also in the background and during a pause")
    func serviceSession() throws {
      let phone = Phone.asleep()
      let session = try #require(phone.device.heldServiceSessions.first)
      #expect(session.requirement == .always)
      phone.device.isInForeground = false
      for kilometres in 1...3 {
        phone.device.advance(by: 600)
        phone.device.move(to: phone.fix(500, north: Double(kilometres) * 1_000))
        #expect(phone.manager.state == .acquiring)
        phone.device.advance(by: 20)
        #expect(phone.manager.state == .waitingSignificantChange)
      }
      #expect(phone.device.serviceSessions.count == 1)
      #expect(session.isValid && session.isSufficientlyInUse)
      // A push may make the app resume in the background.
      phone.manager.pause()
      phone.device.advance(by: 600)
      phone.manager.resume()
      #expect(phone.device.serviceSessions.count == 1)
      #expect(session.isValid && phone.provider.wakeSources.contains(.visit))
      phone.device.isInForeground = true
      phone.device.setStatus(.denied)
      #expect(phone.device.heldServiceSessions.isEmpty)
    }

    @Test("the sessions end when the provider is released, also while the GPS is on")
    func sessionsOfAReleasedProvider() {
      var phone: Phone? = Phone(.whenInUse, answers: [.allowWhileUsing]) { $0.allowsBackgroundUpdates = true }
      guard let device = phone?.device else { return }
      phone?.manager.tryPromptAuthorization()
      device.advance(by: 3)
      #expect((device.heldActivitySessions.count, device.heldServiceSessions.count) == (1, 1))
      phone = nil
      #expect(device.heldServiceSessions.isEmpty && device.heldActivitySessions.isEmpty)
    }

    @Test("a service session requires Always only if that is granted, and shows no prompt")
    func serviceSessionRequirement() {
      let phone = Phone(.whenInUse, answers: [.allowOnce])
      phone.device.fixes = { _ in phone.fix(8) }
      phone.manager.tryPromptAuthorization()
      #expect(phone.device.serviceSessions.isEmpty)
      phone.device.advance(by: 10)
      let requirements = {
        phone.device.advance(by: 10)
        return phone.device.heldServiceSessions.map(\.requirement)
      }
      #expect(requirements() == [.none])
      phone.device.setStatus(.authorizedAlways)
      #expect(requirements() == [.always])
      phone.device.setStatus(.authorizedWhenInUse)
      #expect(requirements() == [.none])
      phone.device.setStatus(.notDetermined)
      #expect(requirements() == [])
      #expect(phone.device.promptsShown == 1)
    }

    @Test("an app relaunched in the background begins its service session immediately, even if it is paused")
    func serviceSessionOfRelaunch() {
      let first = Phone.asleep()
      let device = first.device
      device.terminate()
      device.advance(by: 3_600)
      device.move(to: fix(500, north: 5_000, of: device))
      let phone = Phone(device: device)
      #expect(device.heldServiceSessions.map(\.isSufficientlyInUse) == [true])
      phone.manager.tryPromptAuthorization()
      #expect(device.heldServiceSessions.map(\.isSufficientlyInUse) == [true])
    }

    @Test("the activity session ends when the GPS turns off, the service session lasts")
    func sessionsInvalidated() {
      let phone = Phone(.whenInUse, answers: [.allowWhileUsing]) { $0.allowsBackgroundUpdates = true }
      let device = phone.device
      phone.manager.tryPromptAuthorization()
      device.advance(by: 3)
      #expect((device.heldActivitySessions.count, device.heldServiceSessions.count) == (1, 1))
      device.advance(by: 60)
      #expect(phone.manager.state == .waitingSignificantChange)
      #expect((device.heldActivitySessions.count, device.heldServiceSessions.count) == (0, 1))
      phone.manager.pause()
      #expect((device.heldActivitySessions.count, device.heldServiceSessions.count) == (0, 1))
      #expect((device.activitySessions.count, device.serviceSessions.count) == (1, 1))
    }

    // MARK: - Sleep

    @Test("a deadline that passes while the device sleeps is noticed within ten seconds after the sleep")
    func sleeps() {
      let prompted = Phone(answers: [.none])
      prompted.manager.tryPromptAuthorization()
      prompted.device.advance(by: 3)
      prompted.device.sleep(for: 3_600)
      prompted.device.advance(by: 10)
      #expect(prompted.manager.state == .initial)

      let acquiring = Phone(answers: [.allowWhileUsing])
      acquiring.manager.tryPromptAuthorization()
      acquiring.device.advance(by: 3)
      acquiring.device.sleep(for: 3_600)
      acquiring.device.advance(by: 10)
      #expect(!acquiring.device.isUpdating)
    }

    @Test("after the launch, properties that wait for the location daemon are read only at a change of the permission")
    func reads() {
      #expect(Phone().device.reads == 2, "creating a provider reads the permission and the accuracy")
      let phone = Phone.asleep()
      phone.manager.errorBound = 500
      phone.device.advance(by: 1)
      let before = phone.device.reads
      for hour in 1...24 {
        let place = phone.fix(500, north: Double(hour) * 3_000)
        phone.device.carry(to: place)
        phone.device.move(to: place)
        phone.device.isInForeground.toggle()
        phone.device.advance(by: 3_600)
      }
      #expect(phone.recorder.locations.count > 12)
      #expect(phone.device.reads == before)
      phone.device.setStatus(.authorizedWhenInUse)
      #expect(phone.device.reads == before + 2)
    }

    // MARK: - Other platforms

    @Test("a request doesn't run beside the standard service")
    func requestBeside() {
      let phone = Phone(answers: [.allowWhileUsing])
      phone.manager.tryPromptAuthorization()
      phone.device.advance(by: 3)
      phone.core.requestLocation()
      #expect(phone.device.isUpdating && !phone.device.isRequesting)
    }

    // MARK: - Settings

    @Test("there is no distance filter, and the accuracy lets updates continue in the background")
    func settingsOfTheReceiver() {
      let phone = Phone { $0.allowsBackgroundUpdates = true }
      #expect(phone.core.distanceFilter == kCLDistanceFilterNone)
      #expect(phone.core.desiredAccuracy <= kCLLocationAccuracyHundredMeters)
      #expect(phone.core.allowsBackgroundLocationUpdates)
      #expect(!phone.core.pausesLocationUpdatesAutomatically)
      #expect(!phone.core.showsBackgroundLocationIndicator)
      #expect(Phone { $0.activityType = .automotiveNavigation }.core.activityType == .automotiveNavigation)
    }

    @Test(
      "without a background indicator, tracking has an accuracy of 100 m or better, and never a filter of the system")
    func trackingUnseen() {
      for showsIndicator in [false, true] {
        let phone = Phone(.always, answers: [.changeToAlways]) {
          $0.allowsBackgroundUpdates = true
          $0.showsBackgroundIndicator = showsIndicator
        }
        phone.manager.tryPromptAuthorization()
        _ = phone.manager.demand(.every(TrackFilter(desiredAccuracy: 500, distanceFilter: 70)))
        phone.device.advance(by: 20)
        #expect(phone.core.distanceFilter == kCLDistanceFilterNone)
        #expect(phone.core.desiredAccuracy == (showsIndicator ? 500 : 100))
      }
    }

    @Test("updates aren't restarted in a tunnel: Core Location keeps trying")
    func tunnel() {
      let phone = Phone.asleep()
      let trip = TripRecorder(phone.manager)
      trip.start()
      phone.device.advance(by: 20)
      phone.device.fixes = { _ in nil }
      let starts = phone.device.switches.count
      phone.device.advance(by: 60)
      #expect(phone.device.switches.count == starts && phone.device.isUpdating)
    }

    @Test("tracking sets Core Location's accuracy, and its end resets it")
    func tracking() {
      let phone = Phone.asleep()
      let number = phone.manager.demand(
        .every(TrackFilter(desiredAccuracy: 100, distanceFilter: 50)))
      #expect(phone.core.desiredAccuracy == 100)
      phone.device.advance(by: 60)
      #expect(phone.device.isUpdating && phone.manager.state == .acquiring)
      phone.manager.end(number)
      #expect(phone.core.desiredAccuracy == kCLLocationAccuracyBest)
      phone.device.advance(by: 20)
      #expect(phone.manager.state == .waitingSignificantChange)
    }

    @Test(
      "everything happens on the thread that made the manager, and the stand-in detects a violation",
      .timeLimit(.minutes(15)))
    func thread() async {
      let phone = Phone.asleep()
      phone.manager.forceAcquireLocation()
      await #expect(processExitsWith: .failure) {
        let phone = Phone.asleep()
        phone.device.moveToAnotherThread()
        phone.manager.forceAcquireLocation()
      }
    }

    @Test("a provider may be released on any thread: that calls nothing of Core Location", .timeLimit(.minutes(15)))
    func releasedElsewhere() async {
      await #expect(processExitsWith: .success) {
        weak var released: CoreLocationProvider?
        weak var releasedHost: DeviceHost?
        let device = StandInDevice()
        do {
          device.setStatus(.authorizedAlways)
          var configuration = CoreLocationProvider.Configuration()
          configuration.allowsBackgroundUpdates = true
          let host = DeviceHost(device)
          let provider = CoreLocationProvider(
            configuration: configuration, makeManager: { CLLocationManager(device: device) }, host: host)
          provider.setMode(.gps)
          (released, releasedHost) = (provider, host)
          device.moveToAnotherThread()
        }
        precondition(released == nil && releasedHost == nil)
      }
    }

    @Test("the switch for all apps isn't read, because that may block", .timeLimit(.minutes(15)))
    func switchNotAsked() async {
      // In the stand-in, reading the switch stops the program, so the other tests also show that it isn't read.
      await #expect(processExitsWith: .failure) { _ = CLLocationManager.locationServicesEnabled() }
      let phone = Phone.asleep()
      phone.device.setGloballyOn(false)
      phone.manager.forcePromptAuthorization()
      #expect(phone.manager.state == .denied)
    }

    private func fix(_ accuracy: Double, north: Double, of device: StandInDevice) -> CLLocation {
      CLLocation(
        coordinate: CLLocationCoordinate2D(latitude: 34 + north / 111_320, longitude: -118), altitude: 90,
        horizontalAccuracy: accuracy, verticalAccuracy: 12, course: -1, speed: -1, timestamp: device.date)
    }
  }

  /// An entry of an `Info.plist` that a test omits.
  enum Declaration: String, CaseIterable, Codable, Sendable {
    case whenInUse = "NSLocationWhenInUseUsageDescription"
    case always = "NSLocationAlwaysAndWhenInUseUsageDescription"
    case purpose = "NSLocationTemporaryUsageDescriptionDictionary"
    case backgroundMode = "UIBackgroundModes"
    case motion = "NSMotionUsageDescription"
  }
#endif
