// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// A point of a GPX file.
struct GPXPoint {
    /// As gpsd's report, without a time.
    var report = PositionReport()
    /// What the point says of the sky.
    var sky = SkyReport()
    /// Nanoseconds since 1970; nil when the file gives no readable time.
    var time: Int64?
    /// What `fix` says of the dimensions.
    private var mode: FixMode?

    /// True when the text of `fix` is `none`.
    var isWithoutFix: Bool { mode == FixMode.none }
    /// True when it says something of the sky.
    var hasSky: Bool { sky.usedCount >= 0 || !sky.hdop.isNaN || !sky.vdop.isNaN || !sky.pdop.isNaN }

    /// Sets mode and status from the text of `fix`. Returns false for an unknown text.
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

    /// Works out what follows from the other numbers, when all are there.
    mutating func finish() {
        // NaN when either is not known.
        report.altitudeHAE = report.altitudeMSL + report.geoidSeparation
        report.mode = mode ?? (report.altitudeMSL.isNaN ? .twoDimensional : .threeDimensional)
    }
}
