#if os(Linux) || os(macOS)
  import Foundation

  /// The folder of the built programs and tests.
  var products: URL {
    let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
    return (tests ?? URL(filePath: CommandLine.arguments[0])).deletingLastPathComponent()
  }

  /// The recorded outings beside the package.
  enum Outings {
    private static let folder = Repository.shared.appending(path: "mobilitynet/develop")
    /// Whether the outings are available.
    static let areThere = FileManager.default.fileExists(atPath: folder.path)

    /// Returns the compressed files, sorted by path.
    static func files() throws -> [URL] {
      try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        .filter { $0.pathExtension == "gz" }.sorted { $0.path < $1.path }
    }

    /// Returns the text of a compressed file.
    static func text(of file: URL) throws -> String {
      let process = Process()
      let pipe = Pipe()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = ["gzip", "-dc", file.path]
      process.standardOutput = pipe
      try process.run()
      let data = pipe.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return String(decoding: data, as: UTF8.self)
    }
  }

  /// Limits the size of each file that this process writes, so that writes fail as on a full disk. The process must ignore `SIGXFSZ`.
  func limitFiles(to size: Int) {
    var limit = rlimit()
    #if os(Linux)
      let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
      let resource = RLIMIT_FSIZE
    #endif
    precondition(getrlimit(resource, &limit) == 0)
    limit.rlim_cur = rlim_t(size)
    precondition(setrlimit(resource, &limit) == 0)
  }
#endif
