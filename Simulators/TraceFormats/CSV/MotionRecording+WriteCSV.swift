// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

extension MotionRecording {
    /// The recording as CSV: `t,gx,gy,gz,ax,ay,az,mx,my,mz`, and `p` when there is air pressure; columns of sensors that
    /// are missing are left out.
    ///
    /// Seconds since the start, rad/s, proper acceleration in m/s² (+9.81 on the axis that points up), microtesla, kPa,
    /// in the axes of the device: a mount matrix is applied. There is one row for each time at which a sensor was read;
    /// the cells of sensors that were not read at that time are empty, so that nothing is invented. The first sensor of
    /// each kind is written. Numbers are in the shortest form that reads back as the same value.
    public func csv() -> [UInt8] {
        let written = [SensorKind.gyroscope, .accelerometer, .magnetometer, .pressure].compactMap { track($0) }
        var text = CSVWriter()
        text.cell("t")
        for track in written {
            for name in Self.columns(track.sensor.kind) { text.cell(name) }
        }
        text.endRow()
        var merge = TrackMerge(written)
        while let time = merge.nextTime {
            text.seconds(time)
            for (index, track) in written.enumerated() {
                let columns = Self.columns(track.sensor.kind).count
                guard let sample = merge.take(index, at: time) else {
                    for _ in 0..<columns { text.cell("") }
                    continue
                }
                let value = Self.siValue(track, sample)
                for axis in 0..<columns { text.number(value[axis]) }
            }
            text.endRow()
        }
        return text.bytes
    }

    private static func columns(_ kind: SensorKind) -> [String] {
        switch kind {
        case .gyroscope: ["gx", "gy", "gz"]
        case .accelerometer: ["ax", "ay", "az"]
        case .magnetometer: ["mx", "my", "mz"]
        case .pressure: ["p"]
        }
    }

    private static func siValue(_ track: MotionTrack, _ sample: Int) -> SIMD3<Double> {
        let value = track.deviceValue(sample)
        return track.sensor.kind == .magnetometer ? SampleConventions.microtesla(gauss: value) : value
    }
}
