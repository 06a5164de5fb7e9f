// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@Suite("Mount matrices from configuration and udev")
struct MountingTests {
    private let rotation = MountMatrix([0, -1, 0], [1, 0, 0], [0, 0, 1])
    private let mirrored = MountMatrix([0, -1, 0], [-1, 0, 0], [0, 0, 1])

    /// Returns a sensor with a driver's matrix, after settings and udev have been applied.
    private func mounted(
        _ kind: SensorKind, _ settings: SensorSetting..., driver: MountMatrix? = nil, udev: String? = nil,
        remarks: [String] = [], driverRemarks: [String] = []
    ) -> SensorDescription {
        var sensor = SensorDescription(id: "a", kind: kind)
        sensor.mountMatrix = driver ?? rotation
        sensor.mountMatrixOrigin = "in_accel_mount_matrix"
        sensor.remarks = remarks
        sensor.applyMountMatrix(from: settings, udevMatrix: udev, driverRemarks: driverRemarks)
        return sensor
    }

    @Test("The driver's matrix applies unless a setting overrides it")
    func driver() {
        let sensor = mounted(.accelerometer)
        #expect(sensor.mountMatrix == rotation)
        #expect(sensor.mountMatrixOrigin == "in_accel_mount_matrix")
        #expect(mounted(.gyroscope, SensorSetting(sensor: "*", trigger: "t")).mountMatrix == rotation)
    }

    @Test("A setting precedes udev and udev precedes the driver, and udev applies to accelerometers only")
    func order() {
        let udev = "1, 0, 0; 0, 1, 0; 0, 0, 1"
        let configured = mounted(.accelerometer, SensorSetting(sensor: "*", mountMatrix: .identity), udev: udev)
        #expect(configured.mountMatrix == .identity)
        #expect(configured.mountMatrixOrigin == "the configuration")
        let fromUdev = mounted(.accelerometer, udev: udev)
        // In udev's convention, an upright device with the identity reads y = -9.81. Therefore x and y are negated. z
        // is kept, because negating it too would mirror.
        #expect(fromUdev.mountMatrix.apply(to: [0, -9.81, 0]) == [0, 9.81, 0])
        #expect(fromUdev.mountMatrix.apply(to: [0, 0, 9.81]) == [0, 0, 9.81])
        #expect(fromUdev.mountMatrix.determinant == 1)
        #expect(fromUdev.mountMatrixOrigin.contains("ACCEL_MOUNT_MATRIX"))
        #expect(mounted(.gyroscope, udev: udev).mountMatrix == rotation)
        #expect(mounted(.magnetometer, udev: udev).mountMatrix == rotation)
    }

    @Test("Each value is taken from the first matching setting that contains it")
    func firstSetting() {
        let sensor = mounted(
            .accelerometer, SensorSetting(sensor: "another", mountMatrix: .identity),
            SensorSetting(sensor: "*", trigger: "t"), SensorSetting(sensor: "a", mountMatrix: mirrored),
            SensorSetting(sensor: "*", mountMatrix: .identity, convention: .windows))
        #expect(sensor.mountMatrix == mirrored.negated)
    }

    @Test("A mirroring matrix of systemd's hardware database yields +9.81 on y for an upright device")
    func hardwareDatabase() {
        let sensor = mounted(.accelerometer, udev: "0, -1, 0; -1, 0, 0; 0, 0, 1\n")
        // In the database's convention, an upright device reads y = -1 after the matrix. Here the sensor reads x =
        // +9.81.
        #expect(sensor.mountMatrix.apply(to: [9.81, 0, 0]) == [0, 9.81, 0])
        #expect(sensor.mountMatrix.determinant == 1)
        #expect(sensor.remarks.isEmpty)
    }

    @Test("A setting's convention applies to the matrix of any origin")
    func convention() {
        let kernel = SensorSetting(sensor: "*", convention: .kernel)
        let asIs = mounted(.accelerometer, kernel, udev: "0, -1, 0; -1, 0, 0; 0, 0, 1")
        #expect(asIs.mountMatrix == mirrored)
        #expect(asIs.remarks.count == 1)
        let windows = SensorSetting(sensor: "*", convention: .windows)
        #expect(mounted(.accelerometer, windows).mountMatrix == rotation.negated)
        #expect(mounted(.accelerometer, windows, driver: .identity).mountMatrix == MountMatrix.identity.negated)
        let raw = SensorSetting(sensor: "*", mountMatrix: rotation, convention: .raw)
        #expect(mounted(.accelerometer, raw, udev: "1 0 0;0 1 0;0 0 1").mountMatrix.isIdentity)
        #expect(mounted(.gyroscope, raw).mountMatrixOrigin.contains("raw"))
    }

    @Test("Gyroscopes and magnetometers use only rotations: a mirroring matrix is negated or rejected")
    func gyroscope() {
        let windows = SensorSetting(sensor: "*", mountMatrix: mirrored, convention: .windows)
        #expect(mounted(.gyroscope, windows).mountMatrix == mirrored.negated)
        let setting = SensorSetting(sensor: "*", mountMatrix: rotation, convention: .windows)
        #expect(mounted(.gyroscope, setting).mountMatrix == rotation)
        let rejected = mounted(.magnetometer, SensorSetting(sensor: "*", mountMatrix: mirrored))
        #expect(rejected.mountMatrix == rotation)
        #expect(rejected.remarks.first?.contains("magnetometer") == true)
    }

    @Test("An unusable matrix is ignored with a remark")
    func rejected() {
        let singular = MountMatrix([1, 0, 0], [1, 0, 0], [0, 0, 1])
        let sensor = mounted(.accelerometer, SensorSetting(sensor: "*", mountMatrix: singular), udev: "sideways")
        #expect(sensor.mountMatrix == rotation)
        #expect(sensor.remarks.count == 2)
        let zeros = mounted(.accelerometer, udev: "0, 0, 0; 0, 0, 0; 0, 0, 0")
        #expect(zeros.mountMatrix == rotation)
        #expect(zeros.remarks.count == 1)
        #expect(mounted(.pressure, driver: .identity, udev: "x", remarks: ["slow"]).remarks == ["slow"])
    }

    @Test("Remarks on the driver's matrix are removed when another matrix is used")
    func remarks() {
        let remarks = ["slow", "mirrors"]
        #expect(mounted(.accelerometer, remarks: remarks, driverRemarks: ["mirrors"]).remarks == remarks)
        let other = SensorSetting(sensor: "*", mountMatrix: rotation)
        #expect(mounted(.accelerometer, other, remarks: remarks, driverRemarks: ["mirrors"]).remarks == ["slow"])
    }
}
