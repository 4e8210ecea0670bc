public import Foundation

extension OutingReader {
  /// Returns the files of a folder's outings, sorted by name: .csv.gz and .csv files, except hidden ones and the list `outings.csv`.
  ///
  /// - Throws: An error if the folder can't be listed or has no such file.
  public static func files(in folder: URL) throws(OutingError) -> [URL] {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    } catch {
      throw OutingError(file: folder.path, problem: "The folder cannot be listed: \(error.localizedDescription)")
    }
    let files = names.filter { ($0.hasSuffix(".csv") || $0.hasSuffix(".csv.gz")) && $0 != "outings.csv" }
      .filter { !$0.hasPrefix(".") }
    guard !files.isEmpty else {
      throw OutingError(file: folder.path, problem: "The folder has no outings: add files that end in .csv.gz or .csv.")
    }
    return files.sorted().map { folder.appendingPathComponent($0) }
  }

  /// Reads an outing's file. A file that ends in .gz is unpacked with `gzip`.
  public static func read(contentsOf url: URL) throws(OutingError) -> Outing {
    let file = url.lastPathComponent
    let data = url.pathExtension == "gz" ? try unpacked(url) : try plain(url)
    guard data.count <= maximumBytes else {
      throw OutingError(
        file: file, problem: "The file has more than \(maximumBytes) bytes: it may hold several outings; split it.")
    }
    return try read(String(decoding: data, as: UTF8.self), file: file)
  }

  private static func plain(_ url: URL) throws(OutingError) -> Data {
    do {
      let handle = try FileHandle(forReadingFrom: url)
      defer { try? handle.close() }
      return try handle.read(upToCount: maximumBytes + 1) ?? Data()
    } catch {
      throw OutingError(file: url.lastPathComponent, problem: "It cannot be read: \(error.localizedDescription)")
    }
  }

  private static func unpacked(_ url: URL) throws(OutingError) -> Data {
    let file = url.lastPathComponent
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["gzip", "-dc", "--", url.path]
    let output = Pipe()
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    var data = Data()
    do {
      try process.run()
      while data.count <= maximumBytes, let piece = try output.fileHandleForReading.read(upToCount: 1 << 16),
        !piece.isEmpty
      {
        data += piece
      }
    } catch {
      throw OutingError(file: file, problem: "gzip cannot be run: \(error.localizedDescription)")
    }
    if data.count > maximumBytes { process.terminate() }
    process.waitUntilExit()
    guard process.terminationStatus == 0 || data.count > maximumBytes else {
      throw OutingError(file: file, problem: "gzip failed: check that gzip is installed, then download the file again.")
    }
    return data
  }
}
