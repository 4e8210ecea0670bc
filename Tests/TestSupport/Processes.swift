#if os(Linux) || os(macOS)
  import Foundation

  /// The folder of the built programs and tests.
  var products: URL {
    let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
    return (tests ?? URL(filePath: CommandLine.arguments[0])).deletingLastPathComponent()
  }

  /// Limits the size of this process's files, which has the effect of a full disk.
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
