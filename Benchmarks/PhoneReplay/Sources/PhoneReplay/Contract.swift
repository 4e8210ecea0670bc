import Foundation
import LocoKit

extension WakeSources {
  static let visits = WakeSources([])
  static let keeper = WakeSources([])
  static let keeperAtRest = WakeSources([])
}

enum Contract {
  static func markCoarse(_ location: Location) -> Location { location }
  static let departure: ProviderReport? = nil
  static let standing = Motion.vehicle
}
