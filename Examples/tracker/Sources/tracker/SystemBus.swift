import CSystemd
import Dispatch
import Foundation

/// A value of a D-Bus message.
indirect enum BusValue: Hashable, Sendable {
  case text(String)
  case number(Double)
  case flag(Bool)
  case list([BusValue])
  /// A map. The keys may be numbers in the message, such as the sources of a modem's locations.
  case map([String: BusValue])
  /// The position of a file descriptor in the message.
  case descriptor(Int32)

  var text: String? { if case .text(let text) = self { text } else { nil } }
  var number: Double? { if case .number(let number) = self { number } else { nil } }
  var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }
  var map: [String: BusValue] { if case .map(let map) = self { map } else { [:] } }
}

/// The address of a method or a signal.
typealias BusName = (service: String, path: String, interface: String, member: String)

/// The system bus, by sd-bus. All of its calls and callbacks are on the main thread, and none waits for the bus.
@MainActor
final class SystemBus {
  private let (bus, event): (OpaquePointer, OpaquePointer)
  /// The bus has something to read or to write, or the time of a call is over; `nil` after the end of the connection.
  private var ready: (any DispatchSourceRead)?
  /// The handlers of signals, which last as long as the connection, and those of the calls without a reply yet, by number.
  private var (handlers, replies): ([Handler], [Int: Handler]) = ([], [:])
  private var calls = 0
  /// Whether a call has succeeded.
  private(set) var hasAnswered = false
  /// Called when the connection is lost. The bus can't be used any more.
  var onLoss: ((Problem) -> Void)?
  private static let loss = Problem("the system bus is gone")

  /// The time limit of a call, in microseconds.
  private static let timeout: UInt64 = 10_000_000
  /// The limits of a message: the levels of a value (ModemManager's have nine), and the values of a list or a map.
  private static let (deepest, longest) = (16, 10_000)

