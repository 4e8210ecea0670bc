import Foundation

/// The user's choices.
struct Settings: Codable {
  var recordsJournal = false
  /// Whether the user has answered the offer to record.
  var hasOfferedRecording = false
  var usesMotion = true
  /// Whether the keepers are compared, see ``AppModel/comparesKeepers``.
  var comparesKeepers = false
  /// One of ``AppModel/errorBounds``; `nil` is off.
  var errorBound: Double? = 500

  init() {}

  /// Decodes the settings of any version of the app: a property that the file lacks has its default.
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func read<Value: Decodable>(_ key: CodingKeys, into value: inout Value) throws {
      if values.contains(key) { value = try values.decode(Value.self, forKey: key) }
    }
    try read(.recordsJournal, into: &recordsJournal)
    try read(.hasOfferedRecording, into: &hasOfferedRecording)
    try read(.usesMotion, into: &usesMotion)
    try read(.comparesKeepers, into: &comparesKeepers)
    // The encoder omits a bound that is off.
    errorBound = try values.decodeIfPresent(Double.self, forKey: .errorBound)
  }

  /// Reads the settings, or returns the default ones if there is no file. If the file can't be read, the offer isn't repeated, because the
  /// user may have answered it.
  static func read(from file: URL) -> Settings {
    var settings = Settings()
    guard FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) else { return settings }
    do {
      settings = try JSONDecoder().decode(Settings.self, from: Data(contentsOf: file))
    } catch {
      settings.hasOfferedRecording = true
    }
    // Another version of the app may have stored a different value.
    if !AppModel.errorBounds.contains(settings.errorBound) { settings.errorBound = 500 }
    return settings
  }

  /// Writes the settings without data protection: the system may launch the app before the first unlock after a restart. User defaults
  /// are empty then.
  func write(to file: URL) {
    let files = FileManager.default
    try? files.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    #if os(iOS)
      let options: Data.WritingOptions = [.atomic, .noFileProtection]
    #else
      let options = Data.WritingOptions.atomic
    #endif
    try? JSONEncoder().encode(self).write(to: file, options: options)
  }
}
