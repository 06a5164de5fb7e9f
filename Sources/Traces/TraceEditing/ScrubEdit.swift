// SPDX-License-Identifier: Apache-2.0

import GPSDProtocol
public import Geodesy
import SystemCalls
public import DeviceCore
public import Trace

/// An edit that removes data that may reveal who made a recording, and where and when. See ``ScrubOptions``.
///
/// Position, satellite and attitude reports are re-encoded from their decoded values. All other reports, and lines that
/// are not reports, are omitted because they may contain the position in any form. Serial numbers, sensor contexts,
/// port names and unknown members are removed from the header. Accessories lose their names, serial numbers and port
/// names. The UUID, major and minor values of beacons are replaced with numbers, because public databases contain
/// beacon locations. The header's `clock` and the names and locations of sensors are kept only if their values are
/// recognized.
///
/// The result may still reveal some information: magnetometer readings depend on the magnetic latitude, and barometer
/// readings on the altitude.
public struct ScrubEdit: TraceEdit {
    private let options: ScrubOptions
    private var decoder = GPSDDecoder()
    /// The offset, in nanoseconds, that is added to receiver times. nil until the first time is known.
    private var shift: Int64?
    /// The first position of the original trace, which is moved to `options.place`.
    private var origin: GeodeticCoordinate?
    /// The new receiver paths, sensor IDs and accessory IDs, each keyed by the old one.
    private var receivers: [String: String] = [:]
    private var sensors: [SensorDescription.ID: SensorDescription.ID] = [:]
    private var accessories: [String: String] = [:]
    private var beacons = BeaconAnonymizer()

    /// Creates an edit with the given options.
    public init(_ options: ScrubOptions = ScrubOptions()) { self.options = options }

    /// Returns a header that still describes the readings, but does not reveal who made the recording, or where or
    /// when.
    public mutating func header(_ header: TraceHeader) throws(DeviceError) -> TraceHeader {
        var scrubbed = TraceHeader()
        // The `clock` member may contain arbitrary text.
        scrubbed.clock = ["CLOCK_BOOTTIME", "virtual"].contains(header.clock) ? header.clock : ""
        scrubbed.battery = header.battery
        if let start = options.start {
            // Receiver times are shifted by the same amount as the start, so that they stay consistent with the
            // machine's clock.
            if let former = header.start {
                shift = start.nanoseconds.subtractingSaturated(former.wallTime.nanoseconds)
            }
            scrubbed.start = TraceHeader.Start(wallTime: start, boot: .zero)
        } else {
            shift = 0
            scrubbed.start = header.start
        }
        if header.hasPhoneAccuracies { scrubbed.hasPhoneAccuracies = true }
        for device in header.devices where device.kind == "gpsd" {
            var receiver = device.receiver
            receiver.path = path(of: receiver.path)
            receiver.subtype = ""
            receiver.subtype1 = ""
            scrubbed.devices.append(TraceDevice(receiver))
        }
        for (index, sensor) in header.sensors.enumerated() {
            var scrubbedSensor = SensorDescription(id: name(of: sensor, index, in: header), kind: sensor.kind)
            scrubbedSensor.name = Self.isChipName(sensor.name) ? sensor.name : ""
            scrubbedSensor.location = Self.knownLocations.contains(sensor.location) ? sensor.location : ""
            scrubbedSensor.rates = sensor.rates
            scrubbedSensor.mode = sensor.mode
            scrubbedSensor.mountMatrix = sensor.mountMatrix
            scrubbedSensor.mountMatrixOrigin = sensor.mountMatrix.isIdentity ? "none given" : "the recorded trace"
            scrubbedSensor.clock = sensor.clock
            sensors[sensor.id] = scrubbedSensor.id
            scrubbed.add(scrubbedSensor)
            scrubbed.calibrations[scrubbedSensor.id] = header.calibrations[sensor.id].map(self.scrubbed)
        }
        return scrubbed
    }

