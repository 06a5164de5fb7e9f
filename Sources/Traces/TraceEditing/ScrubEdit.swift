// SPDX-License-Identifier: Apache-2.0

import GPSDProtocol
public import Geodesy
import SystemCalls
public import DeviceCore
public import Trace

/// Takes out of a trace what tells who recorded it, where and when: see ``ScrubOptions``.
///
/// Of gpsd's reports positions, satellites and attitudes are written anew from what is known of them; all others, and
/// lines that are no reports, are left out, because they may hold the place in any form. Serial numbers, contexts of sensors,
/// names of ports and members of other versions go from the header, and serial numbers, ports and names from accessories.
/// Beacons, whose places others have published, get numbers for their UUIDs, majors and minors.
/// What the header says in words of its own is kept only where it is one of the words that this project writes.
///
/// What is left can still tell something: magnetometers tell the magnetic latitude and barometers the height.
public struct ScrubEdit: TraceEdit {
    private let options: ScrubOptions
    private var decoder = GPSDDecoder()
    /// By how much receivers' times move; known once the first time is.
    private var shift: Int64?
    /// The position that comes to lie at the place.
    private var origin: GeodeticCoordinate?
    private var receivers: [String: String] = [:]
    private var sensors: [SensorDescription.ID: SensorDescription.ID] = [:]
    /// What accessories are called now, by what they were called.
    private var accessories: [String: String] = [:]
    private var beacons = ScrubbedBeacons()

    /// An edit that takes out what the options say.
    public init(_ options: ScrubOptions = ScrubOptions()) { self.options = options }

    /// A header that says what the readings are, and nothing of where they come from.
    public mutating func header(_ header: TraceHeader) throws(DeviceError) -> TraceHeader {
        var scrubbed = TraceHeader()
        // Anybody can have written anything there.
        scrubbed.clock = ["CLOCK_BOOTTIME", "virtual"].contains(header.clock) ? header.clock : ""
        scrubbed.battery = header.battery
        if let start = options.start {
            // Receivers' clocks are moved by as much, so that they stay beside that of the machine.
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
            var kept = SensorDescription(id: name(of: sensor, index, in: header), kind: sensor.kind)
            kept.name = Self.isPart(sensor.name) ? sensor.name : ""
            kept.location = Self.places.contains(sensor.location) ? sensor.location : ""
            kept.rates = sensor.rates
            kept.mode = sensor.mode
            kept.mountMatrix = sensor.mountMatrix
            kept.mountMatrixOrigin = sensor.mountMatrix.isIdentity ? "none given" : "the recorded trace"
            kept.clock = sensor.clock
            sensors[sensor.id] = kept.id
            scrubbed.add(kept)
            scrubbed.calibrations[kept.id] = header.calibrations[sensor.id].map(self.scrubbed)
        }
        return scrubbed
    }

