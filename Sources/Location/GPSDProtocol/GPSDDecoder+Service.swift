// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

// Reads service messages and descriptions of receivers. A key longer than eight bytes has a `word` of 0 and is compared
// as text.
extension GPSDDecoder {
    mutating func readVersion(_ reader: inout JSONReader) throws(JSONError) -> GPSDReport {
        var version = GPSDVersion()
        while let key = try reader.nextKey() {
            switch key.word {
            case JSONText.word("class"): try readClass(&reader)
            case JSONText.word("release"): version.release = try reader.shortString()
            case JSONText.word("rev"): version.revision = try reader.shortString()
            case JSONText.word("remote"): version.remote = try reader.shortString()
            case 0 where key.equals("proto_major"): version.protocolMajor = try reader.count()
            case 0 where key.equals("proto_minor"): version.protocolMinor = try reader.count()
            default: try reader.skipValue()
            }
        }
        return .version(version)
    }

    mutating func readWatch(_ reader: inout JSONReader) throws(JSONError) -> GPSDReport {
        var watch = GPSDWatch()
        while let key = try reader.nextKey() {
            switch key.word {
            case JSONText.word("class"): try readClass(&reader)
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

    mutating func readError(_ reader: inout JSONReader) throws(JSONError) -> GPSDReport {
        var message = ""
        while let key = try reader.nextKey() {
            switch key.word {
            case JSONText.word("class"): try readClass(&reader)
            case JSONText.word("message"): message = try reader.shortString()
            default: try reader.skipValue()
            }
        }
        return .error(message)
    }

    mutating func readDevices(_ reader: inout JSONReader) throws(JSONError) -> GPSDReport {
        var list: [ReceiverDescription] = []
        while let key = try reader.nextKey() {
            switch key.word {
            case JSONText.word("class"): try readClass(&reader)
            case JSONText.word("devices"): list = try readList(&reader)
            default: try reader.skipValue()
            }
        }
        return .devices(list)
    }

    mutating func readDevice(_ reader: inout JSONReader) throws(JSONError) -> ReceiverDescription {
        var device = ReceiverDescription()
        while let key = try reader.nextKey() {
            switch key.word {
            case JSONText.word("class"): try readClass(&reader)
            case JSONText.word("path"): device.path = try reader.shortString()
            case JSONText.word("driver"): device.driver = try reader.shortString()
            case JSONText.word("subtype"): device.subtype = try reader.shortString()
            case JSONText.word("subtype1"): device.subtype1 = try reader.shortString()
            case JSONText.word("bps"): device.bitsPerSecond = try reader.count(absent: 0)
            case JSONText.word("cycle"): device.cycle = try reader.quantity()
            case 0 where key.equals("activated"): device.isActive = try reader.readIsActivated()
            default: try reader.skipValue()
            }
        }
        return device
    }

    private mutating func readList(_ reader: inout JSONReader) throws(JSONError) -> [ReceiverDescription] {
        var list: [ReceiverDescription] = []
        guard try reader.beginArrayIfPresent() else { return list }
        // `readDevice(_:)` overwrites `lastClass` with the class of each list element, so the class of the line is
        // saved and restored.
        let lineClass = lastClass
        while try reader.nextElement() {
            if try reader.peekKind() == .object, list.count < Self.maximumReceivers {
                try reader.beginObject()
                list.append(try readDevice(&reader))
            } else {
                try reader.skipValue()
            }
        }
        lastClass = lineClass
        return list
    }
}
