/// Dates and times of ISO 8601, as GPX files have them.
enum GPXDate {
  /// Returns the seconds since 1970 of a date and a time; `nil` if the text is neither, or if there is no such day or time.
  ///
  /// The text has the extended form, `2026-05-03T19:00:00Z`, or the basic one, `20260503T190000Z`. A blank may replace the `T`. The seconds
  /// may be absent or have a fraction, with a point or a comma. A time without a zone is in UTC, as GPX requires. `24:00:00` is the end of
  /// a day, and a leap second is the first second of the next minute.
  static func seconds(_ text: ArraySlice<UInt8>) -> Double? {
    var rest = text
    func number(_ digits: Int) -> Int? {
      let written = rest.prefix(digits)
      guard written.count == digits, written.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else {
        return nil
      }
      rest.removeFirst(digits)
      return written.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
    func skip(_ marks: StaticString) -> UInt8? {
      guard let first = rest.first, marks.withUTF8Buffer({ $0.contains(first) }) else { return nil }
      return rest.removeFirst()
    }

    guard let year = number(4) else { return nil }
    let isExtended = skip("-") != nil
    guard let month = number(2), (skip("-") != nil) == isExtended, let day = number(2), year > 0,
      (1...12).contains(month),
      (1...days(in: month, of: year)).contains(day), skip("Tt ") != nil, let hour = number(2), hour <= 24
    else { return nil }
    _ = skip(":")
    guard let minute = number(2), minute <= 59 else { return nil }
    var (second, fraction) = (0, 0.0)
    if skip(":") != nil || rest.first.map((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) == true {
      guard let written = number(2), written <= 60 else { return nil }
      second = written
      if skip(".,") != nil {
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        rest.removeFirst(digits.count)
        fraction = Double(decimal: [UInt8(ascii: ".")] + digits) ?? 0
      }
    }
    if hour == 24, minute > 0 || second > 0 || fraction > 0 { return nil }
    while skip(" ") != nil {}
    var offset = 0
    if let sign = skip("+-") {
      guard let hours = number(2), hours <= 23 else { return nil }
      _ = skip(":")
      let minutes = rest.isEmpty ? 0 : number(2)
      guard let minutes, minutes <= 59 else { return nil }
      offset = (sign == UInt8(ascii: "-") ? -1 : 1) * (hours * 60 + minutes)
    } else {
      _ = skip("Zz")
    }
    guard rest.isEmpty else { return nil }
    // An Int has 32 bits in WebAssembly and on some watches, which are too few for the seconds after 2038, or the minutes after 6053.
    let minutes = Double(daysSince1970(year, month, day)) * 1_440 + Double(hour * 60 + minute - offset)
    return minutes * 60 + Double(second) + fraction
  }

  private static func days(in month: Int, of year: Int) -> Int {
    let isLeapYear = year.isMultiple(of: 4) && !year.isMultiple(of: 100) || year.isMultiple(of: 400)
    return month == 2 ? (isLeapYear ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  /// Returns the days since 1 January 1970 in the Gregorian calendar, by Howard Hinnant's `days_from_civil`
  /// (https://howardhinnant.github.io/date_algorithms.html), for years after 0.
  private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
    // The year begins in March, so that its last day is the leap day.
    let year = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return 365 * year + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
  }
}
