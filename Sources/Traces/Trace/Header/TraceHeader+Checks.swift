// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

extension TraceHeader {
    /// Returns a warning for each part of the header that the parser ignores: a value of the wrong type, an unknown
    /// sensor member, an invalid or repeated sensor, or an invalid battery. A value of `null` counts as missing and
    /// causes no warning. An unknown header member is kept in `otherMembers` and causes no warning either.
    static func warnings(about line: UnsafeRawBufferPointer) -> [TraceWarning] {
        var checker = HeaderChecker()
        var reader = JSONReader(line)
        do throws(JSONError) {
            try checker.checkHeader(&reader)
        } catch {
            // Unreachable, because the caller has already parsed the line.
        }
        return checker.warnings
    }
}

/// Checks the members that `TraceHeader+Reading` and `TraceHeader+Sensors` read. New keys there must also be added
/// here.
private struct HeaderChecker {
    var warnings: [TraceWarning] = []
    private var sensorIDs: Set<String> = []

    mutating func checkHeader(_ reader: inout JSONReader) throws(JSONError) {
        try reader.beginObject()
        while let key = try reader.nextKey() {
            switch key.string() {
            case "clock", "frame", "recorder", "source": try check(key, is: [.string], &reader)
            case "devices", "sensors", "contexts": try checkElements(of: key, &reader)
            case "units":
                guard try hasKind(.object, key, &reader) else { continue }
                try reader.beginObject()
                while let unit = try reader.nextKey() { try check(unit, is: [.string], &reader) }
            case "battery":
                guard try hasKind(.object, key, &reader) else { continue }
                let json = try reader.readRawValue()
                if !TraceBattery.isFullyValid(json) { add(key, json) }
            default: try reader.skipValue()
            }
        }
    }

    private mutating func checkDevice(_ reader: inout JSONReader) throws(JSONError) {
        try reader.beginObject()
        while let key = try reader.nextKey() {
            switch key.string() {
            case "kind", "path", "driver", "subtype", "subtype1": try check(key, is: [.string], &reader)
            case "bps", "cycle": try check(key, is: [.number], &reader)
            default: try reader.skipValue()
            }
        }
    }

    private mutating func checkSensor(_ reader: inout JSONReader) throws(JSONError) {
        var (id, kind) = ("", "")
        try reader.beginObject()
        while let key = try reader.nextKey() {
            switch key.string() {
            case "id" where try reader.peekKind() == .string: id = try reader.textIfPresent()?.string() ?? ""
            case "kind" where try reader.peekKind() == .string: kind = try reader.textIfPresent()?.string() ?? ""
            case "id", "kind", "name", "label", "location", "source", "serial", "path", "clock", "mountMatrix",
                "mountMatrixOrigin":
                try check(key, is: [.string], &reader)
            case "calibration": try check(key, is: [.object], &reader)
            case "rates": try check(key, is: [.array, .object], &reader)
            default: add(key, try reader.readRawValue())
            }
        }
        if SensorKind(rawValue: kind) == nil || !TraceSensors.isValid(idLength: id.utf8.count) {
            add("sensor \"\(id)\" of kind \"\(kind)\"")
        } else if !sensorIDs.insert(id).inserted {
            add("sensor \"\(id)\" is listed twice")
        }
    }

    private mutating func checkElements(of key: JSONText, _ reader: inout JSONReader) throws(JSONError) {
        guard try hasKind(.array, key, &reader) else { return }
        let isSensor = key.equals("sensors")
        let element: JSONKind = key.equals("contexts") ? .string : .object
        let limit = isSensor ? TraceSensors.maximumCount : TraceHeader.maximumEntries
        var count = 0
        try reader.beginArray()
        while try reader.nextElement() {
            count += 1
            if try reader.peekKind() != element || count > limit {
                add(key, try reader.readRawValue())
            } else if element == .string {
                try reader.skipValue()
            } else if isSensor {
                try checkSensor(&reader)
            } else {
                try checkDevice(&reader)
            }
        }
    }

    /// Skips the value. Adds a warning if the value is neither null nor of an allowed kind.
    private mutating func check(_ key: JSONText, is kinds: [JSONKind], _ reader: inout JSONReader) throws(JSONError) {
        let hasAllowedKind = kinds.contains(try reader.peekKind())
        let json = try reader.readRawValue()
        if !hasAllowedKind, !json.elementsEqual("null".utf8) { add(key, json) }
    }

    /// If the next value is of the given kind, returns true without consuming it. Otherwise, skips it, adds a warning
    /// unless it is null, and returns false.
    private mutating func hasKind(
        _ kind: JSONKind, _ key: JSONText, _ reader: inout JSONReader
    ) throws(JSONError) -> Bool {
        if try reader.peekKind() == kind { return true }
        try check(key, is: [], &reader)
        return false
    }

    private mutating func add(_ key: JSONText, _ json: UnsafeRawBufferPointer) {
        add("\"\(key.string().prefix(40))\":\(String(decoding: json.prefix(160), as: UTF8.self))")
    }

    private mutating func add(_ text: String) {
        guard warnings.count < TraceCursor.maximumWarnings else { return }
        warnings.append(TraceWarning(line: 1, reason: .invalidMember, text: String(text.prefix(80))))
    }
}
