// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Testing

@Suite("Mount matrices from drivers")
struct MountMatrixTests {
    private static let turned = "0, -1, 0; 1, 0, 0; 0, 0, 1"
    private static let mirrored = "0, -1, 0; -1, 0, 0; 0, 0, 1"
    private static let singular = "1, 0, 0; 1, 0, 0; 0, 0, 1"
    private static let zeros = "0, 0, 0; 0, 0, 0; 0, 0, 0"

    /// Returns the accelerometer and the gyroscope of a device with the given matrices.
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

    @Test("The matrix of a sensor type precedes that of the device, and the default is the identity")
    func order() throws {
        let both = Self.sensors(accelerometer: Self.turned, mount: "1, 0, 0; 0, -1, 0; 0, 0, -1")
        #expect(both[0].mountMatrixOrigin == "in_accel_mount_matrix")
        // The matrix maps the sensor's x axis to the device's y axis.
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

    @Test("A zero matrix is skipped without a remark")
    func zeros() {
        let sensors = Self.sensors(accelerometer: Self.zeros, mount: Self.turned)
        #expect(sensors[0].mountMatrixOrigin == "in_mount_matrix")
        #expect(sensors[0].remarks.isEmpty)
    }

    @Test("A singular or malformed matrix is skipped with a remark")
    func refused() {
        for text in [Self.singular, "1, 0; 0, 1", "1,5, 0", "nan, 0, 0; 0, 1, 0; 0, 0, 1"] {
            let sensor = Self.sensors(accelerometer: text)[0]
            #expect(sensor.mountMatrix.isIdentity)
            #expect(sensor.mountMatrixOrigin == "none given")
            #expect(sensor.remarks.count == 1)
            #expect(sensor.remarks.first?.contains("in_accel_mount_matrix") == true)
        }
    }

    @Test("A reflection is used for an accelerometer with a remark, and skipped for other sensors")
    func mirrored() {
        let sensors = Self.sensors(mount: Self.mirrored)
        #expect(sensors[0].mountMatrix.determinant == -1)
        #expect(sensors[0].remarks.first?.contains("reflection") == true)
        #expect(sensors[1].mountMatrix.isIdentity)
        #expect(sensors[1].remarks.first?.contains("gyroscope") == true)
    }

    @Test("The matrix of the mpu6050 fixture is not a reflection and causes no remark")
    func fixture() throws {
        let sensors = try Fixture.device("mpu6050").sensors()
        // The matrix is 0 1 0; 1 0 0; 0 0 -1, and its determinant is 0·… - 1·(1·-1 - 0) + 0 = 1.
        #expect(sensors.map(\.mountMatrix.determinant) == [1, 1])
        #expect(sensors.allSatisfy { $0.remarks.isEmpty })
    }
}
