/// A provider that doesn't report changes of its computer's battery. A ``PowerController`` therefore reads the battery.
package protocol HostProvider: LocationProvider {
  func readBattery() -> LocationManager.BatteryStatus?
}
