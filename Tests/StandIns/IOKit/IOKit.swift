// What the power source uses of IOKit's power sources, for a test to script, with the types that Core Foundation's have in
// Swift.
public import Foundation

public typealias CFTypeRef = AnyObject
public typealias CFString = NSString
public typealias CFArray = NSArray
public typealias CFDictionary = NSDictionary

public let kIOPSACPowerValue = "AC Power"
public let kIOPSCurrentCapacityKey = "Current Capacity"
public let kIOPSMaxCapacityKey = "Max Capacity"

/// What the functions give: no part of the framework.
@MainActor
public final class StandInPowerSources {
  /// `nil`: IOKit gives nothing.
  public static var provider: String? = kIOPSACPowerValue
  /// Each source's description; `nil`: a source that has just gone.
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
