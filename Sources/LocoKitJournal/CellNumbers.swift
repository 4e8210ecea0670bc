/// The numbers of a launch's cells, by name. A cell's name would reveal its place.
struct CellNumbers: Sendable {
  private var numbers: [String: Int] = [:]
  private static let maximum = 10_000

  mutating func number(of name: String) -> String {
    if numbers.count >= Self.maximum { numbers = [:] }
    let number = numbers[name] ?? numbers.count + 1
    numbers[name] = number
    return "\(number)"
  }
}
