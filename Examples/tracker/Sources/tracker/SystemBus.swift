import CSystemd
import Dispatch
import Foundation

/// A value of a D-Bus message.
indirect enum BusValue: Hashable, Sendable {
  case text(String)
  case number(Double)
  case flag(Bool)
  case list([BusValue])
  case map([String: BusValue])
  /// The position of a file descriptor in the message.
  case descriptor(Int32)
  /// A map with keys that are numbers, such as a modem's locations by source.
  case numbered([UInt32: BusValue])

  var text: String? { if case .text(let text) = self { text } else { nil } }
  var number: Double? { if case .number(let number) = self { number } else { nil } }
  var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }
  var map: [String: BusValue] { if case .map(let map) = self { map } else { [:] } }
  var numbered: [UInt32: BusValue] { if case .numbered(let map) = self { map } else { [:] } }
}

/// The address of a method, a property or a signal.
struct BusName: Hashable, Sendable {
  let service: String
  let path: String
  let interface: String
  let member: String

  init(_ service: String, _ path: String, _ interface: String, _ member: String) {
    (self.service, self.path, self.interface, self.member) = (service, path, interface, member)
  }
}

/// A connection to D-Bus.
@MainActor
protocol Bus: AnyObject {
  /// Calls a method, and passes the values of its reply, or an error's message, to the closure on the main actor.
  func call(
    _ name: BusName, _ arguments: [BusArgument], reply: @escaping @MainActor (Result<[BusValue], BusError>) -> Void)
  /// Passes the path and the values of each signal with a name to the closure. An empty path matches every path.
  func onSignal(_ name: BusName, _ handler: @escaping @MainActor (_ path: String, _ values: [BusValue]) -> Void) throws
}

/// An argument of a method.
enum BusArgument: Hashable, Sendable {
  case text(String)
  case number(UInt32)
  case flag(Bool)
}

/// An error of D-Bus, with its message.
struct BusError: Error, Hashable, Sendable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  init(_ what: String, _ code: Int32) { description = "\(what): \(String(cString: strerror(-code)))" }
}

/// The system bus, by sd-bus. All of its calls and callbacks are on the main thread.
@MainActor
final class SystemBus: Bus {
  private let bus: OpaquePointer
  private var readable: (any DispatchSourceRead)?
  private var timer: (any DispatchSourceTimer)?
  private var slots: [OpaquePointer] = []
  /// Called when the connection is lost. The bus can't be used any more.
  var onLoss: ((BusError) -> Void)?

  /// The time limit of a call, in microseconds.
  private static let timeout: UInt64 = 10_000_000
  /// The deepest value that is read. ModemManager's have nine levels.
  private static let deepest = 16
  /// The most values of a list or a map that are read.
  private static let longest = 10_000

