// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Shortest paths (geodesics) on the WGS-84 ellipsoid.
///
/// The inverse problem (two points given) and the direct problem (start, direction and length given) are solved by
/// the method of C. F. F. Karney, "Algorithms for geodesics", J. Geodesy 87, 43-55 (2013),
/// doi:10.1007/s00190-012-0578-z, with series of sixth order in the flattening. The inverse solution converges for
/// every pair of points, antipodal ones included. Errors are those of rounding: about 15 nanometres.
///
/// Points are taken at height zero. Every function is pure, allocates nothing, ends after a bounded number of steps
/// whatever it is given, and may be called from any thread.
///
/// ```swift
/// let paris = GeodeticCoordinate(latitude: 48.8566, longitude: 2.3522)
/// let tokyo = GeodeticCoordinate(latitude: 35.6762, longitude: 139.6503)
/// let path = Geodesic.inverse(from: paris, to: tokyo)
/// print(path.distance, path.initialAzimuth)
/// ```
public enum Geodesic {}
