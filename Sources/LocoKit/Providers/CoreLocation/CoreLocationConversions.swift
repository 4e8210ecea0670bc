#if canImport(CoreLocation)
  public import CoreLocation
  import LocoFoundation

  extension CoreLocationCore.Input {
    /// Converts an error. The result is `nil` for an error of headings, regions, ranging or geocoding.
    init?(_ error: any Error) {
      guard let code = (error as? CLError)?.code else {
        self = .failure(.other("an error that is not Core Location's: \(type(of: error))"))
        return
      }
      switch code {
      case .locationUnknown: self = .failure(.locationUnknown)
      case .denied: self = .failure(.accessDenied)
      case .promptDeclined: self = .promptDeclined
      case .headingFailure, .regionMonitoringDenied, .regionMonitoringFailure, .regionMonitoringSetupDelayed,
        .regionMonitoringResponseDelayed, .rangingUnavailable, .rangingFailure, .geocodeFoundNoResult,
        .geocodeFoundPartialResult, .geocodeCanceled:
        return nil
      default: self = .failure(.other("Core Location's error \(code.rawValue)"))
      }
    }
  }

  extension Authorization {
    init(_ status: CLAuthorizationStatus) {
      switch status {
      case .notDetermined: self = .notDetermined
      case .restricted: self = .restricted
      case .denied: self = .denied
      #if !os(visionOS)
        case .authorizedAlways: self = .always
      #endif
      #if !os(macOS)
        case .authorizedWhenInUse: self = .whenInUse
      #endif
      @unknown default: self = .denied
      }
    }
  }

  extension Location {
    /// The latitude and the longitude, for MapKit and Core Location.
    ///
    /// ```swift
    /// let center = location.coordinate
    /// ```
    public var coordinate: CLLocationCoordinate2D {
      CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
    }

    /// Converts a location of Core Location, which uses negative numbers for unknown values. A vertical accuracy of 0 or less means that
    /// the altitude is unknown.
    ///
    /// ```swift
    /// let start = Location(place)
    /// ```
    public init(_ location: CLLocation) {
      let hasAltitude = location.verticalAccuracy > 0
      self.init(
        latitude: location.coordinate.latitude, longitude: location.coordinate.longitude,
        horizontalAccuracy: location.horizontalAccuracy, altitude: hasAltitude ? location.altitude : nil,
        verticalAccuracy: hasAltitude ? location.verticalAccuracy : nil,
        speed: location.speed >= 0 ? location.speed : nil,
        speedAccuracy: location.speedAccuracy >= 0 ? location.speedAccuracy : nil,
        course: location.course >= 0 ? location.course : nil,
        courseAccuracy: location.courseAccuracy >= 0 ? location.courseAccuracy : nil, floor: location.floor?.level,
        timestamp: location.timestamp)
      isSimulatedBySoftware = location.sourceInformation?.isSimulatedBySoftware == true
      isProducedByAccessory = location.sourceInformation?.isProducedByAccessory == true
    }
  }

  extension CLLocation {
    /// Converts a location, for example for `CLGeocoder`. Unknown values are -1, as in Core Location; an unknown altitude is 0 with the
    /// vertical accuracy -1. Core Location treats an altitude without a vertical accuracy as unknown. The floor and the source are omitted,
    /// because only Core Location sets them.
    ///
    /// ```swift
    /// let place = CLLocation(location)
    /// ```
    public convenience init(_ location: Location) {
      self.init(
        coordinate: location.coordinate, altitude: location.altitude ?? 0,
        horizontalAccuracy: location.horizontalAccuracy,
        verticalAccuracy: location.altitude == nil ? -1 : location.verticalAccuracy ?? -1,
        course: location.course ?? -1,
        courseAccuracy: location.courseAccuracy ?? -1, speed: location.speed ?? -1,
        speedAccuracy: location.speedAccuracy ?? -1, timestamp: location.timestamp)
    }
  }
#endif