    /// Appends the scrubbed event, unless the event is omitted.
    public mutating func process(_ event: TraceEvent, into events: inout [TraceEvent]) {
        var event = event
        switch event.contents {
        case .gpsd(let line):
            guard let line = scrubbed(line) else { return }
            event.contents = .gpsd(line)
        case .gpsdText: return
        case .lost(let error): event.contents = .lost(DeviceError(error.code, "The position source was lost."))
        case .sensorLost(let error, let sensor):
            event.contents = .sensorLost(DeviceError(error.code, "The sensor was lost."), sensor: name(of: sensor))
        case .sensorRegained(let sensor): event.contents = .sensorRegained(sensor: name(of: sensor))
        case .sample(let value, let kind, let sensor, let stamp):
            event.contents = .sample(value, kind: kind, sensor: sensors[sensor] ?? kind.rawValue, stamp: stamp)
        case .accessory(var accessory):
            let number = identifier(of: accessory.accessory)
            accessory.accessory = number
            switch accessory.change {
            case .attached(let description): accessory.change = .attached(scrubbed(description, number))
            case .sent, .received: if options.removesAccessoryData { return }
            case .detached, .opened, .closed: break
            }
            event.contents = .accessory(accessory)
        case .beacon(.sighting(let sighting)):
            guard let sighting = beacons.scrubbed(sighting) else { return }
            event.contents = .beacon(.sighting(sighting))
        case .beacon(.lost(let error)):
            event.contents = .beacon(.lost(DeviceError(error.code, "Beacons could not be received.")))
        case .regained, .battery, .beacon(.regained): break
        }
        events.append(event)
    }

    // MARK: Reports

    private mutating func scrubbed(_ line: [UInt8]) -> [UInt8]? {
        switch line.withUnsafeBytes({ decoder.decode($0) }) {
        case .position(var report):
            report.receiver = path(of: report.receiver)
            report.time = shifted(report.time)
            move(&report)
            if options.removesAltitude {
                (report.altitudeHAE, report.altitudeMSL, report.altitudeUndefined) = (.nan, .nan, .nan)
            }
            // Global models compute these values from the original position, so they would reveal it.
            if options.place != nil {
                report.geoidSeparation = .nan
                if !report.altitudeMSL.isNaN { report.altitudeHAE = .nan }
                report.magneticVariation = .nan
                report.magneticTrack = .nan
            }
            // The correction station is removed, because it would reveal the region.
            report.correctionStation = -1
            return GPSDEncoder.encode(report)
        case .sky(var report):
            report.receiver = path(of: report.receiver)
            report.time = shifted(report.time)
            if options.removesSatellitePositions, let satellites = report.satellites {
                for index in satellites.indices {
                    report.satellites?[index].elevation = .nan
                    report.satellites?[index].azimuth = .nan
                }
            }
            return GPSDEncoder.encode(report)
        case .attitude(var report):
            report.receiver = path(of: report.receiver)
            report.time = shifted(report.time)
            return GPSDEncoder.encode(report)
        case .version, .devices, .device, .watch, .error, .other, .malformed: return nil
        }
    }

    private mutating func shifted(_ time: WallTime?) -> WallTime? {
        guard let time else { return nil }
        if shift == nil, let start = options.start {
            shift = start.nanoseconds.subtractingSaturated(time.nanoseconds)
        }
        return WallTime(nanoseconds: time.nanoseconds.addingSaturated(shift ?? 0))
    }

    private mutating func move(_ report: inout PositionReport) {
        guard let place = options.place, report.hasFix else { return }
        let position = GeodeticCoordinate(latitude: report.latitude, longitude: report.longitude)
        let from = origin ?? position
        origin = from
        let geodesic = Geodesic.inverse(from: from, to: position)
        let moved = Geodesic.direct(from: place, azimuth: geodesic.initialAzimuth, distance: geodesic.distance)
        report.latitude = moved.destination.latitude
        report.longitude = moved.destination.longitude
        // Moving a geodesic changes its final azimuth. The track and the velocity are rotated by the same angle, to
        // preserve their direction relative to the geodesic.
        let rotation = moved.finalAzimuth - geodesic.finalAzimuth
        if geodesic.distance > 0, rotation.isFinite {
            report.track = Self.direction(report.track + rotation)
            let (sine, cosine) = (sin(rotation * .pi / 180), cos(rotation * .pi / 180))
            let (north, east) = (report.velocityNorth, report.velocityEast)
            report.velocityNorth = north * cosine - east * sine
            report.velocityEast = north * sine + east * cosine
        }
    }

