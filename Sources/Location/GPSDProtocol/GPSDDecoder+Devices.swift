// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

extension GPSDDecoder {
    /// The members of a DEVICES.
    mutating func readDevices(_ reader: inout JSONReader) throws(JSONError) -> GPSDReport {
        var list: [ReceiverDescription] = []
        while let key = try reader.nextKey() {
            switch key.word {
            case JSONText.word("class"): try noteClass(&reader)
            case JSONText.word("devices"): list = try readList(&reader)
            default: try reader.skipValue()
            }
        }
        return .devices(list)
    }

    /// The members of a DEVICE.
    mutating func readDevice(_ reader: inout JSONReader) throws(JSONError) -> ReceiverDescription {
        var device = ReceiverDescription()
        while let key = try reader.nextKey() {
            switch key.word {
            case JSONText.word("class"): try noteClass(&reader)
            case JSONText.word("path"): device.path = try reader.shortString()
            case JSONText.word("driver"): device.driver = try reader.shortString()
            case JSONText.word("subtype"): device.subtype = try reader.shortString()
            case JSONText.word("subtype1"): device.subtype1 = try reader.shortString()
            case JSONText.word("bps"): device.bitsPerSecond = try reader.count(absent: 0)
            case JSONText.word("cycle"): device.cycle = try reader.quantity()
            default:
                if key.equals("activated") {
                    device.isActive = try reader.activation()
                } else {
                    try reader.skipValue()
                }
            }
        }
        return device
    }

    private mutating func readList(_ reader: inout JSONReader) throws(JSONError) -> [ReceiverDescription] {
        var list: [ReceiverDescription] = []
        guard try reader.beginArrayIfPresent() else { return list }
        // The class of an element is not the class of the line.
        let outer = lastClass
        while try reader.nextElement() {
            if try reader.peekKind() == .object, list.count < Self.maximumReceivers {
                try reader.beginObject()
                list.append(try readDevice(&reader))
            } else {
                try reader.skipValue()
            }
        }
        lastClass = outer
        return list
    }
}
