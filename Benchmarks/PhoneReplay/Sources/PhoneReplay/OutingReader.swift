import Foundation

/// An error in an outing's file or in the folder, with the file, the line, the problem and the remedy.
public struct OutingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file's name, or the folder's path.
  public var file: String
  /// The line, counted from 1, or `nil` if the error concerns the whole file or the folder.
  public var line: Int?
  /// The problem and its remedy.
  public var problem: String

  /// The file, the line, the problem and its remedy.
  public var description: String { (line.map { "\(file):\($0): " } ?? "\(file): ") + problem }
}

/// Reads the lines of an outing.
public struct OutingReader {
  /// The maximum size of a file, unpacked, in bytes.
  public static let maximumBytes = 64 << 20
  /// The maximum length of a line, in bytes.
  public static let maximumLineBytes = 1_000
  /// The maximum number of phones of an outing.
  public static let maximumPhones = 16
  /// The maximum duration of an outing, in seconds: a week.
  public static let maximumSeconds = 604_800.0
  /// The earliest time, in seconds from the outing's start. A phone may start recording before the outing.
  static let earliest = -86_400.0
  /// The earliest measurement of a fix, in seconds from the outing's start. A cached fix can be a year old.
  static let oldest = -1e8
  /// The maximum claimed accuracy of a fix that is used for the true place of an outing at rest, in metres.
  static let goodClaim = 100.0

  /// If the truth starts by this time, in seconds, its first place also counts before that.
  static let lateTruth = 10

  /// The description of the format.
  public static let format = """
    FORMAT
      A file is one outing. Commas separate the fields of a line, and the first field is the kind of the line. Times
      are in seconds from the outing's start. An empty speed or course is unknown.

      O,outing,start (seconds since 1970),route
      P,phone,mode,accuracy (best, 10m, 100m or off),distance filter (m),duty-cycled (0 or 1),from,to,
        has fixes (0 or 1),note
      J,from,to,name                        a journey
      L,from,to,name                        a leg of a journey
      R,time,latitude,longitude             the true place in motion, each second
      D,from,to,latitude,longitude          the true place at rest
      B,phone,time,percent                  battery
      S,phone,time,state,event              state machine of the recording app
      A,phone,time,activity,confidence      Core Motion: one or more of A, W, C, R, S, U, or -; confidence l, m or h
      F,phone,delivered,measured,latitude,longitude,claim (m),speed (m/s),course
    """

  private let file: String
  private var number = 0
  private var fields: [Substring] = []
  private var name: String?
  private var start = 0.0
  private var route = ""
  private var phones: [Phone] = []
  private var journeys: [Outing.Leg] = []
  private var legs: [Outing.Leg] = []
  private var ways: [(time: Double, place: Place)] = []
  private var stays: [(from: Double, to: Double, place: Place)] = []

  /// Reads the lines of an outing.
  ///
  /// - Parameters:
  ///   - text: The file's text.
  ///   - file: The file's name, for errors.
  public static func read(_ text: String, file: String) throws(OutingError) -> Outing {
    guard text.utf8.count <= maximumBytes else {
      throw OutingError(
        file: file, problem: "The file has more than \(maximumBytes) bytes: it may hold several outings; split it.")
    }
    var reader = OutingReader(file: file)
    // Splits the bytes, since "\r\n" is a single character in Swift.
    for line in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      reader.number += 1
      guard line.count <= maximumLineBytes else {
        throw reader.error("The line has more than \(maximumLineBytes) bytes: remove it.")
      }
      let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      if !line.isEmpty { try reader.readLine(Substring(line)) }
    }
    return try reader.outing()
  }

  private init(file: String) {
    self.file = file
  }
}

// MARK: - Lines

extension OutingReader {
  private mutating func readLine(_ line: Substring) throws(OutingError) {
    fields = line.split(separator: ",", omittingEmptySubsequences: false)
    switch fields[0] {
    case "O": try readOuting()
    case "P": try readPhone()
    case "J": journeys.append(try leg())
    case "L": legs.append(try leg())
    case "R":
      try expect("time, latitude, longitude", 3)
      ways.append((try time(1), try place(2)))
    case "D":
      try expect("from, to, latitude, longitude", 4)
      let (from, to) = try span(1)
      stays.append((from, to, try place(3)))
    case "B":
      try expect("phone, time, percent", 3)
      let charge = Phone.Charge(time: try time(2), percent: try value(3, "a battery level in percent", 0...100))
      phones[try phone()].battery.append(charge)
    case "S":
      try expect("phone, time, state, event", 4)
      let event = Phone.StateEvent(time: try time(2), state: String(fields[3]), event: String(fields[4]))
      phones[try phone()].events.append(event)
    case "A": try readActivity()
    case "F": try readFix()
    default:
      throw error(
        "A line begins with O, P, J, L, R, D, B, S, A or F, not \(quoted(0)): remove the line; --help has the format.")
    }
  }

