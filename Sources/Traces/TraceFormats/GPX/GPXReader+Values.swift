// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes
import Trace

/// Parsing of numbers, times and coordinates. Unreadable values are recorded in ``GPXReader/diagnostics``.
extension GPXReader {
    /// Returns the `lat` and `lon` attributes of the last tag in degrees. Unreadable values are NaN.
    mutating func readCoordinates() -> (latitude: Double, longitude: Double) {
        let texts = [xml.attribute("lat"), xml.attribute("lon")].map { $0.map { String(decoding: $0, as: UTF8.self) } }
        let values = texts.map { $0.flatMap(Self.number) ?? .nan }
        if !(values[0].magnitude <= 90 && values[1].magnitude <= 180) {
            let problem =
                texts.contains { $0.map(Self.hasDecimalComma) == true }
                ? "has a decimal comma" : "is missing or out of range"
            record(
                "the latitude or longitude of a point \(problem), and the point was skipped",
                "lat=\(texts[0] ?? "") lon=\(texts[1] ?? "")")
        }
        return (values[0], values[1])
    }

    mutating func readNumber() -> Double {
        let text = xml.trimmedText
        if let value = Self.number(text) { return value }
        return readNumber(String(decoding: text, as: UTF8.self), "<\(xml.elementName)>")
    }

    /// Parses a number. Returns NaN if the text is empty or unreadable. Unreadable text is recorded as a problem with
    /// the element or attribute `name`.
    mutating func readNumber(_ text: String, _ name: String) -> Double {
        if let value = Self.number(text) { return value }
        if !text.isEmpty, text.lowercased() != "nan" {
            let problem = Self.hasDecimalComma(text) ? "has a decimal comma" : "is not a number in range"
            record("\(name) \(problem) and was ignored", text)
        }
        return .nan
    }

    /// Reads the text of an element as a count. Returns -1 if the count is missing or unreadable.
    mutating func readCount() -> Int32 {
        let value = readNumber()
        if value >= 0, value <= 65_535 { return Int32(value) }
        if !value.isNaN { record("<\(xml.elementName)> is not a valid count and was ignored", "\(value)") }
        return -1
    }

    /// Sets the speed or course. A value of -1 means unknown.
    mutating func set(_ quantity: CSVQuantity, _ value: Double) {
        point.report.set(quantity, value)
        let limit = quantity == .course ? 360 : Double.infinity
        guard !value.isNaN, value != -1, !(0...limit).contains(value) else { return }
        record("<\(xml.elementName)> is out of range and was ignored", "\(value)")
    }

    mutating func readTime() {
        let text = xml.trimmedText
        guard let (time, zone) = CivilTime.parseZoned(text) else {
            if !text.isEmpty {
                record(
                    "<time> is not a time such as 2026-11-21T03:39:16Z and was ignored",
                    String(decoding: text, as: UTF8.self))
            }
            return
        }
        guard !UnsetClock.produced(time.nanoseconds, isSetLater: isClockSet) else {
            record("<time> \(UnsetClock.message)", String(decoding: text, as: UTF8.self))
            return
        }
        point.time = time.nanoseconds
        if zone == .missing {
            record("<time> has no time zone and was read as UTC", String(decoding: text, as: UTF8.self))
        }
    }

    /// Records a warning about a point that was skipped because it is outside the tracks and routes that are read.
    mutating func recordStrayPoint() {
        record(
            "a point outside the tracks and routes that were read was skipped",
            "lat=\(point.report.latitude) lon=\(point.report.longitude)")
    }

    mutating func record(_ message: String, _ text: String) {
        diagnostics.record(message, line: xml.line(), text: text)
    }

    private static func number(_ text: String) -> Double? {
        var text = text
        return text.withUTF8 { number(UnsafeRawBufferPointer($0)) }
    }

    private static func number(_ text: UnsafeRawBufferPointer) -> Double? {
        var (low, high) = (0, text.count)
        while low < high, text[low] <= 0x20 { low += 1 }
        while high > low, text[high - 1] <= 0x20 { high -= 1 }
        guard let value = DecimalNumber(UnsafeRawBufferPointer(rebasing: text[low..<high]))?.double else { return nil }
        return value.magnitude < FixedDecimal.limit ? value : nil
    }

    private static func hasDecimalComma(_ text: String) -> Bool {
        text.count { $0 == "," } == 1 && number(text.replacing(",", with: ".")) != nil
    }
}

/// A point of a GPX file. ``finish()`` is called after all elements of the point have been read.
struct GPXPoint {
    var report = PositionReport()
    var sky = SkyReport()
    /// The time in nanoseconds since 1970, or nil if it is missing or unreadable.
    var time: Int64?
    /// The fix mode from the `fix` element. nil if the element is missing, or if its text, such as "dgps", does not
    /// state the mode.
    private var mode: FixMode?
    var isWithoutFix: Bool { mode == FixMode.none }
    var hasSky: Bool { sky.usedCount >= 0 || !sky.hdop.isNaN || !sky.vdop.isNaN || !sky.pdop.isNaN }

    /// Sets the mode and status from the text of `fix`. Returns false if the text is unknown.
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

    mutating func finish() {
        // Unknown values are NaN, so the sum is NaN if either value is unknown.
        report.altitudeHAE = report.altitudeMSL + report.geoidSeparation
        report.mode = mode ?? (report.altitudeMSL.isNaN ? .twoDimensional : .threeDimensional)
    }
}
