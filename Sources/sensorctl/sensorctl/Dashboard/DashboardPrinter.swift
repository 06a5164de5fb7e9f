// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Dashboard
import DeviceCore
import Foundation
import JSONBytes
import SensorTools

/// Publishes the listeners' readings to the pages. Must be used on the main thread. The message types, their members
/// and the channel names must match those in app.js and DashboardFeed.swift.
final class DashboardPrinter: ReadingPrinter {
    private let feed: DashboardFeed
    private let clock: SessionClock
    private var walk: PedometerReading?
    private var activity: MotionActivityReading?
    private var gaps = GapDetector()
    private let accessories: AccessoryTrafficTracker
    private let places: PlaceNamePublisher

    init(feed: DashboardFeed, clock: SessionClock, accessories: AccessoryTrafficTracker) {
        (self.feed, self.clock, self.accessories) = (feed, clock, accessories)
        places = PlaceNamePublisher(feed: feed)
    }

    func print(_ reading: some Reading) {
        // The cases are ordered by frequency, with the most frequent kinds of reading first.
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

    /// Discards readings that precede a seek. The session calls ``AccessoryTrafficTracker/seek(to:)`` separately.
    func reset() {
        walk = nil
        activity = nil
        gaps = GapDetector()
        places.reset()
    }

    private func add(_ reading: MotionReading) {
        guard let channel = ChannelName(reading.stream) else { return }
        var values = SIMD4<Float>(repeating: .nan)
        for (index, value) in reading.values.prefix(4).enumerated() { values[index] = Float(value.number) }
        // Core Motion reports kilopascals. The channel uses hectopascals.
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
        // In Core Location, a negative heading or accuracy is invalid.
        let values = [reading.magneticHeading, reading.trueHeading, reading.headingAccuracy].map { $0 < 0 ? .nan : $0 }
        feed.add(.heading, at: time, SIMD4(SIMD3(values[0], values[1], values[2])))
    }

    private func publishActivity() {
        let (walk, activity, now) = (walk, activity, clock.now)
        feed.publish(
            DashboardMessage("walk", .state) { writer in
                writer.member("t", now)
                if let walk {
                    writer.members([
                        "steps": walk.steps, "distance": walk.distance, "floors": walk.floorsAscended,
                        "pace": walk.pace, "cadence": walk.cadence,
                    ])
                }
                if let activity { writer.members(["activity": activity.names, "confidence": activity.confidence]) }
            })
    }

    /// The names of gpsd fix statuses that matter to users.
    private static let fixStatus: [UInt8: String] = [
        2: "DGPS", 3: "RTK fixed", 4: "RTK float", 5: "dead reckoning", 6: "GNSS and dead reckoning", 7: "surveyed",
        8: "simulated", 9: "P(Y)",
    ]

    private func publish(_ location: CLLocation) {
        let time = location.report.map { clock.seconds($0.arrival) } ?? clock.now
        if let gap = gaps.process(time) {
            // Adds the gap to the track, so that pages opened later do not draw a line across it.
            feed.publish("gap", .track, ["t": gap.start, "channel": "location", "seconds": time - gap.start])
        }
        feed.publish(
            DashboardMessage("location", .track, invalidating: "locationFailed") { writer in
                writer.members([
                    "t": time, "timestamp": CivilDate(location.time).timestamp,
                    "latitude": location.coordinate.latitude, "longitude": location.coordinate.longitude,
                ])
                writer.memberIfPresent("altitude", location.altitudeAboveSeaLevel)
                writer.memberIfPresent("ellipsoidalAltitude", location.altitudeAboveEllipsoid)
                let values: KeyValuePairs<StaticString, Double> = [
                    "horizontalAccuracy": location.horizontalAccuracy, "verticalAccuracy": location.verticalAccuracy,
                    "speed": location.speed, "speedAccuracy": location.speedAccuracy, "course": location.course,
                    "courseAccuracy": location.courseAccuracy,
                ]
                for (name, value) in values where value >= 0 { writer.member(name, value) }
                writer.memberIfPresent("mode", location.report.map { $0.mode.words })
                writer.memberIfPresent("status", location.report.flatMap { Self.fixStatus[$0.status] })
                writer.memberIfPresent("source", location.receiver)
            })
        places.update(location)
    }

    private func publish(_ failure: LocationFailure) {
        feed.publish("locationFailed", .state, ["t": clock.now, "error": failure.error.reason])
    }
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

/// The dashboard's channels. The raw values are indices into `allCases`, so they may change between versions.
enum ChannelName: Int, CaseIterable {
    case accelerometer, gyroscope, magnetometer, pressure, attitude, userAcceleration, gravity, heading

    var channel: DashboardChannel {
        let axes = ["x", "y", "z"]
        return switch self {
        case .accelerometer: DashboardChannel("accelerometer", "Accelerometer", unit: "g", axes: axes)
        case .gyroscope: DashboardChannel("gyroscope", "Gyroscope", unit: "rad/s", axes: axes)
        case .magnetometer: DashboardChannel("magnetometer", "Magnetometer", unit: "uT", axes: axes)
        case .pressure: DashboardChannel("pressure", "Air pressure", unit: "hPa", axes: ["pressure"])
        case .attitude: DashboardChannel("attitude", "Attitude", unit: "", axes: ["w", "x", "y", "z"])
        case .userAcceleration: DashboardChannel("userAcceleration", "User acceleration", unit: "g", axes: axes)
        case .gravity: DashboardChannel("gravity", "Gravity", unit: "g", axes: axes)
        case .heading: DashboardChannel("heading", "Heading", unit: "deg", axes: ["magnetic", "true", "accuracy"])
        }
    }

    init?(_ stream: StreamName) {
        switch stream {
        case .accelerometer: self = .accelerometer
        case .gyro: self = .gyroscope
        case .magnetometer: self = .magnetometer
        case .pressure: self = .pressure
        default: return nil
        }
    }
}

extension DashboardFeed {
    func add(_ channel: ChannelName, at time: Double, _ reading: SIMD4<Float>) {
        add(channel.rawValue, at: time, reading)
    }

    func publish(_ type: String, _ retention: DashboardMessage.Retention, _ members: JSONMembers) {
        publish(DashboardMessage(type, retention) { $0.members(members) })
    }

    func publish<Thing>(_ type: String, list: [Thing], _ members: (Thing) -> JSONMembers) {
        publish(DashboardMessage(type, .state) { $0.objects("list", list, members) })
    }

    func log(_ level: String, at time: Double, _ text: String) {
        publish("log", .transient, ["t": time, "level": level, "text": text])
    }
}

extension SIMD4<Float> {
    init(_ vector: SIMD3<Double>) { self.init(Float(vector.x), Float(vector.y), Float(vector.z), .nan) }
}