  private mutating func readOuting() throws(OutingError) {
    try expect("outing, start, route", 3)
    guard name == nil else { throw error("The file has two O lines: put each outing into its own file.") }
    guard !fields[1].isEmpty else { throw error("The outing has no name: give it one.") }
    name = String(fields[1])
    start = try value(2, "a start in seconds since 1970", 0...4e9)
    route = String(fields[3])
  }

  private mutating func readPhone() throws(OutingError) {
    try expect("phone, mode, accuracy, filter, duty-cycled, from, to, has fixes, note", 9)
    guard phones.count < Self.maximumPhones else {
      throw error("An outing has at most \(Self.maximumPhones) phones: remove the others.")
    }
    guard !phones.contains(where: { $0.name == fields[1] }) else {
      throw error("The phone \(quoted(1)) has a P line already: give each phone one.")
    }
    guard let accuracy = Phone.Accuracy(rawValue: String(fields[3])) else {
      throw error("An accuracy is best, 10m, 100m or off, not \(quoted(3)): correct it.")
    }
    let (from, to) = try span(6)
    phones.append(
      Phone(
        name: String(fields[1]), mode: String(fields[2]), accuracy: accuracy,
        distanceFilter: try value(4, "a distance filter in metres", 0...100_000), isDutyCycled: try flag(5),
        from: from, to: to, hasFixes: try flag(8), note: String(fields[9])))
  }

  private mutating func readActivity() throws(OutingError) {
    try expect("phone, time, activity, confidence", 4)
    let flags = String(fields[3])
    guard flags == "-" || !flags.isEmpty && flags.allSatisfy("AWCRSU".contains) else {
      throw error("An activity is - or some of A, W, C, R, S and U, not \(quoted(3)): correct it.")
    }
    guard ["l", "m", "h"].contains(fields[4]) else {
      throw error("A confidence is l, m or h, not \(quoted(4)): correct it.")
    }
    let activity = Phone.Activity(time: try time(2), flags: flags, isUnsure: fields[4] == "l")
    phones[try phone()].activities.append(activity)
  }

  private mutating func readFix() throws(OutingError) {
    try expect("phone, delivered, measured, latitude, longitude, claim, speed, course", 8)
    // A negative accuracy is an error: such a fix has no place, and a provider wouldn't report it.
    let fix = Phone.Fix(
      delivered: try time(2), measured: try value(3, "a time in seconds", Self.oldest...Self.maximumSeconds),
      place: try place(4),
      claim: try value(6, "a claimed accuracy in metres", 0...1e7),
      speed: fields[7].isEmpty ? nil : try value(7, "a speed in m/s", 0...1_000),
      course: fields[8].isEmpty ? nil : try value(8, "a course in degrees", 0...360))
    phones[try phone()].fixes.append(fix)
  }
}

// MARK: - Fields

extension OutingReader {
  private func error(_ problem: String) -> OutingError { OutingError(file: file, line: number, problem: problem) }

  private func quoted(_ index: Int) -> String { "“\(fields[index].prefix(40))”" }

  private func expect(_ names: String, _ count: Int) throws(OutingError) {
    guard fields.count == count + 1 else {
      throw error(
        "A line \(fields[0]) needs \(count) fields after the first (\(names)), but has \(fields.count - 1): correct the line."
      )
    }
  }

  private func value(_ index: Int, _ name: String, _ range: ClosedRange<Double>) throws(OutingError) -> Double {
    guard let value = Double(fields[index]), range.contains(value) else {
      throw error(
        "\(quoted(index)) is not \(name) in \(range.lowerBound)…\(range.upperBound): correct it, or remove the line.")
    }
    return value
  }