    /// Lets through what was taken out of an event.
    public mutating func take(_ event: TraceEvent, into events: inout [TraceEvent]) {
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
            let number = number(of: accessory.accessory)
            accessory.accessory = number
            switch accessory.change {
            case .attached(let description): accessory.change = .attached(scrubbed(description, number))
            case .sent, .received: if options.dropsBytes { return }
            case .detached, .opened, .closed: break
            }
            event.contents = .accessory(accessory)
        case .beacon(.sighting(let sighting)):
            guard let sighting = beacons.scrubbed(sighting) else { return }
            event.contents = .beacon(.sighting(sighting))
        case .beacon(.lost(let error)):
            event.contents = .beacon(.lost(DeviceError(error.code, "Beacons could not be heard.")))
        case .regained, .battery, .beacon(.regained): break
        }
        events.append(event)
    }

    // MARK: Reports

    private mutating func scrubbed(_ line: [UInt8]) -> [UInt8]? {
        switch line.withUnsafeBytes({ decoder.decode($0) }) {
        case .position(var report):
            report.receiver = path(of: report.receiver)
            report.time = moved(report.time)
            move(&report)
            if options.dropsAltitude {
                (report.altitudeHAE, report.altitudeMSL, report.altitudeUndefined) = (.nan, .nan, .nan)
            }
            // It is read from a map of the world by the place, and would tell it.
            if options.place != nil {
                report.geoidSeparation = .nan
                if !report.altitudeMSL.isNaN { report.altitudeHAE = .nan }
                report.magneticVariation = .nan
                report.magneticTrack = .nan
            }
            report.correctionStation = -1
            return GPSDEncoder.line(report)
        case .sky(var report):
            report.receiver = path(of: report.receiver)
            report.time = moved(report.time)
            if options.dropsSky, let satellites = report.satellites {
                for index in satellites.indices {
                    report.satellites?[index].elevation = .nan
                    report.satellites?[index].azimuth = .nan
                }
            }
            return GPSDEncoder.line(report)
        case .attitude(var report):
            report.receiver = path(of: report.receiver)
            report.time = moved(report.time)
            return GPSDEncoder.line(report)
        case .version, .devices, .device, .watch, .error, .other, .malformed: return nil
        }
    }

    private mutating func moved(_ time: WallTime?) -> WallTime? {
        guard let time else { return nil }
        if shift == nil, let start = options.start {
            shift = start.nanoseconds.subtractingSaturated(time.nanoseconds)
        }
        return WallTime(nanoseconds: time.nanoseconds.addingSaturated(shift ?? 0))
    }

    private mutating func move(_ report: inout PositionReport) {
        guard let place = options.place, report.hasFix else { return }
        let here = GeodeticCoordinate(latitude: report.latitude, longitude: report.longitude)
        let from = origin ?? here
        origin = from
        let way = Geodesic.inverse(from: from, to: here)
        let moved = Geodesic.direct(from: place, azimuth: way.initialAzimuth, distance: way.distance)
        report.latitude = moved.destination.latitude
        report.longitude = moved.destination.longitude
        // North turns along the way, and differently there than here.
        let turn = moved.finalAzimuth - way.finalAzimuth
        if way.distance > 0, turn.isFinite {
            report.track = Self.direction(report.track + turn)
            let (sine, cosine) = (sin(turn * .pi / 180), cos(turn * .pi / 180))
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

    /// Where a calibration was made is told by the field there, and when by its date.
    private func scrubbed(_ calibration: SensorCalibration) -> SensorCalibration {
        var calibration = calibration
        if options.place != nil {
            calibration.fieldStrength = .nan
            calibration.dip = .nan
        }
        if options.start != nil { calibration.date = .epoch }
        return calibration
    }

    /// True for the name of a chip, as drivers have it ("mpu6050", "bmi160-accel"); phones have their owners' names.
    private static func isPart(_ name: String) -> Bool {
        name.utf8.count <= 24 && name.utf8.contains { $0 >= 0x30 && $0 <= 0x39 }
            && name.utf8.allSatisfy { byte in
                (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || "_-,".utf8.contains(byte)
            }
    }

    /// The kernel's words for the place of a sensor.
    private static let places: Set<String> = ["accel-base", "accel-display", "accel-camera", "base", "display", "lid"]

    // MARK: Names

    private mutating func path(of receiver: String) -> String {
        if receiver.isEmpty { return "" }
        if let known = receivers[receiver] { return known }
        let name = "/dev/gps\(receivers.count)"
        // More than a machine has are a hostile trace's.
        if receivers.count < 64 { receivers[receiver] = name }
        return name
    }

    /// The name of the kind for the first sensor of a kind, else with a number.
    private func name(of sensor: SensorDescription, _ index: Int, in header: TraceHeader) -> SensorDescription.ID {
        let before = header.sensors[..<index].count { $0.kind == sensor.kind }
        return before == 0 ? sensor.kind.rawValue : "\(sensor.kind.rawValue)-\(before + 1)"
    }

    /// What a sensor is called now that only an event names.
    private func name(of sensor: SensorDescription.ID) -> SensorDescription.ID { sensors[sensor] ?? "sensor" }

    private mutating func number(of accessory: String) -> String {
        if let known = accessories[accessory] { return known }
        let number = String(accessories.count + 1)
        // As many as a hostile trace's are one.
        if accessories.count < 1024 { accessories[accessory] = number }
        return number
    }

    private func scrubbed(_ description: AccessoryDescription, _ number: String) -> AccessoryDescription {
        var scrubbed = description
        scrubbed.serialNumber = ""
        // A place on the USB says nothing; a path may hold a name or a serial number.
        if !description.portPath.utf8.allSatisfy({ "0123456789-.:".utf8.contains($0) }) { scrubbed.portPath = number }
        scrubbed.identity = scrubbed.portIdentity
        if options.dropsNames {
            scrubbed.name = description.modelNumber.isEmpty ? "Accessory \(number)" : description.modelNumber
        }
        return scrubbed
    }
}

/// What is taken out of a trace before it is shared.
public struct ScrubOptions: Sendable {
    /// Where the first position comes to lie; nil leaves positions where they are. Distances from it and directions from
    /// it are kept, so that a drive keeps its shape.
    public var place: GeodeticCoordinate? = GeodeticCoordinate(latitude: 0, longitude: 0)
    /// When the trace begins; nil leaves times as they are. Receivers' times move with it.
    public var start: WallTime? = WallTime(nanoseconds: 946_684_800_000_000_000)
    /// Leaves out altitudes, which with a map of the world tell more than one thinks.
    public var dropsAltitude = false
    /// Leaves out where satellites stand in the sky, which together with a time tell the place.
    public var dropsSky = true
    /// Leaves out what was said to accessories and what they answered.
    public var dropsBytes = true

    /// Names accessories after their models, or with a number: users name theirs.
    public var dropsNames = true

    /// Everything but altitudes: the place becomes 0° N 0° E and the start 2000-01-01.
    public init() {}
}
