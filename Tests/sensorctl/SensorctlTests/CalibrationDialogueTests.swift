// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SensorFusion
import Testing

@testable import SensorTools

@Suite("Guided calibration")
struct CalibrationDialogueTests {
    private static let gravity = 9.80665

    @Test("The mean of the gyroscope at rest is its bias, and the calibration ends by itself")
    func rest() throws {
        let sensors = ScriptedSensors(RestTask())
        sensors.play(6, gyroscope: [0.01, -0.02, 0.03], accelerometer: [0, 0, Self.gravity])
        guard case .gyro(let bias, let sigma, let seconds) = try sensors.finish().get() else {
            Issue.record("another outcome")
            return
        }
        #expect(distance(bias, [0.01, -0.02, 0.03]) < 1e-5)
        // Noise of ±1/4, 1/2, 3/4 and 1 mrad/s has a standard deviation of 0.68 mrad/s. A third of the 501 readings
        // count as independent.
        #expect(abs(sigma - 0.00068 / (501.0 / 3).squareRoot()) < 1e-6)
        #expect(seconds == 5)
        #expect(sensors.endings == 1)
        #expect(
            sensors.lines == [
                "Gyroscope: bias at rest", "  Lay the device down and do not touch it.",
                "    25 %: still for 1.2 of 5 s",
                "    50 %: still for 2.5 of 5 s",
                "    75 %: still for 3.8 of 5 s",
                "    100 %: still for 5.0 of 5 s",
            ])
    }

    @Test("A movement restarts the rest period and prints a message")
    func touch() throws {
        let sensors = ScriptedSensors(RestTask())
        sensors.play(4, gyroscope: .zero, accelerometer: [0, 0, Self.gravity])
        sensors.play(0.2, gyroscope: [0, 0.5, 0], accelerometer: [1, 0, Self.gravity])
        sensors.play(4, gyroscope: [0.001, 0, 0], accelerometer: [0, 0, Self.gravity])
        #expect(sensors.endings == 0)
        #expect(sensors.lines.contains("    The device moved. Do not touch it."))
        guard case .failure(let shortfall) = sensors.finish() else {
            Issue.record("there was no rest of five seconds")
            return
        }
        #expect(shortfall.reason == "The device did not lie still for 5 s in a row.")
    }

    @Test("A steady rotation is not accepted as a bias")
    func turning() {
        let steady = ScriptedSensors(RestTask())
        steady.play(8, gyroscope: [0, 0, 0.6], accelerometer: [0, 0, Self.gravity])
        #expect(steady.endings == 0)
        #expect(steady.lines.last?.contains("The device turns steadily") == true)
    }

    @Test("Six slightly tilted sides determine the offset and scale of each axis")
    func sixSides() throws {
        let offset = SIMD3<Double>(0.3, -0.2, 0.15)
        let scale = SIMD3<Double>(1.02, 0.97, 1.01)
        let sensors = ScriptedSensors(AccelerometerTask())
        for pose in DevicePose.allCases {
            // Each side is tilted by 3°, in different directions.
            let tilt = SIMD3<Double>(0.03, -0.04, 0.03) * (pose.up.sum() > 0 ? 1 : -1)
            let up = pose.up + tilt
            let unit = up / (up * up).sum().squareRoot()
            sensors.play(1.5, accelerometer: unit * Self.gravity / scale + offset, noise: 0)
            // The movement to the next side.
            sensors.play(0.3, accelerometer: [3, 3, 12], noise: 1)
        }
        guard case .accelerometer(let calibration) = try sensors.finish().get() else {
            Issue.record("another outcome")
            return
        }
        // A table tilted by 3° changes the reading of the upright axis by 0.14 %.
        #expect(distance(calibration.offset, offset) < 0.02)
        #expect(distance(calibration.scale, scale) < 0.004)
        #expect(sensors.endings == 1)
        #expect(sensors.lines.filter { $0.contains(" of 6, in any order: ") }.count == 6)
        #expect(sensors.lines[1] == "  1 of 6, in any order: lay it flat, face up.")
    }

    @Test("A side measured twice counts once, and a message asks for another side")
    func sameSide() {
        let sensors = ScriptedSensors(MountTask())
        sensors.play(6, accelerometer: [0, 0, Self.gravity])
        #expect(sensors.endings == 0)
        #expect(sensors.lines.last == "    This side has already been measured. Turn the device to the next side.")
        guard case .failure(let shortfall) = sensors.finish() else { return }
        #expect(shortfall.reason == "The device lay still on only 1 of 3 sides.")
    }

    @Test("A reading at rest other than 9.8 m/s², for example in g, is reported")
    func scale() {
        let sensors = ScriptedSensors(AccelerometerTask())
        sensors.play(3, accelerometer: [0, 0, 1], noise: 0)
        #expect(
            sensors.lines.last
                == "    Lay the device flat on one side. At rest, the accelerometer must measure about 9.8 m/s².")
    }

    /// Simulates a chip with the given mount matrix. The device's vector is the matrix times the reading.
    private static func mount(_ task: MountTask, rows: [SIMD3<Double>], tilt: SIMD3<Double> = .zero) -> ScriptedSensors
    {
        let sensors = ScriptedSensors(task)
        for pose in [DevicePose.faceUp, .topEdgeUp, .rightEdgeUp] {
            let up = pose.up + tilt
            let unit = up / (up * up).sum().squareRoot() * gravity
            // The inverse of a rotation is its transpose.
            let reading = rows[0] * unit.x + rows[1] * unit.y + rows[2] * unit.z
            sensors.play(1.5, accelerometer: reading, noise: 0)
        }
        return sensors
    }

    @Test("Three sides determine the mount matrix in quarter turns, even with inexact poses")
    func quarterTurns() throws {
        // The device's x is the sensor's −y and its y the sensor's x: a quarter turn about z.
        let rows: [SIMD3<Double>] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
        for tilt in [SIMD3<Double>.zero, [0.05, 0.05, 0], [-0.06, 0.03, 0.05]] {
            guard
                case .mount(let matrix, let deviation, let isRounded) = try Self.mount(
                    MountTask(), rows: rows, tilt: tilt
                ).finish().get()
            else {
                Issue.record("another outcome")
                continue
            }
            #expect(matrix == MountMatrix(rows[0], rows[1], rows[2]))
            #expect(isRounded)
            #expect(tilt == .zero ? deviation < 1e-5 : deviation > 0.5 && deviation < 6)
        }
    }

    @Test("A chip mounted at another angle keeps its exact matrix")
    func askew() throws {
        // A rotation by 30° about z.
        let (c, s) = (3.0.squareRoot() / 2, 0.5)
        guard
            case .mount(let matrix, _, let isRounded) = try Self.mount(
                MountTask(), rows: [[c, -s, 0], [s, c, 0], [0, 0, 1]]
            ).finish().get()
        else {
            Issue.record("another outcome")
            return
        }
        #expect(matrix.text == "0.866, -0.5, 0; 0.5, 0.866, 0; 0, 0, 1")
        #expect(!isRounded)
        // Nearly aligned, but kept exact on request.
        let small = 0.05
        guard
            case .mount(let exact, _, false) = try Self.mount(
                MountTask(keepsExact: true),
                rows: [[cos(small), -sin(small), 0], [sin(small), cos(small), 0], [0, 0, 1]]
            ).finish().get()
        else {
            Issue.record("it was rounded")
            return
        }
        #expect(exact.text == "0.9988, -0.05, 0; 0.05, 0.9988, 0; 0, 0, 1")
    }

    @Test("A confusion of left and right is detected, because a mount cannot be a mirror image")
    func mirrored() {
        let sensors = Self.mount(MountTask(), rows: [[-1, 0, 0], [0, 1, 0], [0, 0, 1]])
        guard case .failure(let shortfall) = sensors.finish() else {
            Issue.record("a mirror was taken")
            return
        }
        #expect(shortfall.reason.hasPrefix("The measurements are mirrored"))
        #expect(sensors.lines.contains { $0.contains("Start again with the first side") })
    }

    @Test("A mount matrix is the same rotation in hwdb and configuration syntax")
    func mountTexts() throws {
        let matrix = try #require(MountMatrix("0, 1, 0; 1, 0, 0; 0, 0, -1"))
        let text = MountText.hardwareDatabase(matrix, sensor: nil)
        #expect(text == ["sensor:modalias:*:dmi:*", " ACCEL_MOUNT_MATRIX=0, -1, 0; -1, 0, 0; 0, 0, -1"])
        // A live source converts the udev property back to the same matrix.
        for rotation in [
            matrix, .identity, MountMatrix([0, -1, 0], [1, 0, 0], [0, 0, 1]),
            MountMatrix([0, 0, 1], [1, 0, 0], [0, 1, 0]),
        ] {
            var sensor = SensorDescription(id: "a", kind: .accelerometer)
            sensor.applyMountMatrix(from: [], udevMatrix: MountText.systemd(rotation).text)
            #expect(sensor.mountMatrix == rotation)
        }
        #expect(
            MountText.configuration(matrix, sensor: "mpu6050")
                == #"{"motion":{"sensors":[{"sensor":"mpu6050","mountMatrix":"0, 1, 0; 1, 0, 0; 0, 0, -1"}]}}"#)
    }

    @Test("A lost sensor is reported, and a calibration without readings fails with the reason")
    func loss() {
        let sensors = ScriptedSensors(RestTask())
        sensors.lose(.gyroscope, DeviceError(.busy, "Somebody else has the buffer."))
        #expect(sensors.lines.last == "  gyroscope: Somebody else has the buffer.")
        guard case .failure(let shortfall) = sensors.finish() else { return }
        #expect(shortfall.reason == "The gyroscope delivered no readings.")
    }

    @Test("Without a topic, the needed calibrations are selected, and a missing sensor is reported")
    func topics() throws {
        func sensor(_ kind: SensorKind, _ matrix: MountMatrix = .identity) -> SensorDescription {
            var sensor = SensorDescription(id: kind.rawValue, kind: kind)
            sensor.mountMatrix = matrix
            return sensor
        }
        let rotated = MountMatrix([0, 1, 0], [1, 0, 0], [0, 0, -1])
        let all = [sensor(.accelerometer), sensor(.gyroscope), sensor(.magnetometer), sensor(.pressure)]
        #expect(
            try CalibrationTopic.topics(nil, sensors: all, isTrace: false).get()
                == [.gyro, .accelerometer, .mount, .magnetometer])
        #expect(
            try CalibrationTopic.topics(nil, sensors: [sensor(.accelerometer, rotated)], isTrace: false).get()
                == [.accelerometer])
        #expect(try CalibrationTopic.topics(.mount, sensors: all, isTrace: true).get() == [.mount])
        guard case .failure(let shortfall) = CalibrationTopic.topics(.magnetometer, sensors: [], isTrace: true) else {
            Issue.record("there is no magnetometer")
            return
        }
        #expect(shortfall.reason == "The recording contains no readings of a magnetometer.")
    }

    @Test("The cells of the direction map have equal areas")
    func map() {
        // Evenly distributed directions (Fibonacci lattice).
        let golden = Double.pi * (3 - 5.0.squareRoot())
        let points = (0..<20_000).map { index -> SIMD3<Double> in
            let z = 1 - (Double(index) + 0.5) / 10_000
            let r = (1 - z * z).squareRoot()
            return SIMD3(r * cos(golden * Double(index)), r * sin(golden * Double(index)), z) * 0.5 + [1, 2, 3]
        }
        func coveredCells(_ points: ArraySlice<SIMD3<Double>>) -> Int {
            let map = SphereMap(points, center: [1, 2, 3])
            var count = 0
            for row in 0..<SphereMap.rows {
                for column in 0..<SphereMap.columns {
                    let share = (Double(column) + 0.5) / Double(SphereMap.columns)
                    if map.isCovered(row: row, at: share) { count += 1 }
                }
            }
            return count
        }
        let cellCount = SphereMap.rows * SphereMap.columns
        #expect(coveredCells(points[...]) == cellCount)
        // The northern half of the directions.
        #expect(coveredCells(points.prefix(10_000)) == cellCount / 2)
        #expect(coveredCells([[1, 2, 3]]) == 0)
    }
}
