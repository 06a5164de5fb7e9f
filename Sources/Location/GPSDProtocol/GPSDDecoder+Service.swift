// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import JSONBytes

extension GPSDDecoder {
    /// The members of a VERSION.
    mutating func readVersion(_ reader: inout JSONReader) throws(JSONError) -> GPSDReport {
        var version = GPSDVersion()
        while let key = try reader.nextKey() {
            switch key.word {
            case JSONText.word("class"): try noteClass(&reader)
            case JSONText.word("release"): version.release = try reader.shortString()
            case JSONText.word("rev"): version.revision = try reader.shortString()
            case JSONText.word("remote"): version.remote = try reader.shortString()
            default:
                if key.equals("proto_major") {
                    version.protocolMajor = try reader.count()
                } else if key.equals("proto_minor") {
                    version.protocolMinor = try reader.count()
                } else {
                    try reader.skipValue()
                }
            }
        }
        return .version(version)
    }

    /// The members of a WATCH.
    mutating func readWatch(_ reader: inout JSONReader) throws(JSONError) -> GPSDReport {
        var watch = GPSDWatch()
        while let key = try reader.nextKey() {
            switch key.word {
            case JSONText.word("class"): try noteClass(&reader)
            case JSONText.word("enable"): watch.isEnabled = try reader.boolIfPresent() ?? false
            case JSONText.word("json"): watch.json = try reader.boolIfPresent() ?? false
            case JSONText.word("nmea"): watch.nmea = try reader.boolIfPresent() ?? false
            case JSONText.word("raw"): watch.raw = try reader.count(absent: 0)
            case JSONText.word("scaled"): watch.scaled = try reader.boolIfPresent() ?? false
            case JSONText.word("timing"): watch.timing = try reader.boolIfPresent() ?? false
            case JSONText.word("split24"): watch.split24 = try reader.boolIfPresent() ?? false
            case JSONText.word("pps"): watch.pps = try reader.boolIfPresent() ?? false
            case JSONText.word("device"): watch.device = try reader.shortString()
            default: try reader.skipValue()
            }
        }
        return .watch(watch)
    }

    /// The members of an ERROR.
    mutating func readError(_ reader: inout JSONReader) throws(JSONError) -> GPSDReport {
        var message = ""
        while let key = try reader.nextKey() {
            switch key.word {
            case JSONText.word("class"): try noteClass(&reader)
            case JSONText.word("message"): message = try reader.shortString()
            default: try reader.skipValue()
            }
        }
        return .error(message)
    }
}
