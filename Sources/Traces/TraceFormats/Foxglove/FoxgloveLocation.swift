// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes
import NMEAFormat
import SystemCalls

/// A message of the schema foxglove.LocationFix, as it is, whatever it was encoded in.
struct FoxgloveLocation {
    var time: WallTime?
    var frame = ""
    /// In degrees; NaN where the message has none.
    var latitude = Double.nan
    /// In degrees; NaN where the message has none.
    var longitude = Double.nan
    /// In metres; NaN where the message has none.
    var altitude = Double.nan
    /// In radians; NaN where the message has none.
    var heading = Double.nan
    /// East, north and up, in m/s; NaN where the message has none.
    var velocity = SIMD3<Double>(repeating: .nan)
    /// The covariance in m², row by row; nine numbers, or none that mean something.
    private(set) var covariance: [Double] = []
    /// 0 is one that is not known.
    var isCovarianceKnown = false

    /// Adds one of the covariance's numbers; more than nine are as wrong as ten.
    mutating func addCovariance(_ number: Double) {
        if covariance.count < 10 { covariance.append(number) }
    }

    /// The stamp of a message; nil outside of what a clock shows.
    static func time(seconds: Int64?, nanoseconds: Int64) -> WallTime? {
        guard let seconds, (0...9_000_000_000).contains(seconds), (0..<1_000_000_000).contains(nanoseconds) else {
            return nil
        }
        return WallTime(nanoseconds: seconds * 1_000_000_000 + nanoseconds)
    }
}

extension PositionReport {
    /// What a LocationFix says; nil when it says no place.
    ///
    /// Its altitude is taken for one above the ellipsoid, as ROS has it; Foxglove does not say. Standard deviations are the
    /// roots of the covariance's diagonal; those of 0, and beyond 100 km, are not known, and with the latter an altitude
    /// of 0 is none. Speed, course and climb are those of the velocity; without one the heading is taken for the course.
    ///
    /// - Parameter confidence: what the errors become.
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
            if variances[8] >= FoxgloveMessage.leastUnknownVariance, altitudeHAE == 0 { altitudeHAE = .nan }
        }
        let velocity = location.velocity
        let way = (velocity.x * velocity.x + velocity.y * velocity.y).squareRoot()
        if way.isFinite {
            speed = way
            if speed > 0 { track = atan2(velocity.x, velocity.y) * 180 / .pi }
            climb = velocity.z
        }
        track = track.truncatingRemainder(dividingBy: 360)
        if track < 0 { track += 360 }
        mode = altitudeHAE.isFinite ? .threeDimensional : .twoDimensional
        guard hasFix else { return nil }
    }

    /// The root of a variance that says something; NaN of others.
    private static func deviation(_ variance: Double) -> Double {
        variance > 0 && variance < FoxgloveMessage.leastUnknownVariance ? variance.squareRoot() : .nan
    }
}

extension FoxgloveLocation {
    /// Reads a message in JSON; nil when it is none.
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
