#if os(Linux) || os(macOS)
  import LocoKit
  import LocoKitSimulation

  extension DriveOptions {
    /// Drives, and prints the listener calls and a summary.
    @MainActor
    func drive() async throws -> ExitCode {
      let (route, notes) = try self.route()
      for note in notes { Output.error.write("note: \(note.printable)\n") }
      let report = try report.map { try LogFile($0, isLive: false, isNot: [gpx] + journal.files) }
      let drive = try LoggedTrip(self, route: route)
      let trip = drive.trip
      let printer = Printer(isQuiet: isJSON, isLive: speed != nil)
      drive.events.onCall = { printer.line($0, $1, $2) }
      let pace = Pace(speed)
      trip.manager.tryPromptAuthorization()
      let seconds = Int(route.duration.seconds.rounded(.up))
      var code = ExitCode.done
      var second = 0
      while second < seconds, code == .done, Output.standard.isOpen {
        second += 1
        if let signal = await pace.wait(for: second) {
          code = signal
        } else {
          drive.advance()
          printer.progress(second * 100 / seconds, Double(second), state: trip.manager.state)
        }
      }
      pace.end()
      printer.end()
      Output.standard.write(isJSON ? trip.summary.json : "\n" + trip.summary.text)
      let ended = Result { try drive.end() }
      // A signal ends a drive whose page is of use; a reader that is gone has seen enough, and an earlier page remains.
      if second == seconds || code != .done { try report?.replace(with: self.report(on: trip).page + "\n") }
      try ended.get()
      return code
    }
  }
#endif
