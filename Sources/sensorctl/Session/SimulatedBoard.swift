// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIODSimulator
import IIOFormat
import TraceFormats
import TraceXML

/// A recording as devices that a server can show.
struct SimulatedBoard {
    let context: SimulatedIIOContext
    let samples: IIORecordedSource

    init(_ recording: MotionRecording, name: String) throws(DeviceError) {
        guard recording.count > 0 else {
            throw DeviceError(.invalidTrace, "\(name) has no readings of motion sensors in it.")
        }
        // One context can be shown as it was. The devices of several have the same ids and are put together anew.
        if recording.contexts.count == 1, let xml = recording.contexts.first {
            context = SimulatedIIOContext(try IIOContext(xml: Array(xml.utf8), name: "The context in \(name)"))
        } else {
            context = SimulatedIIOContext(sensors: recording.sensors, peaks: Self.peaks(of: recording))
        }
        let isRecordedContext = recording.contexts.count == 1
        let tracks = recording.tracks.map { track in
            IIOSampleTrack(
                kind: track.sensor.kind,
                device: isRecordedContext
                    ? Self.deviceID(in: track.sensor.id) : Self.name(of: track.sensor, in: recording),
                times: track.times, values: track.values)
        }
        samples = IIORecordedSource(tracks)
    }

    private static func peaks(of recording: MotionRecording) -> [SensorKind: Double] {
        var peaks: [SensorKind: Double] = [:]
        for track in recording.tracks {
            let peak = track.values.reduce(0) { max($0, abs($1.x), abs($1.y), abs($1.z)) }
            peaks[track.sensor.kind] = max(peaks[track.sensor.kind] ?? 0, peak)
        }
        return peaks
    }

    /// The kernel's name in an id such as "local:/iio:device0/accel"; nil when there is none.
    static func deviceID(in id: SensorDescription.ID) -> String? {
        id.split(separator: "/").last { $0.hasPrefix("iio:device") }.map(String.init)
    }

    /// What tells the sensor's device from others with the same kind of sensor; nil when it is the only one.
    private static func name(of sensor: SensorDescription, in recording: MotionRecording) -> String? {
        guard recording.sensors.count(where: { $0.kind == sensor.kind }) > 1 else { return nil }
        return [sensor.label, sensor.name].first { !$0.isEmpty }
    }
}
