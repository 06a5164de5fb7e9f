// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import TestSupport
import Testing

@Suite("Malformed descriptions")
struct OddTextTests {
    @Test("Random text in any attribute never crashes the parser and yields valid values or nil")
    func random() {
        var random = SeededGenerator(seed: 99)
        let alphabet = Array("0123456789.,;:+-eEnaifsulbeSUX/>[] \n\t\u{0}½٣é😀")
        for _ in 0..<3000 {
            let text = String(
                (0..<Int.random(in: 0...40, using: &random)).compactMap { _ in alphabet.randomElement(using: &random) })
            if let format = IIODataFormat(text) { #expect(IIODataFormat(format.text) == format) }
            if let number = IIONumber.double(text) { #expect(number.isFinite) }
            if case .list(let rates) = SensorRates(text) { #expect(!rates.isEmpty && rates == rates.sorted()) }
            let channels = ["x", "y", "z"].map { axis in
                IIOChannel(
                    id: "accel_\(axis)",
                    attributes: ["raw", "scale", "offset", "mount_matrix", "sampling_frequency"].map {
                        IIOAttribute(name: $0, value: text)
                    })
            }
            let device = IIODevice(id: text, name: text, label: text, channels: channels)
            for sensor in device.sensors() {
                #expect(sensor.problem != nil || sensor.axes.allSatisfy { $0.value(of: 1).isFinite })
                var description = SensorDescription(id: text, kind: sensor.kind)
                description.mountMatrix = sensor.mountMatrix
                description.applyMountMatrix(from: [], udevMatrix: text)
                #expect(!description.mountMatrix.isSingular)
            }
            var context = IIOContext(description: text, version: text, devices: [device])
            context.setValue(text, for: text)
            #expect(context.xml(includingValues: true).hasSuffix("</context>"))
        }
    }
}
