// SPDX-License-Identifier: Apache-2.0

import IIOFormat
import Testing

@Suite("Attribute values of a context")
struct ValuesTests {
    private let context = IIOContext(devices: [
        IIODevice(
            id: "iio:device0",
            channels: [
                IIOChannel(id: "voltage0", attributes: [IIOAttribute(name: "raw")]),
                IIOChannel(id: "voltage0", isOutput: true, attributes: [IIOAttribute(name: "raw")]),
            ],
            attributes: [IIOAttribute(name: "buffer")], debugAttributes: [IIOAttribute(name: "reg")],
            bufferAttributes: [IIOAttribute(name: "watermark")])
    ])

    @Test("A key identifies an attribute of a channel, a device, a buffer or the debug attributes")
    func sets() {
        var context = context
        for (value, key) in [
            ("1", "iio:device0/input/voltage0/raw"), ("2", "iio:device0/output/voltage0/raw"),
            ("3", "iio:device0/buffer"), ("4", "iio:device0/debug/reg"), ("5", "iio:device0/buffer/watermark"),
        ] {
            #expect(context.value(for: key) == nil)
            let isSet = context.setValue(value, for: key)
            #expect(isSet)
            #expect(context.value(for: key) == value)
        }
        let device = context.devices[0]
        #expect(device.channels.map { $0.attributes[0].value } == ["1", "2"])
        #expect(device.attributes[0].value == "3")
        #expect(device.debugAttributes[0].value == "4")
        #expect(device.bufferAttributes[0].value == "5")
    }

    @Test(
        "A key without a matching attribute is rejected",
        arguments: [
            "", "/", "iio:device0", "iio:device0/", "iio:device1/buffer", "iio:device0/none", "iio:device0/buffer/none",
            "iio:device0/input/voltage0", "iio:device0/input/voltage1/raw", "iio:device0/both/voltage0/raw",
            "iio:device0/input/voltage0/raw/", "iio:device0/input//raw",
        ])
    func refuses(key: String) {
        var context = context
        let isSet = context.setValue("1", for: key)
        #expect(!isSet)
        #expect(context == self.context)
    }
}
