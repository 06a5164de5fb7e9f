// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// A point of a GPX file.
struct GPXPoint {
    /// The point as a report of gpsd, without a time.
    var report = PositionReport()
    /// The satellite count and the dilutions of precision of the point.
    var sky = SkyReport()
    /// The time in nanoseconds since 1970; nil if the file contains no readable time.
    var time: Int64?
    /// The mode from `fix`; nil if `fix` is missing or does not determine it.
    private var mode: FixMode?

    /// True if the text of `fix` is `none`.
    var isWithoutFix: Bool { mode == FixMode.none }
    /// True if the point has a satellite count or a dilution of precision.
    var hasSky: Bool { sky.usedCount >= 0 || !sky.hdop.isNaN || !sky.vdop.isNaN || !sky.pdop.isNaN }

    /// Sets the mode and status from the text of `fix`. Returns false for an unknown text.
    mutating func set(fix: UnsafeRawBufferPointer) -> Bool {
        let known: (mode: FixMode?, status: UInt8)? =
            switch String(decoding: fix.prefix(8), as: UTF8.self) {
            case "none": (FixMode.none, 0)
            case "2d": (.twoDimensional, 0)
            case "3d": (.threeDimensional, 0)
            case "dgps": (nil, 2)
            case "pps": (nil, 9)
            default: nil
            }
        (mode, report.status) = known ?? (nil, 0)
        return known != nil
    }

    /// Sets the values that depend on other values, after all of them have been read.
    mutating func finish() {
        // NaN if either value is unknown.
        report.altitudeHAE = report.altitudeMSL + report.geoidSeparation
        report.mode = mode ?? (report.altitudeMSL.isNaN ? .twoDimensional : .threeDimensional)
    }
}