  /// - Throws: A ``BusError`` if there is no system bus.
  init() throws {
    var bus: OpaquePointer?
    let code = sd_bus_open_system(&bus)
    guard code >= 0, let bus else { throw BusError("there is no system bus", code) }
    self.bus = bus
    let source = DispatchSource.makeReadSource(fileDescriptor: sd_bus_get_fd(bus), queue: .main)
    source.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.process() } }
    source.resume()
    readable = source
    let timer = DispatchSource.makeTimerSource(queue: .main)
    timer.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.process() } }
    timer.resume()
    self.timer = timer
  }

  /// Closes the connection. No handler is called after this.
  func close() {
    readable?.cancel()
    timer?.cancel()
    for slot in slots { sd_bus_slot_unref(slot) }
    (readable, timer, slots) = (nil, nil, [])
    sd_bus_flush_close_unref(bus)
  }

  private func process() {
    while readable != nil {
      let code = sd_bus_process(bus, nil)
      guard code != 0 else { break }
      if code < 0 {
        let loss = onLoss
        readable?.cancel()
        readable = nil
        loss?(BusError("the system bus is gone", code))
        return
      }
    }
    schedule()
  }

  /// Sends what is queued, and wakes for the next timeout of a call.
  private func schedule() {
    guard readable != nil else { return }
    sd_bus_flush(bus)
    var deadline = UInt64.max
    guard sd_bus_get_timeout(bus, &deadline) >= 0, deadline != .max else { return }
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    let microseconds = UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1_000
    timer?.schedule(
      deadline: .now() + .microseconds(Int(min(deadline > microseconds ? deadline - microseconds : 0, Self.timeout))))
  }

  // MARK: - Calls

  private final class Handler {
    let handle: @MainActor (OpaquePointer) -> Void
    init(_ handle: @escaping @MainActor (OpaquePointer) -> Void) { self.handle = handle }
  }

  func call(
    _ name: BusName, _ arguments: [BusArgument], reply: @escaping @MainActor (Result<[BusValue], BusError>) -> Void
  ) {
    var message: OpaquePointer?
    var code = sd_bus_message_new_method_call(bus, &message, name.service, name.path, name.interface, name.member)
    defer { if let message { sd_bus_message_unref(message) } }
    for argument in arguments where code >= 0 { code = Self.append(argument, to: message) }
    let handler = Unmanaged.passRetained(
      Handler { answer in
        if let error = sd_bus_message_get_error(answer)?.pointee {
          let text = error.message ?? error.name
          reply(.failure(BusError(text.map { String(cString: $0) } ?? "an error without a message")))
        } else {
          reply(.success(Self.values(of: answer)))
        }
      })
    if code >= 0 {
      code = sd_bus_call_async(
        bus, nil, message,
        { answer, handler, _ in
          guard let answer, let handler else { return 0 }
          let taken = Unmanaged<Handler>.fromOpaque(handler).takeRetainedValue()
          nonisolated(unsafe) let message = answer
          MainActor.assumeIsolated { taken.handle(message) }
          return 0
        }, handler.toOpaque(), Self.timeout)
    }
    if code < 0 {
      handler.release()
      reply(.failure(BusError("\(name.member) can't be called", code)))
    }
    schedule()
  }

  private static func append(_ argument: BusArgument, to message: OpaquePointer?) -> Int32 {
    switch argument {
    case .text(let text): return sd_bus_message_append_basic(message, CChar(UInt8(ascii: "s")), text)
    case .number(var number): return sd_bus_message_append_basic(message, CChar(UInt8(ascii: "u")), &number)
    case .flag(let flag):
      var value: Int32 = flag ? 1 : 0
      return sd_bus_message_append_basic(message, CChar(UInt8(ascii: "b")), &value)
    }
  }

  func onSignal(_ name: BusName, _ handler: @escaping @MainActor (_ path: String, _ values: [BusValue]) -> Void) throws
  {
    var slot: OpaquePointer?
    let handler = Unmanaged.passRetained(
      Handler { message in
        handler(sd_bus_message_get_path(message).map { String(cString: $0) } ?? "", Self.values(of: message))
      })
    // The handler lives as long as the connection.
    let code = sd_bus_match_signal(
      bus, &slot, name.service, name.path.isEmpty ? nil : name.path, name.interface, name.member,
      { message, handler, _ in
        guard let message, let handler else { return 0 }
        let kept = Unmanaged<Handler>.fromOpaque(handler).takeUnretainedValue()
        nonisolated(unsafe) let signal = message
        MainActor.assumeIsolated { kept.handle(signal) }
        return 0
      }, handler.toOpaque())
    guard code >= 0, let slot else { throw BusError("signals of \(name.interface) can't be received", code) }
    slots.append(slot)
  }

  // MARK: - Reading

  private static func values(of message: OpaquePointer) -> [BusValue] {
    var values: [BusValue] = []
    while values.count < longest, let value = next(in: message, depth: 0) { values.append(value) }
    return values
  }

  /// Reads the next value; `nil` at the end of a container, and for a value that isn't understood.
  private static func next(in message: OpaquePointer, depth: Int) -> BusValue? {
    var (kind, contents): (CChar, UnsafePointer<CChar>?) = (0, nil)
    guard depth < deepest, sd_bus_message_peek_type(message, &kind, &contents) > 0 else { return nil }
    switch UInt8(bitPattern: kind) {
    case UInt8(ascii: "s"), UInt8(ascii: "o"), UInt8(ascii: "g"):
      var text: UnsafePointer<CChar>?
      guard sd_bus_message_read_basic(message, kind, &text) > 0, let text else { return nil }
      return .text(String(cString: text))
    case UInt8(ascii: "b"): return read(message, kind, Int32(0)).map { .flag($0 != 0) }
    case UInt8(ascii: "h"): return read(message, kind, Int32(0)).map { .descriptor($0) }
    case UInt8(ascii: "y"): return read(message, kind, UInt8(0)).map { .number(Double($0)) }
    case UInt8(ascii: "n"): return read(message, kind, Int16(0)).map { .number(Double($0)) }
    case UInt8(ascii: "q"): return read(message, kind, UInt16(0)).map { .number(Double($0)) }
    case UInt8(ascii: "i"): return read(message, kind, Int32(0)).map { .number(Double($0)) }
    case UInt8(ascii: "u"): return read(message, kind, UInt32(0)).map { .number(Double($0)) }
    case UInt8(ascii: "x"): return read(message, kind, Int64(0)).map { .number(Double($0)) }
    case UInt8(ascii: "t"): return read(message, kind, UInt64(0)).map { .number(Double($0)) }
    case UInt8(ascii: "d"): return read(message, kind, 0.0).map { .number($0) }
    default:
      guard sd_bus_message_enter_container(message, kind, contents) > 0 else { return nil }
      var values: [BusValue] = []
      while values.count < longest, let value = next(in: message, depth: depth + 1) { values.append(value) }
      // A value that wasn't understood would end all later ones.
      while sd_bus_message_at_end(message, 0) == 0, sd_bus_message_skip(message, nil) >= 0 {}
      sd_bus_message_exit_container(message)
      switch UInt8(bitPattern: kind) {
      case UInt8(ascii: "v"): return values.first
      case UInt8(ascii: "a") where contents?.pointee == CChar(UInt8(ascii: "{")): return map(of: values)
      default: return .list(values)
      }
    }
  }

  private static func read<Value: BitwiseCopyable>(_ message: OpaquePointer, _ kind: CChar, _ zero: Value) -> Value? {
    var value = zero
    return sd_bus_message_read_basic(message, kind, &value) > 0 ? value : nil
  }

  private static func map(of entries: [BusValue]) -> BusValue {
    var (texts, numbers): ([String: BusValue], [UInt32: BusValue]) = ([:], [:])
    for case .list(let entry) in entries where entry.count == 2 {
      switch entry[0] {
      case .text(let key): texts[key] = entry[1]
      case .number(let key): UInt32(exactly: key).map { numbers[$0] = entry[1] }
      default: break
      }
    }
    return numbers.isEmpty ? .map(texts) : .numbered(numbers)
  }
}
