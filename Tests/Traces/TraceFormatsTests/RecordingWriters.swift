// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat

@testable import TraceFormats

// Writers of recordings that are in memory as a whole. The exporters, which go through a trace event by event, have to
// write the same.
extension Recording {
    /// The recording as files for libiio 1.0's `emu:` backend and for iio-emu: the context's XML with values, called
    /// "context.xml", and for each device its scans, called `<name>_buf0.bin`.
    ///
    /// Scans hold all channels of the device that can be captured, and the time stamp: nanoseconds since 1970 where the
    /// recording has a start, else since its own. Values are in the sensor's axes, rounded to the nearest raw number. In
    /// a device with several sensors a scan is made for each reading of the first; of the others it holds the last one
    /// up to then.
    ///
    /// - Parameter context: whose devices are taken for the sensors, each for the first one of its kind that is free;
    ///   nil to make up a device for each sensor, with steps of 1e-6 m/s² and kPa, 1e-7 rad/s and gauss.
    /// - Throws: an error when the context has no device that can capture a sensor of the recording, or when two of its
    ///   devices have the same name.
    func iioFiles(context: IIOContext? = nil) throws(DeviceError) -> [(name: String, bytes: [UInt8])] {
        let context = context ?? Self.madeUpContext(for: self)
        var places: [(device: Int, sensor: IIOSensor, track: Int)] = []
        for (track, readings) in tracks.enumerated() {
            guard let place = Self.place(of: readings.sensor, in: context, taken: places) else {
                throw DeviceError(
                    .notSupported,
                    "The context has no device whose buffer could hold the \(readings.sensor.kind.rawValue) \(readings.sensor.name). Take another context, or none."
                )
            }
            places.append((place.device, place.sensor, track))
        }
        var files = [("context.xml", [UInt8](context.xml(includingValues: true).utf8))]
        for index in context.devices.indices {
            let sensors = places.filter { $0.device == index }
            guard !sensors.isEmpty else { continue }
            let device = context.devices[index]
            let name = IIORecordingNames.written(device)
            guard !files.contains(where: { $0.0 == name }) else {
                throw DeviceError(
                    .notSupported, "Two devices of the context are called \(device.name), and their files would be one."
                )
            }
            files.append((name, scans(of: device, sensors.map { ($0.sensor, tracks[$0.track]) })))
        }
        return files
    }

    /// Writes ``iioFiles(context:)`` into a folder, which is made when it is not there.
    func writeIIO(
        folder path: String, context: IIOContext? = nil, overwrite: Bool = false
    ) throws(DeviceError) {
        try Folder.write(try iioFiles(context: context), to: path, ExportOptions(overwrite: overwrite))
    }

    /// A context with one device for each track, in their order.
    private static func madeUpContext(for recording: Recording) -> IIOContext {
        IIORecordingContext.context(
            recording.tracks.map { .init(description: $0.sensor, rate: $0.rate, first: $0.values.first ?? .zero) },
            hasStart: recording.start != nil)
    }

    private static func place(
        of sensor: SensorDescription, in context: IIOContext, taken: [(device: Int, sensor: IIOSensor, track: Int)]
    ) -> (device: Int, sensor: IIOSensor)? {
        var free: [(device: Int, sensor: IIOSensor)] = []
        for (index, device) in context.devices.enumerated() where !device.isTrigger {
            for found in device.sensors() where found.kind == sensor.kind && found.isUsable && found.canBuffer {
                if !taken.contains(where: { $0.device == index && $0.sensor.kind == found.kind }) {
                    free.append((index, found))
                }
            }
        }
        return free.first { context.devices[$0.device].name == sensor.name } ?? free.first
    }

    private func scans(of device: IIODevice, _ sensors: [(sensor: IIOSensor, track: MotionTrack)]) -> [UInt8] {
        let channels = device.channels.indices.filter {
            !device.channels[$0].isOutput && device.channels[$0].scan != nil
        }
        guard let layout = device.layout(of: channels), let times = sensors.first?.track.times else { return [] }
        let encoder = IIOScanEncoder(layout: layout)
        let origin = start?.nanoseconds ?? 0
        var bytes: [UInt8] = []
        bytes.reserveCapacity(times.count * layout.sampleSize)
        var scan = encoder.emptyScan()
        var last = sensors.map { _ in 0 }
        for time in times {
            scan.withUnsafeMutableBytes { scan in
                for (index, (sensor, track)) in sensors.enumerated() {
                    while last[index] + 1 < track.count, track.times[last[index] + 1] <= time { last[index] += 1 }
                    guard last[index] < track.count else { continue }
                    encoder.put(track.values[last[index]], of: sensor.axes, into: scan)
                }
                if let channel = device.timestampChannel {
                    encoder.put(raw: origin.addingSaturated(time), of: channel, into: scan)
                }
            }
            bytes.append(contentsOf: scan)
        }
        return bytes
    }

    /// The recording as CSV: `t,gx,gy,gz,ax,ay,az,mx,my,mz`, and `p` when there is air pressure; columns of sensors that
    /// are missing are left out.
    ///
    /// Seconds since the start, rad/s, proper acceleration in m/s² (+9.81 on the axis that points up), microtesla, kPa,
    /// in the axes of the device: a mount matrix is applied. There is one row for each time at which a sensor was read;
    /// the cells of sensors that were not read at that time are empty, so that nothing is invented. The first sensor of
    /// each kind is written. Numbers are in the shortest form that reads back as the same value.
    func csv() -> [UInt8] {
        let written = MotionCSVRows.kinds.compactMap { track($0) }
        var rows = MotionCSVRows(written.map(\.sensor))
        var next = written.map { _ in 0 }
        for time in Set(written.flatMap(\.times)).sorted() {
            for (index, track) in written.enumerated() {
                let place = next[index]
                guard place < track.count, track.times[place] == time else { continue }
                rows.take(track.values[place], of: index, at: time)
                next[index] += 1
            }
        }
        rows.endRow()
        return rows.takeBytes()
    }
}
