// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Dashboard
import DeviceCore
import Foundation
import JSONBytes
import SensorTools

/// A printer that publishes the readings of the listeners to the pages. Used on the main thread.
final class DashboardPrinter: ReadingPrinter {
    private let feed: DashboardFeed
    private let clock: SessionClock
    private var walk: PedometerReading?
    private var activity: MotionActivityReading?
    private var gaps = GapDetector()
    var accessories: AccessoryTrafficTracker

    init(feed: DashboardFeed, clock: SessionClock, accessories: AccessoryTrafficTracker) {
        (self.feed, self.clock, self.accessories) = (feed, clock, accessories)
    }

    func print(_ reading: some Reading) {
        // The most frequent readings come first.
        switch reading {
        case let reading as MotionReading: add(reading)
        case let reading as DeviceMotionReading: add(reading)
        case let reading as HeadingReading: add(reading)
        case let reading as LocationsReading: for location in reading.locations { publish(location) }
        case let reading as LocationFailure: publish(reading)
        case let reading as PedometerReading:
            walk = reading
            publishActivity()
        case let reading as MotionActivityReading:
            activity = reading
            publishActivity()
        case let reading as AccessoryChangeReading: accessories.update(reading, at: clock.now)
        case let reading as StreamFailure:
            feed.log("warning", at: clock.now, "\(reading.stream.rawValue): \(reading.error.reason)")
        case let reading as HeadingAdvice: feed.log("note", at: clock.now, reading.text)
        case let reading as AuthorizationReading where reading.status == .denied || reading.status == .restricted:
            feed.log("warning", at: clock.now, "The configuration does not allow the use of the position.")
        default: break
        }
    }

    /// Discards the readings of the previous playback position.
    func reset() {
        walk = nil
        activity = nil
        gaps = GapDetector()
    }

    private func add(_ reading: MotionReading) {
        guard let channel = ChannelName(reading.stream) else { return }
        var values = SIMD4<Float>(repeating: .nan)
        for (index, value) in reading.values.prefix(4).enumerated() { values[index] = Float(value.number) }
        // Core Motion reports kilopascals; the channel uses hectopascals.
        if channel == .pressure { values[0] *= 10 }
        feed.add(channel, at: clock.seconds(reading.timestamp), values)
    }

    private func add(_ reading: DeviceMotionReading) {
        let time = clock.seconds(reading.timestamp)
        let q = reading.quaternion
        feed.add(.attitude, at: time, SIMD4(Float(q.w), Float(q.x), Float(q.y), Float(q.z)))
        feed.add(.userAcceleration, at: time, SIMD4(reading.userAcceleration))
        feed.add(.gravity, at: time, SIMD4(reading.gravity))
    }

    private func add(_ reading: HeadingReading) {
        let time = clock.seconds(reading.timestamp)
        let values = [reading.magneticHeading, reading.trueHeading, reading.headingAccuracy].map { $0 < 0 ? .nan : $0 }
        feed.add(.heading, at: time, SIMD4(SIMD3(values[0], values[1], values[2])))
    }

    private func publishActivity() {
        let (walk, activity, now) = (walk, activity, clock.now)
        feed.publish(
            DashboardMessage("walk", .state) { writer in
                writer.member("t", now)
                if let walk {
                    writer.member("steps", walk.steps)
                    writer.member("distance", walk.distance)
                    writer.member("floors", walk.floorsAscended)
                    writer.member("pace", walk.pace)
                    writer.member("cadence", walk.cadence)
                }
                if let activity {
                    writer.member(
                        "activity", activity.flags.filter(\.isSet).map { "\($0.name)" }.joined(separator: ", "))
                    writer.member("confidence", activity.confidence)
                }
            })
    }

    private func publish(_ location: CLLocation) {
        let time = location.report.map { clock.seconds($0.arrival) } ?? clock.now
        if let gap = gaps.process(time) {
            // The gap is part of the track, so that pages that connect later do not connect its ends.
            feed.publish(
                DashboardMessage("gap", .track) { writer in
                    writer.member("t", gap.start)
                    writer.member("channel", "location")
                    writer.member("seconds", time - gap.start)
                })
        }
        feed.publish(
            DashboardMessage("location", .track, ending: "locationFailed") { writer in
                writer.member("t", time)
                writer.member("timestamp", CivilDate(location.time).timestamp)
                writer.member("latitude", location.coordinate.latitude)
                writer.member("longitude", location.coordinate.longitude)
                writer.memberIfPresent("altitude", location.altitudeAboveSeaLevel)
                writer.memberIfPresent("ellipsoidalAltitude", location.altitudeAboveEllipsoid)
                writer.memberIfPresent("horizontalAccuracy", Self.valid(location.horizontalAccuracy))
                writer.memberIfPresent("verticalAccuracy", Self.valid(location.verticalAccuracy))
                writer.memberIfPresent("speed", Self.valid(location.speed))
                writer.memberIfPresent("speedAccuracy", Self.valid(location.speedAccuracy))
                writer.memberIfPresent("course", Self.valid(location.course))
                writer.memberIfPresent("courseAccuracy", Self.valid(location.courseAccuracy))
                writer.memberIfPresent("mode", location.report.map { $0.mode.words })
                writer.memberIfPresent("status", location.report.flatMap { FixStatus.words[$0.status] })
                writer.memberIfPresent("source", location.receiver)
            })
    }

    private func publish(_ failure: LocationFailure) {
        let now = clock.now
        feed.publish(
            DashboardMessage("locationFailed", .state) { writer in
                writer.member("t", now)
                writer.member("error", failure.error.reason)
            })
    }

    /// Returns nil for negative numbers, which represent unknown values in Core Location.
    private static func valid(_ number: Double) -> Double? { number >= 0 ? number : nil }
}

extension FixMode {
    fileprivate var words: String {
        switch self {
        case .threeDimensional: "3D"
        case .twoDimensional: "2D"
        case .none, .unknown: "none"
        }
    }
}

/// gpsd's fix status, as text. Other values have no meaning for users.
private enum FixStatus {
    static let words: [UInt8: String] = [
        2: "DGPS", 3: "RTK fixed", 4: "RTK float", 5: "dead reckoning", 6: "GNSS and dead reckoning", 7: "surveyed",
        8: "simulated", 9: "P(Y)",
    ]
}
