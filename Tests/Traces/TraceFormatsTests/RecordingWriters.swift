// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat

@testable import TraceFormats

// Writers for recordings that are completely in memory. The exporters, which read a trace event by event, must write
// the same bytes.
extension Recording {
    /// Returns the files for libiio 1.0's `emu:` backend and for iio-emu: the context's XML with values as
    /// "context.xml", and the scans of each device as `<name>_buf0.bin`.
    ///
    /// Scans contain all channels of the device that can be captured, and the timestamp in nanoseconds, since 1970 if
    /// the recording has a start and otherwise since its beginning. Values are in the sensor's axes, rounded to the
    /// nearest raw number. If a device has several sensors, there is one scan for each reading of the first sensor,
    /// with the latest readings of the others.
    ///
    /// - Parameter context: The context whose devices represent the sensors, each one by the first unused device of its
    ///   kind; nil to generate a device for each sensor, with steps of 1e-6 m/s² and kPa, and 1e-7 rad/s and gauss.
    /// - Throws: An error if no device of the context can capture a sensor of the recording, or if two of its devices
    ///   have the same name.
    func iioFiles(context: IIOContext? = nil) throws(DeviceError) -> [(name: String, bytes: [UInt8])] {
        let context = context ?? Self.madeUpContext(for: self)
        var columns: [(device: Int, sensor: IIOSensor, track: Int)] = []
        for (track, readings) in tracks.enumerated() {
            guard let column = Self.column(of: readings.sensor, in: context, used: columns) else {
                throw DeviceError(
                    .notSupported,
                    "The context has no device whose buffer could hold the \(readings.sensor.kind.rawValue) \(readings.sensor.name). Take another context, or none."
                )
            }
            columns.append((column.device, column.sensor, track))
        }
        var files = [("context.xml", [UInt8](context.xml(includingValues: true).utf8))]
        for index in context.devices.indices {
            let sensors = columns.filter { $0.device == index }
            guard !sensors.isEmpty else { continue }
            let device = context.devices[index]
            let name = IIOBufferFileNames.exportName(of: device)
            guard !files.contains(where: { $0.0 == name }) else {
                throw DeviceError(
                    .notSupported, "Two devices of the context are called \(device.name), and their files would be one."
                )
            }
            files.append((name, scans(of: device, sensors.map { ($0.sensor, tracks[$0.track]) })))
        }
        return files
    }

    /// Writes ``iioFiles(context:)`` to a directory, which is created if necessary.
    func writeIIO(
        folder path: String, context: IIOContext? = nil, overwrite: Bool = false
    ) throws(DeviceError) {
        try Folder.write(try iioFiles(context: context), to: path, ExportOptions(overwrite: overwrite))
    }

    /// Returns a context with one device for each track, in the same order.
    private static func madeUpContext(for recording: Recording) -> IIOContext {
        IIORecordingContext.context(
            recording.tracks.map { .init(description: $0.sensor, rate: $0.rate, first: $0.values.first ?? .zero) },
            hasStart: recording.start != nil)
    }

    private static func column(
        of sensor: SensorDescription, in context: IIOContext, used: [(device: Int, sensor: IIOSensor, track: Int)]
    ) -> (device: Int, sensor: IIOSensor)? {
        var free: [(device: Int, sensor: IIOSensor)] = []
        for (index, device) in context.devices.enumerated() where !device.isTrigger {
            for found in device.sensors() where found.kind == sensor.kind && found.isUsable && found.canBuffer {
                if !used.contains(where: { $0.device == index && $0.sensor.kind == found.kind }) {
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
                    encoder.write(track.values[last[index]], of: sensor.axes, into: scan)
                }
                if let channel = device.timestampChannel {
                    encoder.write(raw: origin.addingSaturated(time), of: channel, into: scan)
                }
            }
            bytes.append(contentsOf: scan)
        }
        return bytes
    }

    /// Returns the recording as CSV: `t,gx,gy,gz,ax,ay,az,mx,my,mz`, and `p` if there is air pressure. Columns of
    /// missing sensors are omitted.
    ///
    /// The units are seconds since the start, rad/s, proper acceleration in m/s² (+9.81 on the axis that points up),
    /// microtesla and kPa. The axes are those of the device, because the mount matrix is applied. There is one row for
    /// each time of a reading; cells of sensors without a reading at that time are empty. Only the first sensor of each
    /// kind is written. Numbers have the shortest form that reads back as the same value.
    func csv() -> [UInt8] {
        let written = CSVRowEncoder.kinds.compactMap { track($0) }
        var rows = CSVRowEncoder(columns: written.map(\.sensor.kind.csvColumns))
        var next = written.map { _ in 0 }
        for time in Set(written.flatMap(\.times)).sorted() {
            for (index, track) in written.enumerated() {
                let column = next[index]
                guard column < track.count, track.times[column] == time else { continue }
                rows.append(track.values[column], of: track.sensor, to: index, at: time)
                next[index] += 1
            }
        }
        rows.endRow()
        return rows.drain()
    }
}
