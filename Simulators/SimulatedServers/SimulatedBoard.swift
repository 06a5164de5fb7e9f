// SPDX-License-Identifier: Apache-2.0

import IIOFormat
package import DeviceCore
package import IIODSimulator
package import TraceFormats

/// A recording as devices that a server can show.
package struct SimulatedBoard {
    package let context: SimulatedIIOContext
    private let tracks: [IIOSampleTrack]

    /// The devices of the recording.
    ///
    /// - Parameters:
    ///   - name: what the recording is called in messages.
    ///   - start: the time in the recording, in nanoseconds, at which playback begins. Readings before it are left out.
    package init(_ recording: Recording, name: String, start: Int64 = 0) throws(DeviceError) {
        guard recording.count > 0 else {
            throw DeviceError(.invalidTrace, "\(name) has no readings of motion sensors in it.")
        }
        let context: SimulatedIIOContext
        // One context can be shown as it was. The devices of several have the same ids and are put together anew.
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

    /// When the next reading would come after the last one, in nanoseconds since playback began.
    var end: Int64 { tracks.map(\.end).max() ?? 0 }

    /// What the devices measure.
    /// - Parameter duration: How long a round takes at least, in nanoseconds.
    package func samples(duration: Int64? = nil) -> IIORecordedSource { IIORecordedSource(tracks, duration: duration) }

    /// The id of the device that has the sensor; nil when none has.
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

    /// The kernel's name in an id such as "local:/iio:device0/accel"; nil when there is none.
    package static func deviceID(in id: SensorDescription.ID) -> String? {
        id.split(separator: "/").last { $0.hasPrefix("iio:device") }.map(String.init)
    }

    /// What tells the sensor's device from others with the same kind of sensor; nil when it is the only one.
    private static func name(of sensor: SensorDescription, in recording: Recording) -> String? {
        guard recording.sensors.count(where: { $0.kind == sensor.kind }) > 1 else { return nil }
        return [sensor.label, sensor.name].first { !$0.isEmpty }
    }
}