  private func time(_ index: Int) throws(OutingError) -> Double {
    try value(index, "a time in seconds from the outing's start", Self.earliest...Self.maximumSeconds)
  }

  private func span(_ index: Int) throws(OutingError) -> (Double, Double) {
    let (from, to) = (try time(index), try time(index + 1))
    guard from <= to else { throw error("The end, \(to) s, is before the beginning, \(from) s: exchange them.") }
    return (from, to)
  }

  private func flag(_ index: Int) throws(OutingError) -> Bool {
    guard ["0", "1"].contains(fields[index]) else {
      throw error("\(quoted(index)) is neither 0 nor 1: write one of them.")
    }
    return fields[index] == "1"
  }

  private func place(_ index: Int) throws(OutingError) -> Place {
    Place(
      latitude: try value(index, "a latitude in degrees", -90...90),
      longitude: try value(index + 1, "a longitude in degrees", -180...180))
  }

  private func leg() throws(OutingError) -> Outing.Leg {
    try expect("from, to, name", 3)
    let (from, to) = try span(1)
    return Outing.Leg(from: from, to: to, name: String(fields[3]))
  }

  private func phone() throws(OutingError) -> Int {
    guard let index = phones.firstIndex(where: { $0.name == fields[1] }) else {
      throw error("The phone \(quoted(1)) has no P line before this one: add it, or remove this line.")
    }
    return index
  }
}

// MARK: - The outing as a whole

extension OutingReader {
  private func outing() throws(OutingError) -> Outing {
    guard let name else {
      throw OutingError(file: file, problem: "There is no O line: begin the file with it; --help has the format.")
    }
    guard !phones.isEmpty else {
      throw OutingError(file: file, problem: "There is no P line: add one for each phone; --help has the format.")
    }
    var outing = Outing(
      name: name, start: start, route: route, phones: phones.map(Self.sorted),
      journeys: journeys.sorted { $0.from < $1.from }, legs: legs, truth: Truth(seconds: 0))
    outing.truth = truth(of: outing)
    return outing
  }

  private static func sorted(_ phone: Phone) -> Phone {
    var phone = phone
    // Swift doesn't guarantee a stable sort, so the index decides between equal times.
    phone.fixes = stable(phone.fixes, by: \.delivered)
    phone.activities = stable(phone.activities, by: \.time)
    phone.battery = stable(phone.battery, by: \.time)
    phone.events = stable(phone.events, by: \.time)
    return phone
  }

  private static func stable<Item>(_ items: [Item], by time: (Item) -> Double) -> [Item] {
    items.enumerated().sorted { (time($0.element), $0.offset) < (time($1.element), $1.offset) }.map(\.element)
  }

  private func truth(of outing: Outing) -> Truth {
    var truth = Truth(seconds: Int(outing.end.rounded(.up)) + 1)
    func hold(_ from: Double, _ to: Double, _ place: Place) {
      let first = max(0, Int(from.rounded(.up)))
      for second in first..<max(first, min(truth.seconds, Int(to.rounded(.down)) + 1)) { truth[second] = place }
    }
    let ways = Self.stable(ways, by: \.time)
    for (time, place) in ways where time >= 0 && time == time.rounded() { truth[Int(time)] = place }
    for (from, to) in zip(ways, ways.dropFirst()) where to.time > from.time && to.time - from.time <= 1.5 {
      // The whole second between the two times.
      let second = from.time.rounded(.up)
      guard second >= 0, second <= to.time else { continue }
      let share = (second - from.time) / (to.time - from.time)
      let (north, east) = from.place.way(to: to.place)
      truth[Int(second)] = from.place.moved(north: share * north, east: share * east)
    }
    for stay in stays { hold(stay.from, stay.to, stay.place) }
    // The truth usually starts a second or two after the first phone.
    if let first = (0...Self.lateTruth).first(where: { truth[$0] != nil }), let place = truth[first] {
      hold(0, Double(first), place)
    }
    if outing.isStill, stays.isEmpty, ways.isEmpty {
      let fixes = outing.phones.flatMap(\.fixes).filter { $0.claim <= Self.goodClaim }
      if !fixes.isEmpty {
        let place = Place(
          latitude: Self.median(fixes.map(\.place.latitude)), longitude: Self.median(fixes.map(\.place.longitude)))
        hold(0, outing.end, place)
      }
    }
    return truth
  }

  private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
