// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Testing

@Suite("Mountings after configuration and udev")
struct MountingTests {
    private let turned = MountMatrix([0, -1, 0], [1, 0, 0], [0, 0, 1])
    private let mirrored = MountMatrix([0, -1, 0], [-1, 0, 0], [0, 0, 1])

    private func sensor(_ kind: SensorKind) -> IIOSensor {
        IIOSensor(kind: kind, axes: [], mountMatrix: turned, mountMatrixOrigin: "in_accel_mount_matrix")
    }

    @Test("The driver's matrix stands where nobody says otherwise")
    func driver() {
        let mounting = sensor(.accelerometer).mounting()
        #expect(mounting == IIOMounting(matrix: turned, origin: "in_accel_mount_matrix"))
        let nothingSaid = SensorSetting(sensor: "*", trigger: "t")
        #expect(sensor(.gyroscope).mounting(setting: nothingSaid).matrix == turned)
    }

    @Test("A setting comes before udev, and udev before the driver, for accelerometers only")
    func order() {
        let udev = "1, 0, 0; 0, 1, 0; 0, 0, 1"
        let setting = SensorSetting(sensor: "*", mountMatrix: .identity)
        let configured = sensor(.accelerometer).mounting(
            setting: setting, settingOrigin: "file /etc/x.json", udevMatrix: udev)
        #expect(configured.matrix == .identity)
        #expect(configured.origin == "file /etc/x.json")
        let fromUdev = sensor(.accelerometer).mounting(udevMatrix: udev)
        // udev's matrices yield -9.81 for up: the identity among them turns the sign.
        #expect(fromUdev.matrix.apply(to: [0, 0, -9.81]) == [0, 0, 9.81])
        #expect(fromUdev.origin.contains("ACCEL_MOUNT_MATRIX"))
        #expect(sensor(.gyroscope).mounting(udevMatrix: udev).matrix == turned)
        #expect(sensor(.magnetometer).mounting(udevMatrix: udev).matrix == turned)
    }

    @Test("A usual mirroring matrix of systemd's database leaves upright with +9.81 on y")
    func hardwareDatabase() {
        let mounting = sensor(.accelerometer).mounting(udevMatrix: "0, -1, 0; -1, 0, 0; 0, 0, 1\n")
        // Upright, in the database's terms, is y = -1 after the matrix: here from a sensor that reads x = +9.81.
        #expect(mounting.matrix.apply(to: [9.81, 0, 0]) == [0, 9.81, 0])
        #expect(mounting.matrix.determinant == 1)
        #expect(mounting.remarks.isEmpty)
    }

    @Test("The convention of a setting counts for whichever matrix is used")
    func convention() {
        let kernel = SensorSetting(sensor: "*", convention: .kernel)
        let asIs = sensor(.accelerometer).mounting(setting: kernel, udevMatrix: "0, -1, 0; -1, 0, 0; 0, 0, 1")
        #expect(asIs.matrix == mirrored)
        #expect(asIs.remarks.count == 1)
        let windows = SensorSetting(sensor: "*", convention: .windows)
        #expect(sensor(.accelerometer).mounting(setting: windows).matrix == turned.negated)
        let bare = IIOSensor(kind: .accelerometer, axes: [])
        #expect(bare.mounting(setting: windows).matrix == MountMatrix.identity.negated)
        let raw = SensorSetting(sensor: "*", mountMatrix: turned, convention: .raw)
        #expect(sensor(.accelerometer).mounting(setting: raw, udevMatrix: "1 0 0;0 1 0;0 0 1").matrix.isIdentity)
        #expect(sensor(.gyroscope).mounting(setting: raw).origin.contains("raw"))
    }

    @Test("A gyroscope takes of a windows matrix the one that is a rotation, and never a mirroring one")
    func gyroscope() {
        let windows = SensorSetting(sensor: "*", mountMatrix: mirrored, convention: .windows)
        #expect(sensor(.gyroscope).mounting(setting: windows).matrix == mirrored.negated)
        let rotation = SensorSetting(sensor: "*", mountMatrix: turned, convention: .windows)
        #expect(sensor(.gyroscope).mounting(setting: rotation).matrix == turned)
        let refused = sensor(.magnetometer).mounting(setting: SensorSetting(sensor: "*", mountMatrix: mirrored))
        #expect(refused.matrix == turned)
        #expect(refused.remarks.first?.contains("magnetometer") == true)
    }

    @Test("What cannot be used is passed over with a remark")
    func refused() {
        let singular = MountMatrix([1, 0, 0], [1, 0, 0], [0, 0, 1])
        let mounting = sensor(.accelerometer).mounting(
            setting: SensorSetting(sensor: "*", mountMatrix: singular), udevMatrix: "sideways")
        #expect(mounting.matrix == turned)
        #expect(mounting.remarks.count == 2)
        let pressure = IIOSensor(kind: .pressure, axes: [], remarks: ["slow"])
        #expect(pressure.mounting(udevMatrix: "x") == IIOMounting(remarks: ["slow"]))
    }

    @Test("Remarks on the driver's matrix go with it")
    func remarks() {
        var sensor = IIOSensor(kind: .accelerometer, axes: [], remarks: ["slow", "mirrors"])
        sensor.mountMatrixRemarks = ["mirrors"]
        #expect(sensor.mounting().remarks == ["slow", "mirrors"])
        #expect(sensor.mounting(setting: SensorSetting(sensor: "*", mountMatrix: turned)).remarks == ["slow"])
    }
}
