// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Testing

@Suite("Mount matrices of drivers")
struct MountMatrixTests {
    private static let turned = "0, -1, 0; 1, 0, 0; 0, 0, 1"
    private static let mirrored = "0, -1, 0; -1, 0, 0; 0, 0, 1"
    private static let singular = "1, 0, 0; 1, 0, 0; 0, 0, 1"
    private static let zeros = "0, 0, 0; 0, 0, 0; 0, 0, 0"

    /// The accelerometer and the gyroscope of a device with matrices in those places.
    private static func sensors(
        accelerometer: String? = nil, mount: String? = nil, device: [(name: String, value: String)] = []
    ) -> [IIOSensor] {
        var channels: [IIOChannel] = []
        for id in ["accel_x", "accel_y", "accel_z", "anglvel_x", "anglvel_y", "anglvel_z"] {
            var channel = IIOChannel(id: id, attributes: [IIOAttribute(name: "raw")])
            if id.hasPrefix("accel"), let accelerometer {
                channel.attributes.append(
                    IIOAttribute(name: "mount_matrix", filename: "in_accel_mount_matrix", value: accelerometer))
            }
            channels.append(channel)
        }
        if let mount {
            channels.append(
                IIOChannel(
                    id: "mount",
                    attributes: [IIOAttribute(name: "matrix", filename: "in_mount_matrix", value: mount)]))
        }
        let attributes = device.map { IIOAttribute(name: $0.name, value: $0.value) }
        return IIODevice(id: "iio:device0", channels: channels, attributes: attributes).sensors()
    }

    @Test("The matrix of a type comes before that of the device, and without any it is identity")
    func order() throws {
        let both = Self.sensors(accelerometer: Self.turned, mount: "1, 0, 0; 0, -1, 0; 0, 0, -1")
        #expect(both[0].mountMatrixOrigin == "in_accel_mount_matrix")
        // The matrix takes the sensor's x to the device's y.
        #expect(both[0].mountMatrix.apply(to: [1, 0, 0]) == [0, 1, 0])
        #expect(both[1].mountMatrixOrigin == "in_mount_matrix")
        #expect(both[1].mountMatrix.apply(to: [0, 0, 1]) == [0, 0, -1])
        let plain = Self.sensors(device: [("mount_matrix", Self.turned)])
        #expect(plain.map(\.mountMatrixOrigin) == ["mount_matrix", "mount_matrix"])
        let ofType = Self.sensors(device: [
            ("mount_matrix", Self.turned), ("in_anglvel_mount_matrix", "1,0,0;0,1,0;0,0,1"),
        ])
        #expect(ofType.map(\.mountMatrixOrigin) == ["mount_matrix", "in_anglvel_mount_matrix"])
        let none = Self.sensors()
        #expect(
            none.allSatisfy { $0.mountMatrixOrigin == "none given" && $0.mountMatrix.isIdentity && $0.remarks.isEmpty })
        let fixture = try Fixture.context("raw-only-accel-magn-baro").devices.flatMap { $0.sensors() }
        #expect(fixture[0].mountMatrix.apply(to: [1, 0, 0]) == [0, 1, 0])
        #expect(fixture[1].mountMatrix.isIdentity)
    }

    @Test("A matrix of zeros is passed over in silence")
    func zeros() {
        let sensors = Self.sensors(accelerometer: Self.zeros, mount: Self.turned)
        #expect(sensors[0].mountMatrixOrigin == "in_mount_matrix")
        #expect(sensors[0].remarks.isEmpty)
    }

    @Test("A singular matrix and one that is none are passed over with a remark")
    func refused() {
        for text in [Self.singular, "1, 0; 0, 1", "1,5, 0", "nan, 0, 0; 0, 1, 0; 0, 0, 1"] {
            let sensor = Self.sensors(accelerometer: text)[0]
            #expect(sensor.mountMatrix.isIdentity)
            #expect(sensor.mountMatrixOrigin == "none given")
            #expect(sensor.remarks.count == 1)
            #expect(sensor.remarks.first?.contains("in_accel_mount_matrix") == true)
        }
    }

    @Test("One that mirrors serves an accelerometer, with a warning, and nothing else")
    func mirrored() {
        let sensors = Self.sensors(mount: Self.mirrored)
        #expect(sensors[0].mountMatrix.determinant == -1)
        #expect(sensors[0].remarks.first?.contains("mirrors") == true)
        #expect(sensors[1].mountMatrix.isIdentity)
        #expect(sensors[1].remarks.first?.contains("gyroscope") == true)
    }

    @Test("A description's matrix that mirrors is told of: the one of mpu6050 does not")
    func fixture() throws {
        let sensors = try Fixture.device("mpu6050").sensors()
        // 0 1 0; 1 0 0; 0 0 -1: the determinant is 0·… - 1·(1·-1 - 0) + 0 = 1.
        #expect(sensors.map(\.mountMatrix.determinant) == [1, 1])
        #expect(sensors.allSatisfy { $0.remarks.isEmpty })
    }
}
