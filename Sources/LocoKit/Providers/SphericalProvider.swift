/// A provider that computes speeds and courses on a sphere, like ``Location/distance(to:)``. Real receivers measure them on the ellipsoid.
package protocol SphericalProvider: LocationProvider {}