  /// - Throws: A ``Problem`` if there is no system bus.
  init() throws {
    var (bus, event): (OpaquePointer?, OpaquePointer?)
    var code = sd_bus_open_system(&bus)
    if code >= 0 { code = sd_event_new(&event) }
    if code >= 0 { code = sd_bus_attach_event(bus, event, 0) }
    guard code >= 0, let bus, let event else { throw Problem("there is no system bus", -code) }
    (self.bus, self.event) = (bus, event)
    let ready = DispatchSource.makeReadSource(fileDescriptor: sd_event_get_fd(event), queue: .main)
    ready.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.process() } }
    nonisolated(unsafe) let ended = (bus, event)
    ready.setCancelHandler {
      sd_bus_close_unref(ended.0)
      sd_event_unref(ended.1)
    }
    ready.resume()
    self.ready = ready
    process()
  }

  /// Closes the connection. Each call without a reply fails, and no handler is called after this.
  func close() {
    ready?.cancel()
    ready = nil
    let pending = replies
    replies = [:]
    for handler in pending.values { handler.handle(nil) }
  }

  /// Handles what is due, and awaits the next thing.
  private func process() {
    while ready != nil, sd_event_run(event, 0) > 0 {}
    guard ready != nil, sd_bus_is_open(bus) <= 0 else { return }
    onLoss?(Self.loss)
    close()
  }

  /// Sends what was added. Not immediately, because that would call other handlers inside a call.
  private func processSoon() {
    DispatchQueue.main.async { [weak self] in MainActor.assumeIsolated { self?.process() } }
  }

  // MARK: - Calls

  private final class Handler {
    /// Receives a message; `nil` if the connection ended before the reply.
    let handle: @MainActor (OpaquePointer?) -> Void
    init(_ handle: @escaping @MainActor (OpaquePointer?) -> Void) { self.handle = handle }
  }

  private static let callback: sd_bus_message_handler_t = { message, handler, _ in
    guard let message, let handler else { return 0 }
    nonisolated(unsafe) let kept = Unmanaged<Handler>.fromOpaque(handler).takeUnretainedValue()
    nonisolated(unsafe) let received = message
    MainActor.assumeIsolated { kept.handle(received) }
    return 0
  }

  /// Calls a method, and passes its reply's values, or an error's message, to the closure. Arguments are texts, flags and 32-bit numbers.
  func call(
    _ name: BusName, _ arguments: [BusValue], reply: @escaping @MainActor (Result<[BusValue], Problem>) -> Void
  ) {
    guard ready != nil else { return reply(.failure(Self.loss)) }
    var message: OpaquePointer?
    var code = sd_bus_message_new_method_call(bus, &message, name.service, name.path, name.interface, name.member)
    defer { if let message { sd_bus_message_unref(message) } }
    for argument in arguments where code >= 0 { code = Self.append(argument, to: message) }
    calls += 1
    let number = calls
    let handler = Handler { [weak self] answer in
      self?.replies[number] = nil
      guard let answer else { return reply(.failure(Self.loss)) }
      if let error = sd_bus_message_get_error(answer)?.pointee {
        let text = error.message ?? error.name
        reply(.failure(Problem(text.map { String(cString: $0) } ?? "an error without a message")))
      } else {
        self?.hasAnswered = true
        reply(.success(Self.values(of: answer)))
      }
    }
    replies[number] = handler
    if code >= 0 {
      code = sd_bus_call_async(
        bus, nil, message, Self.callback, Unmanaged.passUnretained(handler).toOpaque(), Self.timeout)
    }
    if code < 0, replies.removeValue(forKey: number) != nil {
      reply(.failure(Problem("\(name.member) can't be called", -code)))
    }
    processSoon()
  }

  func call(_ name: BusName, _ arguments: [BusValue]) async -> Result<[BusValue], Problem> {
    await withCheckedContinuation { done in call(name, arguments) { done.resume(returning: $0) } }
  }

  private static func append(_ argument: BusValue, to message: OpaquePointer?) -> Int32 {
    switch argument {
    case .text(let text): return sd_bus_message_append_basic(message, CChar(UInt8(ascii: "s")), text)
    case .flag(let flag):
      var value: Int32 = flag ? 1 : 0
      return sd_bus_message_append_basic(message, CChar(UInt8(ascii: "b")), &value)
    case .number(let number):
      var value = UInt32(number)
      return sd_bus_message_append_basic(message, CChar(UInt8(ascii: "u")), &value)
    default: preconditionFailure("An argument is a text, a flag or a number, not \(argument).")
    }
  }

  /// Passes the path and the values of each signal with a name to the closure. An empty path matches every path. With a `first` text, the bus
  /// sends only the signals whose first value it is, so that the others don't wake the process.
  func onSignal(
    _ name: BusName, first: String?, _ handler: @escaping @MainActor (_ path: String, _ values: [BusValue]) -> Void
  ) throws {
    let handler = Handler { message in
      // A signal with a destination may come from any program: the bus checks the sender of a broadcast only.
      guard let message, sd_bus_message_get_destination(message) == nil else { return }
      handler(sd_bus_message_get_path(message).map { String(cString: $0) } ?? "", Self.values(of: message))
    }
    var match = "type='signal',sender='\(name.service)',interface='\(name.interface)',member='\(name.member)'"
    if !name.path.isEmpty { match += ",path='\(name.path)'" }
    if let first { match += ",arg0='\(first)'" }
    // Without an install callback, sd-bus closes the connection if the bus refuses the match.
    let code = sd_bus_add_match_async(
      bus, nil, match, Self.callback, nil, Unmanaged.passUnretained(handler).toOpaque())
    guard code >= 0 else { throw Problem("signals of \(name.interface) can't be received", -code) }
    handlers.append(handler)
    processSoon()
  }

  /// Calls the closure when a service starts or ends.
  func onOwner(of service: String, _ handler: @escaping @MainActor (_ isRunning: Bool) -> Void) throws {
    let daemon = "org.freedesktop.DBus"
    try onSignal((daemon, "/org/freedesktop/DBus", daemon, "NameOwnerChanged"), first: service) { _, values in
      if values.count == 3 { handler(values[2].text?.isEmpty == false) }
    }
  }

  // MARK: - Reading

  private static func values(of message: OpaquePointer, depth: Int = 0) -> [BusValue] {
    var values: [BusValue] = []
    while values.count < longest, let value = next(in: message, depth: depth) { values.append(value) }
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
    case UInt8(ascii: "i"): return read(message, kind, Int32(0)).map { .number(Double($0)) }
    case UInt8(ascii: "u"): return read(message, kind, UInt32(0)).map { .number(Double($0)) }
    case UInt8(ascii: "d"): return read(message, kind, 0.0).map { .number($0) }
    default:
      guard contents != nil, sd_bus_message_enter_container(message, kind, contents) > 0 else { return nil }
      let values = values(of: message, depth: depth + 1)
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
    var map: [String: BusValue] = [:]
    for case .list(let entry) in entries where entry.count == 2 {
      switch entry[0] {
      case .text(let key): map[key] = entry[1]
      case .number(let key): UInt32(exactly: key).map { map["\($0)"] = entry[1] }
      default: break
      }
    }
    return .map(map)
  }
}
