// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import JSONBytes

/// Decodes gpsd's reports, one line at a time.
///
/// It takes any bytes and never fails: a line that is not a whole, valid report gives ``GPSDReport/malformed(_:)``.
/// Keys may stand in any order, blanks anywhere, unknown keys may hold anything; of a key that is repeated the last one
/// counts. A value of the wrong type counts as absent. Protocols 2 (JSON since gpsd 2.90) and 3 are read, with the
/// names and number formats of all their releases.
///
/// It sets neither the time of arrival nor a report's own bytes: whoever reads the lines has both. It keeps the
/// receivers' names, so that a report costs no allocation but the array of its satellites. One owner at a time: it has
/// no lock.
package struct GPSDDecoder: Sendable {
    /// The most satellites taken from one report; further ones are ignored.
    package static let maximumSatellites = 1024
    /// The most receivers taken from one list; further ones are ignored.
    package static let maximumReceivers = 256
    /// The longest text taken, in bytes; a longer one counts as absent.
    package static let maximumTextLength = 4096

    var receivers = ReceiverNames()
    var positionKeys = ReportKeys<PositionKey>()
    var skyKeys = ReportKeys<SkyKey>()
    var satelliteKeys = ReportKeys<SatelliteKey>()
    var attitudeKeys = ReportKeys<AttitudeKey>()
    /// Kept between reports, so that each array of satellites is allocated once and in its final size.
    var satellites: [Satellite] = []
    /// The class as the last "class" key of this pass gives it; nil when that is not a string.
    var lastClass: GPSDClass?
    /// How many numbers of the last report cannot be, such as a speed of 1e300; they are NaN in it.
    package internal(set) var impossibleValues = 0

    /// The offset, in the last report, of the first value that was treated as absent because its type is wrong or it
    /// cannot be read; nil when there is none.
    package internal(set) var unreadableOffset: Int?

    /// A decoder that has seen nothing yet.
    package init() {}

    /// Decodes one line, without its line end.
    package mutating func decode(_ line: UnsafeRawBufferPointer) -> GPSDReport {
        var position = PositionReport()
        return decode(line, position: &position) ?? .position(position)
    }

    /// Decodes one line, without its line end. A position report is read into the argument, which spares the copies of
    /// the other form, and the answer is nil; with any other answer the argument means nothing.
    package mutating func decode(_ line: UnsafeRawBufferPointer, position: inout PositionReport) -> GPSDReport? {
        do throws(JSONError) {
            return try report(line, &position)
        } catch {
            return brokenReport(line, error)
        }
    }

    /// Notes the class that is the next value.
    mutating func noteClass(_ reader: inout JSONReader) throws(JSONError) {
        lastClass = try reader.textIfPresent().map { GPSDClass($0) }
    }

    private mutating func report(
        _ line: UnsafeRawBufferPointer,
        _ position: inout PositionReport
    ) throws(JSONError) -> GPSDReport? {
        lastClass = nil
        impossibleValues = 0
        unreadableOffset = nil
        var reader = try Self.opened(line)
        var kind: GPSDClass
        if let key = try reader.nextKey(), key.word == JSONText.word("class"), let name = try reader.textIfPresent() {
            kind = GPSDClass(name)
            lastClass = kind
        } else {
            // gpsd writes the class first; elsewhere it costs another pass.
            reader = try Self.opened(line)
            _ = try skipMembers(&reader, .unknown)
            guard let last = lastClass else { return .malformed(GPSDMalformedReport(.noClass, at: 0)) }
            kind = last
            reader = try Self.opened(line)
        }
        while true {
            let report = try members(&reader, kind, &position)
            try reader.finish()
            if reader.firstMismatch >= 0 { unreadableOffset = reader.firstMismatch }
            guard let last = lastClass else { return .malformed(GPSDMalformedReport(.noClass, at: 0)) }
            if last == kind { return report }
            // A second "class" key: the last one counts, and the next pass ends with it.
            kind = last
            reader = try Self.opened(line)
        }
    }

    private mutating func members(
        _ reader: inout JSONReader,
        _ kind: GPSDClass,
        _ position: inout PositionReport
    ) throws(JSONError) -> GPSDReport? {
        switch kind {
        case .tpv:
            try readPosition(&reader, &position)
            return nil
        case .sky: return try readSky(&reader)
        case .att: return try readAttitude(&reader)
        case .version: return try readVersion(&reader)
        case .devices: return try readDevices(&reader)
        case .device: return .device(try readDevice(&reader))
        case .watch: return try readWatch(&reader)
        case .error: return try readError(&reader)
        default: return try skipMembers(&reader, kind)
        }
    }

    private mutating func skipMembers(_ reader: inout JSONReader, _ kind: GPSDClass) throws(JSONError) -> GPSDReport {
        while let key = try reader.nextKey() {
            if key.word == JSONText.word("class") {
                try noteClass(&reader)
            } else {
                try reader.skipValue()
            }
        }
        return .other(kind)
    }

    private static func opened(_ line: UnsafeRawBufferPointer) throws(JSONError) -> JSONReader {
        var reader = JSONReader(line)
        try reader.beginObject()
        return reader
    }
}

extension GPSDDecoder {
    /// The path of a receiver; empty when it is absent or too long.
    mutating func readReceiver(_ reader: inout JSONReader) throws(JSONError) -> String {
        guard let text = try reader.textIfPresent(), text.rawBytes.count <= Self.maximumTextLength,
            !text.rawBytes.isEmpty
        else { return "" }
        return receivers.name(text)
    }
}
