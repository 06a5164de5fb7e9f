// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

/// Prints each notification as one JSON object on a line of its own.
final class JSONAccessoryPrinter: AccessoryPrinter {
    private let output: StandardOutput
    private var writer = JSONWriter()

    init(output: StandardOutput) {
        self.output = output
    }

    func print(present accessories: [AccessoryReading], at time: WallTime) {
        begin("connectedAccessories", time)
        writer.key("accessories")
        writer.beginArray()
        for accessory in accessories { accessory.write(to: &writer) }
        writer.endArray()
        end()
    }

    func print(_ change: AccessoryChange, _ accessory: AccessoryReading, at time: WallTime) {
        begin(change.rawValue, time)
        writer.key("accessory")
        accessory.write(to: &writer)
        end()
    }

    private func begin(_ callback: String, _ time: WallTime) {
        writer.removeAll()
        writer.beginObject()
        writer.key("callback")
        writer.string(callback)
        writer.key("time")
        writer.string(CivilDate(time).timestamp)
    }

    private func end() {
        writer.endObject()
        writer.newline()
        output.write(writer.bytes)
    }
}
