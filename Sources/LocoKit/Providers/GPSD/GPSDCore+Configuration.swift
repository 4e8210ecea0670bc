#if os(Linux) || os(macOS)
  extension GPSDCore {
    /// The parameters of a provider.
    struct Configuration: Hashable, Sendable {
      var host: String
      var port: Int
      var controlSocket: String?
      var checkInterval: Duration
      var policy: AcquisitionPolicy
    }
  }

  extension GPSDCore.Configuration {
    /// gpsd, for a log.
    var place: String { "gpsd at \(host):\(port)" }

    /// Whether receivers can be closed and returned through the control socket: a socket of this machine has nothing to
    /// do with the receivers of another one.
    var hasControlSocket: Bool { controlSocket != nil && isLocal }

    /// Whether gpsd runs on this machine: only a loopback address is certain. A name such as `127.example.com` isn't
    /// one.
    var isLocal: Bool {
      let host = host.lowercased()
      return host == "localhost" || host == "::1"
        || host.hasPrefix("127.") && host.unicodeScalars.allSatisfy { $0 == "." || ("0"..."9").contains($0) }
    }

    /// Whether a receiver is a file of this machine.
    func isFile(_ path: String) -> Bool { path.hasPrefix("/") && isLocal }
  }
#endif
