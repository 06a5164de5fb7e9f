// SPDX-License-Identifier: Apache-2.0

import IIOFormat
package import DeviceCore
package import IIODSimulator
package import TraceFormats

/// The devices in a recording, as served by a simulated iiod.
package struct SimulatedBoard {
    package let context: SimulatedIIOContext
    private let tracks: [IIOSampleTrack]

    /// Creates a board from the readings at or after `start`, in nanoseconds. Their times become relative to `start`.
    package init(_ recording: Recording, name: String, start: Int64 = 0) throws(DeviceError) {
        guard recording.count > 0 else { throw DeviceError(.invalidTrace, "\(name) contains no motion readings.") }
        let context: SimulatedIIOContext
        // Device IDs may not be unique across several contexts, so in that case new devices are created, as for a
        // recording without a context.
        if recording.contexts.count == 1, let xml = recording.contexts.first {
            context = SimulatedIIOContext(try IIOContext(xml: Array(xml.utf8), name: "The context in \(name)"))
        } else {
            context = SimulatedIIOContext(sensors: recording.sensors, peaks: Self.peaks(of: recording))
        }
        let isRecordedContext = recording.contexts.count == 1
        self.context = context
        tracks = recording.tracks.map { track in
            let first = track.times.firstIndex { $0 >= start } ?? track.times.count
            return IIOSampleTrack(
                kind: track.sensor.kind,
                device: isRecordedContext
                    ? Self.deviceID(in: track.sensor.id) : Self.name(of: track.sensor, in: recording),
                times: track.times[first...].map { $0 - start }, values: Array(track.values[first...]))
        }
    }

    /// The end of the recording in nanoseconds, which is one mean interval after the last reading.
    var end: Int64 { tracks.map(\.end).max() ?? 0 }

    /// Returns a source of the recorded samples. One pass lasts at least `duration` nanoseconds.
    package func samples(duration: Int64? = nil) -> IIORecordedSource { IIORecordedSource(tracks, duration: duration) }

    func deviceID(of sensor: SensorDescription) -> String? {
        guard let channel = sensor.kind.channelIDs.first else { return nil }
        let devices = context.context.devices.filter { $0.channel(channel) != nil }
        let recorded = Self.deviceID(in: sensor.id)
        let names = [sensor.label, sensor.name].filter { !$0.isEmpty }
        return devices.first { $0.id == recorded }?.id
            ?? devices.first { names.contains($0.label) || names.contains($0.name) }?.id ?? devices.first?.id
    }

    private static func peaks(of recording: Recording) -> [SensorKind: Double] {
        var peaks: [SensorKind: Double] = [:]
        for track in recording.tracks {
            let peak = track.values.reduce(0) { max($0, abs($1.x), abs($1.y), abs($1.z)) }
            peaks[track.sensor.kind] = max(peaks[track.sensor.kind] ?? 0, peak)
        }
        return peaks
    }

    /// Returns the ID of the IIO device in a sensor ID, such as "iio:device0" in "local:/iio:device0/accel".
    package static func deviceID(in id: SensorDescription.ID) -> String? {
        id.split(separator: "/").last { $0.hasPrefix("iio:device") }.map(String.init)
    }

    /// Returns a sensor's label or, if it has none, its name. Returns nil if the sensor is the only one of its kind.
    private static func name(of sensor: SensorDescription, in recording: Recording) -> String? {
        guard recording.sensors.count(where: { $0.kind == sensor.kind }) > 1 else { return nil }
        return [sensor.label, sensor.name].first { !$0.isEmpty }
    }
}
