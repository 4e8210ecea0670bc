// The part of IOKit that `DeviceBattery` uses, scripted by a test. Foundation's types replace those of Core Foundation.
public import Foundation

public typealias CFTypeRef = AnyObject
public typealias CFString = NSString
public typealias CFArray = NSArray
public typealias CFDictionary = NSDictionary

public let kIOPSACPowerValue = "AC Power"
public let kIOPSCurrentCapacityKey = "Current Capacity"
public let kIOPSMaxCapacityKey = "Max Capacity"

/// The power sources that the functions return. Not part of the framework.
@MainActor
public final class StandInPowerSources {
  /// The type of the source in use; `nil` if IOKit returns no information.
  public static var provider: String? = kIOPSACPowerValue
  /// The description of each source; `nil` for a source that was just removed.
  public static var sources: [[String: Int]?] = []
}

private final class Snapshot {
  let provider: NSString
  let sources: NSArray
  let descriptions: [NSDictionary?]

  @MainActor
  init?() {
    guard let provider = StandInPowerSources.provider else { return nil }
    self.provider = NSString(string: provider)
    sources = NSArray(array: StandInPowerSources.sources.indices.map { NSNumber(value: $0) })
    descriptions = StandInPowerSources.sources.map { $0.map { NSDictionary(dictionary: $0) } }
  }
}

@MainActor
public func IOPSCopyPowerSourcesInfo() -> Unmanaged<CFTypeRef>! {
  Snapshot().map { Unmanaged.passRetained($0) }
}

public func IOPSGetProvidingPowerSourceType(_ info: CFTypeRef!) -> Unmanaged<CFString>! {
  (info as? Snapshot).map { Unmanaged.passUnretained($0.provider) }
}

public func IOPSCopyPowerSourcesList(_ info: CFTypeRef!) -> Unmanaged<CFArray>! {
  (info as? Snapshot).map { Unmanaged.passRetained($0.sources) }
}

public func IOPSGetPowerSourceDescription(_ info: CFTypeRef!, _ source: CFTypeRef!) -> Unmanaged<CFDictionary>! {
  guard let number = source as? NSNumber, let description = (info as? Snapshot)?.descriptions[number.intValue] else {
    return nil
  }
  return Unmanaged.passUnretained(description)
}
