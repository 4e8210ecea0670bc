// The part of IOKit's power sources that the power source uses, scripted by a test. Core Foundation's types are those of Swift.
public import Foundation

public typealias CFTypeRef = AnyObject
public typealias CFString = NSString
public typealias CFArray = NSArray
public typealias CFDictionary = NSDictionary

public let kIOPSACPowerValue = "AC Power"
public let kIOPSCurrentCapacityKey = "Current Capacity"
public let kIOPSMaxCapacityKey = "Max Capacity"

/// The results of the functions. Not part of the framework.
@MainActor
public final class StandInPowerSources {
  /// `nil` if IOKit returns nothing.
  public static var provider: String? = kIOPSACPowerValue
  /// Each source's description; `nil` for a source that is just gone.
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
