// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Reads one CSV file of motion readings.
struct MotionCSVReader {
    /// Times beyond this many seconds are seconds since 1970: a recording of three years is unlikely.
    private static let earliestCivilTime: Int64 = 100_000_000 * 1_000_000_000

    private var reader: CSVReader
    private let layout: MotionCSVLayout
    private let columns: MotionCSVColumns
    private let period: Double
    private let options: MotionCSVOptions

    private var gyroscope: MotionTrack
    private var accelerometer: MotionTrack
    private var magnetometer: MotionTrack
    private var pressure: MotionTrack
    private var partial = 0

    /// Reads the header.
    init(_ bytes: UnsafeRawBufferPointer, name: String, options: MotionCSVOptions) throws(DeviceError) {
        reader = try CSVReader(bytes, name: name)
        try reader.readHeader()
        guard let layout = options.layout ?? MotionCSVLayout(columns: reader.header) else {
            throw reader.place(nil).error(
                "these columns are not known: \(reader.header.prefix(12).joined(separator: ",").prefix(120)). Name them t, gx, gy, gz, ax, ay, az, mx, my, mz (s, rad/s, m/s^2, microtesla), or say with a column map (--columns) what they hold."
            )
        }
        self.layout = layout
        self.options = options
        columns = try MotionCSVColumns(layout, reader)
        guard let period = columns.time != nil ? 0 : options.period ?? layout.defaultPeriod else {
            throw reader.place(nil).error(
                "there is no column t with the seconds. Add it, or say with --rate how many rows there are a second.")
        }
        guard columns.time != nil || (period.isFinite && period > 0 && period <= 86_400) else {
            throw DeviceError(
                .invalidConfiguration,
                "\(period) is no period of rows; give seconds, for example 0.01 for 100 rows a second.")
        }
        self.period = period
        gyroscope = MotionTrack(.gyroscope, from: name)
        accelerometer = MotionTrack(.accelerometer, from: name)
        magnetometer = MotionTrack(.magnetometer, from: name)
        pressure = MotionTrack(.pressure, from: name)
    }

    /// Reads all rows.
    mutating func read() throws(DeviceError) -> Recording {
        var remarks: [String] = []
        var row: Int64 = 0
        var lastCount = reader.header.count
        while try reader.next() {
            if reader.isOpenEnded, reader.cells.count < lastCount {
                remarks.append("The last line was cut off; it was left out.")
                break
            }
            lastCount = reader.cells.count
            let time = try time(row)
            if time != nil || !isBlankRow {
                guard let time else {
                    throw reader.place(columns.time).error(
                        "the row has readings and no time. Fill the time in, or remove the row.")
                }
                try readRow(at: time)
            }
            row += 1
        }
        if partial > 0 {
            remarks.append("\(partial) times a row had only some axes of a sensor; it gives no reading of that sensor.")
        }
        if let remark = fieldRemark { remarks.append(remark) }
        var recording = Recording(tracks: takeTracks(), start: options.start)
        setStart(of: &recording)
        recording.remarks = remarks
        recording.settle()
        guard recording.count > 0 else {
            throw DeviceError(.invalidTrace, "\(reader.name) has a header and no readings.")
        }
        return recording
    }

    /// Gives the tracks away, so that they are changed in place afterwards and not copied.
    private mutating func takeTracks() -> [MotionTrack] {
        let tracks = [accelerometer, gyroscope, magnetometer, pressure]
        accelerometer = MotionTrack(accelerometer.sensor)
        gyroscope = MotionTrack(gyroscope.sensor)
        magnetometer = MotionTrack(magnetometer.sensor)
        pressure = MotionTrack(pressure.sensor)
        return tracks
    }

    /// True when no cell holds anything.
    private var isBlankRow: Bool { reader.cells.allSatisfy(\.range.isEmpty) }

    /// Nanoseconds of the row; nil when its cell is empty.
    private func time(_ row: Int64) throws(DeviceError) -> Int64? {
        guard let column = columns.time else { return Int64(saturatingSeconds: Double(row) * period) }
        guard let number = try reader.decimal(column) else { return nil }
        guard let time = number.scaled(byPowerOfTen: 9) else {
            throw reader.place(column).error(
                "the time \"\(reader.text(column).prefix(40))\" is out of range; it is in seconds.")
        }
        return time
    }

    private mutating func readRow(at time: Int64) throws(DeviceError) {
        if let value = try vector(columns.gyroscope) {
            gyroscope.append(layout == .broad || layout == .motionSense ? value / 1e4 : value, at: time)
        }
        if let value = try acceleration() { accelerometer.append(value, at: time) }
        if let value = try vector(columns.magnetometer) {
            magnetometer.append(field(value), at: time)
        }
        if let column = columns.pressure, let value = try reader.number(column) {
            pressure.append(SIMD3(value, 0, 0), at: time)
        }
    }

    private mutating func acceleration() throws(DeviceError) -> SIMD3<Double>? {
        guard let value = try vector(columns.accelerometer) else { return nil }
        switch layout {
        case .si, .iio: return SampleConventions.acceleration(value, from: .properAcceleration)
        case .broad: return SampleConventions.acceleration(value / 1e3, from: .properAcceleration)
        case .motionSense:
            guard let gravity = try vector(columns.gravity) else { return nil }
            return SampleConventions.acceleration((value + gravity) / 1e4, from: .coreMotion)
        }
    }

    private func field(_ value: SIMD3<Double>) -> SIMD3<Double> {
        switch layout {
        case .iio: value
        case .broad: SampleConventions.gauss(microtesla: value / 10)
        case .si, .motionSense: SampleConventions.gauss(microtesla: value)
        }
    }

    /// The three numbers; nil when one of them is missing.
    private mutating func vector(_ axes: [Int]) throws(DeviceError) -> SIMD3<Double>? {
        guard axes.count == 3 else { return nil }
        let x = try reader.number(axes[0])
        let y = try reader.number(axes[1])
        let z = try reader.number(axes[2])
        if let x, let y, let z { return SIMD3(x, y, z) }
        if x != nil || y != nil || z != nil { partial += 1 }
        return nil
    }

    private func setStart(of recording: inout Recording) {
        guard columns.time != nil, let first = recording.tracks.compactMap(\.times.first).min(),
            first >= Self.earliestCivilTime
        else { return }
        recording.start = .epoch
        recording.shift(by: 0 &- first)
    }

    /// What to say when the magnetic field looks as if it were in the other unit. The Earth's is 0.22 to 0.67 gauss.
    private var fieldRemark: String? {
        guard layout == .si || layout == .iio, magnetometer.count > 0 else { return nil }
        let step = max(magnetometer.count / 1000, 1)
        let magnitudes = stride(from: 0, to: magnetometer.count, by: step).map { index -> Double in
            let value = magnetometer.values[index]
            return (value * value).sum().squareRoot()
        }.sorted()
        let median = magnitudes[magnitudes.count / 2]
        if layout == .si, median > 0.001, median < 0.02 {
            return
                "The magnetic field is a hundredth of the Earth's: are mx, my, mz in gauss? A file in gauss has the columns \(MotionCSVLayout.iioColumns.joined(separator: ",")); --layout iio takes this one for such a file."
        }
        if layout == .iio, median > 10 {
            return
                "The magnetic field is a hundred times the Earth's: are mx, my, mz in microtesla? A file in microtesla begins with t,gx,gy,gz; --layout si takes this one for such a file."
        }
        return nil
    }
}
