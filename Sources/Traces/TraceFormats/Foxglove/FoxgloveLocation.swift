// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes
import NMEAFormat
import SystemCalls

/// The contents of a foxglove.LocationFix message in any encoding. Missing numbers are NaN.
struct FoxgloveLocation {
    var time: WallTime?
    var frame = ""
    /// The latitude and longitude in degrees.
    var latitude = Double.nan
    var longitude = Double.nan
    /// The altitude in metres.
    var altitude = Double.nan
    /// The heading in radians, clockwise from true north.
    var heading = Double.nan
    /// The east, north and up components of the velocity in m/s.
    var velocity = SIMD3<Double>(repeating: .nan)
    /// The covariance matrix in m², in row-major order. Valid only if it has nine elements.
    private(set) var covariance: [Double] = []
    var isCovarianceKnown = false

    /// Appends an element of the covariance matrix. A tenth element makes the matrix invalid.
    mutating func addCovariance(_ number: Double) {
        if covariance.count < 10 { covariance.append(number) }
    }

    /// Returns the time, or nil if a number is missing or out of range. The limit for `seconds` prevents an overflow.
    static func time(seconds: Int64?, nanoseconds: Int64) -> WallTime? {
        guard let seconds, (0...9_000_000_000).contains(seconds), (0..<1_000_000_000).contains(nanoseconds) else {
            return nil
        }
        return WallTime(nanoseconds: seconds * 1_000_000_000 + nanoseconds)
    }
}

extension PositionReport {
    /// Converts a LocationFix message to a report. Returns nil if the message contains no valid coordinates.
    ///
    /// The altitude is interpreted as the height above the ellipsoid, as in ROS, because Foxglove does not specify the
    /// reference surface. Standard deviations are the square roots of the diagonal elements of the covariance matrix. A
    /// variance of 0, or of at least (100 km)², is treated as unknown. An altitude of 0 with a variance of at least
    /// (100 km)² is also treated as unknown. If there is no velocity, the heading is used as the course.
    init?(_ location: FoxgloveLocation, _ confidence: PositionDeviations.Confidence = .ninetyFive) {
        self.init()
        time = location.time
        receiver = location.frame
        (latitude, longitude, altitudeHAE) = (location.latitude, location.longitude, location.altitude)
        track = location.heading * 180 / .pi
        let variances = location.covariance
        if variances.count == 9 {
            if location.isCovarianceKnown {
                var deviations = PositionDeviations()
                deviations.east = Self.deviation(variances[0])
                deviations.north = Self.deviation(variances[4])
                deviations.up = Self.deviation(variances[8])
                deviations.write(to: &self, confidence)
            }
            if variances[8] >= FoxgloveMessage.minimumUnknownVariance, altitudeHAE == 0 { altitudeHAE = .nan }
        }
        let velocity = location.velocity
        let horizontalSpeed = (velocity.x * velocity.x + velocity.y * velocity.y).squareRoot()
        if horizontalSpeed.isFinite {
            speed = horizontalSpeed
            if speed > 0 { track = atan2(velocity.x, velocity.y) * 180 / .pi }
            climb = velocity.z
        }
        track = track.truncatingRemainder(dividingBy: 360)
        if track < 0 { track += 360 }
        mode = altitudeHAE.isFinite ? .threeDimensional : .twoDimensional
        guard hasFix else { return nil }
    }

    private static func deviation(_ variance: Double) -> Double {
        variance > 0 && variance < FoxgloveMessage.minimumUnknownVariance ? variance.squareRoot() : .nan
    }
}

extension FoxgloveLocation {
    init?(json: UnsafeRawBufferPointer) {
        var reader = JSONReader(json)
        do throws(JSONError) {
            guard try reader.beginObjectIfPresent() else { return nil }
            while let key = try reader.nextKey() {
                switch key.string() {
                case "timestamp": try readTime(&reader)
                case "frame_id": frame = try reader.textIfPresent()?.string() ?? ""
                case "latitude": latitude = try reader.doubleIfPresent()
                case "longitude": longitude = try reader.doubleIfPresent()
                case "altitude": altitude = try reader.doubleIfPresent()
                case "heading": heading = try reader.doubleIfPresent()
                case "velocity": try readVelocity(&reader)
                case "position_covariance": try readCovariance(&reader)
                case "position_covariance_type": isCovarianceKnown = try reader.doubleIfPresent() > 0
                default: try reader.skipValue()
                }
            }
        } catch {
            return nil
        }
    }

    private mutating func readTime(_ reader: inout JSONReader) throws(JSONError) {
        guard try reader.beginObjectIfPresent() else { return }
        var (seconds, nanoseconds): (Int64?, Int64) = (nil, 0)
        while let key = try reader.nextKey() {
            switch key.string() {
            case "sec": seconds = try reader.int64IfPresent()
            case "nsec": nanoseconds = try reader.int64IfPresent() ?? 0
            default: try reader.skipValue()
            }
        }
        time = Self.time(seconds: seconds, nanoseconds: nanoseconds)
    }

    private mutating func readVelocity(_ reader: inout JSONReader) throws(JSONError) {
        guard try reader.beginObjectIfPresent() else { return }
        while let key = try reader.nextKey() {
            switch key.string() {
            case "x": velocity.x = try reader.doubleIfPresent()
            case "y": velocity.y = try reader.doubleIfPresent()
            case "z": velocity.z = try reader.doubleIfPresent()
            default: try reader.skipValue()
            }
        }
    }

    private mutating func readCovariance(_ reader: inout JSONReader) throws(JSONError) {
        guard try reader.beginArrayIfPresent() else { return }
        while try reader.nextElement() { addCovariance(try reader.doubleIfPresent()) }
    }
}
