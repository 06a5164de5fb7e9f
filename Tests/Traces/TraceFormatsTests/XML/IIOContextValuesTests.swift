// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Testing
import TraceFormats

@Suite("Attribute values of a context")
struct IIOContextValuesTests {
    static let names = [
        "mpu6050", "bmi160", "lsm6dso", "hid-accel-3d", "mma8452", "msa311", "cros-ec-two-accels",
        "raw-only-accel-magn-baro", "odd-padding-imu",
    ]

    @Test("Every shipped value belongs to an attribute", arguments: names)
    func known(name: String) throws {
        var context = try IIOContext(xml: try Fixtures.bytes("\(name).xml"))
        let before = context
        #expect(try context.setValues(json: try Fixtures.bytes("\(name).values.json")) == [])
        #expect(context != before)
    }

    @Test("Values are assigned to the attributes named by their keys")
    func values() throws {
        var context = try IIOContext(xml: try Fixtures.bytes("mpu6050.xml"))
        try context.setValues(json: try Fixtures.bytes("mpu6050.values.json"))
        #expect(context.devices[0].channel("anglvel_z")?.attribute("scale")?.value == "0.001064724")
        #expect(context.devices[0].channel("temp")?.attribute("offset")?.value == "12420")
        #expect(context.devices[0].attribute("sampling_frequency")?.value == "50")
        #expect(context.devices[0].bufferAttributes.first { $0.name == "direction" }?.value == "in")
    }

    @Test("Unknown keys are returned, and numbers keep their notation")
    func unknown() throws {
        var context = try IIOContext(xml: try Fixtures.bytes("mpu6050.xml"))
        let json = "{\"iio:device0/sampling_frequency\": 1e2, \"iio:device9/x\": \"1\", \"\": \"\"}"
        #expect(try context.setValues(json: [UInt8](json.utf8)) == ["iio:device9/x", ""])
        #expect(context.devices[0].attribute("sampling_frequency")?.value == "1e2")
    }

    @Test("Values that are not an object of strings are rejected with their line and change nothing")
    func wrong() throws {
        var context = try IIOContext(xml: try Fixtures.bytes("mpu6050.xml"))
        let before = context
        for text in ["", "[]", "{\n\"iio:device0/sampling_frequency\":\"7\",\n\"b\":[1]}", "{\"a\":\"b\""] {
            do throws(DeviceError) {
                try context.setValues(json: [UInt8](text.utf8), name: "v.json")
                Issue.record("\(text) was taken for values")
            } catch {
                #expect(error.message.hasPrefix("v.json, line \(text.hasPrefix("{\n") ? 3 : 1):"), "\(error.message)")
            }
        }
        #expect(context == before)
    }
}