    private static func direction(_ degrees: Double) -> Double {
        let rest = degrees.truncatingRemainder(dividingBy: 360)
        return rest < 0 ? rest + 360 : rest
    }

    // MARK: Sensors

    /// Removes the magnetic field if the place is changed, because the field reveals the place. Removes the date if the
    /// start is changed.
    private func scrubbed(_ calibration: SensorCalibration) -> SensorCalibration {
        var calibration = calibration
        if options.place != nil {
            calibration.fieldStrength = .nan
            calibration.dip = .nan
        }
        if options.start != nil { calibration.date = .epoch }
        return calibration
    }

    /// True if the name looks like a chip name from a driver, such as "mpu6050" or "bmi160-accel". Other names may
    /// identify a person: phone names often contain the owner's name.
    private static func isChipName(_ name: String) -> Bool {
        name.utf8.count <= 24 && name.utf8.contains { $0 >= 0x30 && $0 <= 0x39 }
            && name.utf8.allSatisfy { byte in
                (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || "_-,".utf8.contains(byte)
            }
    }

    /// The sensor locations defined by the kernel.
    private static let knownLocations: Set<String> = [
        "accel-base", "accel-display", "accel-camera", "base", "display", "lid",
    ]

    // MARK: Names

    private mutating func path(of receiver: String) -> String {
        if receiver.isEmpty { return "" }
        if let known = receivers[receiver] { return known }
        let name = "/dev/gps\(receivers.count)"
        // Limits the memory that a malicious trace can use.
        if receivers.count < 64 { receivers[receiver] = name }
        return name
    }

    /// Returns the name of the sensor's kind, followed by a number unless it is the first sensor of that kind.
    private func name(of sensor: SensorDescription, _ index: Int, in header: TraceHeader) -> SensorDescription.ID {
        let before = header.sensors[..<index].count { $0.kind == sensor.kind }
        return before == 0 ? sensor.kind.rawValue : "\(sensor.kind.rawValue)-\(before + 1)"
    }

    /// Returns the new sensor name for an event, or "sensor" if the header does not contain the sensor.
    private func name(of sensor: SensorDescription.ID) -> SensorDescription.ID { sensors[sensor] ?? "sensor" }

    private mutating func identifier(of accessory: String) -> String {
        if let known = accessories[accessory] { return known }
        let number = String(accessories.count + 1)
        // Limits the memory that a malicious trace can use. All further accessories are assigned the same number.
        if accessories.count < 1024 { accessories[accessory] = number }
        return number
    }

    private func scrubbed(_ description: AccessoryDescription, _ number: String) -> AccessoryDescription {
        var scrubbed = description
        scrubbed.serialNumber = ""
        // A USB port number reveals nothing, but a path may contain a name or a serial number.
        if !description.portPath.utf8.allSatisfy({ "0123456789-.:".utf8.contains($0) }) { scrubbed.portPath = number }
        scrubbed.identity = scrubbed.portIdentity
        if options.removesAccessoryNames {
            scrubbed.name = description.modelNumber.isEmpty ? "Accessory \(number)" : description.modelNumber
        }
        return scrubbed
    }
}

/// The data to remove from a trace before it is shared.
public struct ScrubOptions: Sendable {
    /// The place to which the first position is moved, or nil to keep all positions. Distances and directions relative
    /// to the first position are preserved.
    public var place: GeodeticCoordinate? = GeodeticCoordinate(latitude: 0, longitude: 0)
    /// The new start time of the trace, or nil to keep all times. Receiver times are shifted by the same amount.
    public var start: WallTime? = WallTime(nanoseconds: 946_684_800_000_000_000)
    /// True if altitudes are removed. Together with an elevation model, an altitude profile can reveal the place.
    public var removesAltitude = false
    /// True if the satellites' positions in the sky are removed. They reveal the place if the time is known.
    public var removesSatellitePositions = true
    /// True if the data exchanged with accessories is removed.
    public var removesAccessoryData = true
    /// True if accessory names are replaced with models or numbers, because users may have chosen the names.
    public var removesAccessoryNames = true

    /// Creates options that remove everything except altitudes. The place becomes 0° N 0° E, and the start becomes
    /// 2000-01-01.
    public init() {}
}
