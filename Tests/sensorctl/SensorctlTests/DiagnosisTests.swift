// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SensorFusion
import Testing

@testable import SensorTools

@Suite("Findings of sensorctl doctor")
struct DiagnosisTests {
    /// A machine on which everything works.
    private static func healthy() -> MachineState {
        var sensor = SensorDescription(id: "local:/iio:device0/accel", kind: .accelerometer)
        sensor.name = "mpu6050"
        sensor.source = "local:"
        let trial = MachineState.Trial(sensor: sensor, readings: 150, seconds: 1.5, measuredRate: 99.96, failure: nil)
        let device = KernelSensor(
            id: "iio:device0", name: "mpu6050", hasBuffer: true, hasNode: true, canOpenNode: true,
            nodeOwnership: "0660, group iio", canWriteSettings: true, trigger: "mpu6050-dev0")
        var receiver = ReceiverDescription()
        receiver.path = "/dev/ttyACM0"
        return MachineState(
            configuration: Configuration(), traits: ["LibGPS", "LibIIO", "LibUdev"], user: "pi", isRoot: false,
            hasKernelBus: true, kernelSensors: [device], triggers: ["mpu6050-dev0"], canMakeTimerTriggers: false,
            trials: [trial], positionFailure: nil, receivers: [receiver],
            battery: BatteryReading(level: 0.8, state: .charging))
    }

    private static func problems(_ facts: MachineState) -> [Finding] {
        Diagnosis(facts).findings.filter { $0.level == .problem }
    }

    @Test("A healthy machine has no problems, and its working parts are listed")
    func healthyMachine() {
        let diagnosis = Diagnosis(Self.healthy())
        #expect(!diagnosis.hasProblem)
        let text = diagnosis.findings.map(\.message).joined(separator: "\n")
        #expect(text.contains("/dev/ttyACM0"))
        #expect(text.contains("accelerometer mpu6050 delivers readings (buffered, 100.0 Hz"))
        #expect(text.contains("80 %, charging"))
    }

    @Test("A node without permission is reported with a udev rule and a command with the user's name")
    func permission() throws {
        var facts = Self.healthy()
        facts.kernelSensors[0].canOpenNode = false
        facts.kernelSensors[0].nodeOwnership = "0600, group root"
        let problem = try #require(Self.problems(facts).first)
        #expect(problem.message.contains("pi may not open /dev/iio:device0"))
        #expect(problem.message.contains("0600, group root"))
        #expect(problem.repair.contains { $0.contains("usermod -aG iio pi") })
        #expect(problem.repair.contains { $0.contains(#"SUBSYSTEM=="iio""#) && $0.contains(#"GROUP="iio""#) })
        facts.kernelSensors[0].canOpenNode = true
        facts.kernelSensors[0].canWriteSettings = false
        #expect(
            Self.problems(facts).first?.message.contains("may not set the rate and buffer of /dev/iio:device0") == true)
    }

    @Test("No command contains a placeholder")
    func placeholders() {
        var machines = [Self.healthy(), Self.healthy(), Self.healthy(), Self.healthy()]
        machines[0].hasKernelBus = false
        machines[1].trials = []
        machines[2].kernelSensors = []
        machines[3].isRoot = true
        machines[3].user = "root"
        machines[3].kernelSensors[0].nodeOwnership = "0600, group root"
        for machine in machines {
            let repairs = Diagnosis(machine).findings.flatMap(\.repair)
            #expect(!repairs.isEmpty)
            // Everything before a comment can be run as it is.
            for line in repairs where !line.hasPrefix("# ") {
                let command = line.components(separatedBy: "    # ")[0]
                for placeholder in ["…", "HOST", "YOUR_", "TRACE", "PROGRAM", "USER"] {
                    #expect(!command.split(separator: " ").contains { $0.contains(placeholder) }, "\(command)")
                }
            }
        }
    }

    @Test("Missing Industrial I/O, missing devices and missing nodes are reported as different problems")
    func kernel() {
        var facts = Self.healthy()
        facts.trials = []
        facts.kernelSensors[0].hasNode = false
        #expect(Self.problems(facts).first?.message.contains("has no device node /dev/iio:device0") == true)
        facts.kernelSensors = []
        #expect(Self.problems(facts).first?.message.contains("no driver has found its chip") == true)
        facts.hasKernelBus = false
        #expect(Self.problems(facts).map(\.message).count == 1)
        #expect(Self.problems(facts).first?.message.contains("/sys/bus/iio is missing") == true)
    }

    @Test("A kernel without sensors is not a problem if sensors of another machine are read")
    func network() throws {
        var facts = Self.healthy()
        facts.hasKernelBus = false
        facts.kernelSensors = []
        facts.configuration.motionSources = Setting([.local, try MotionSourceAddress("ip:board")])
        #expect(Self.problems(facts).isEmpty)
        facts.configuration.motionSources = Setting([try MotionSourceAddress("ip:board")])
        facts.trials = []
        #expect(Self.problems(facts).first?.message == "No motion sensor was found at ip:board.")
    }

    @Test("A sensor without readings is reported with the reason, or with a command to find it")
    func silence() {
        var facts = Self.healthy()
        facts.trials[0].readings = 0
        #expect(Self.problems(facts).first?.message.contains("delivered no readings within 1.5 s") == true)
        #expect(
            Self.problems(facts).first?.repair.first
                == "iio_readdev -u local: -b 10 -s 10 mpu6050    # shows whether libiio receives samples")
        facts.trials[0].failure = DeviceError(.busy, "Somebody else has the buffer.")
        #expect(Self.problems(facts).first?.message == "accelerometer mpu6050: Somebody else has the buffer.")
    }

    @Test(
        "Implausible readings are reported as a problem",
        arguments: [
            (SensorKind.accelerometer, 0.98, false), (.accelerometer, 9.8e-6, false), (.accelerometer, 98, false),
            (.accelerometer, 9.9, true), (.accelerometer, 13, true), (.gyroscope, 250, false), (.gyroscope, 0.01, true),
            (.pressure, 1013, false), (.pressure, 0, false), (.pressure, 70, true), (.magnetometer, 48, false),
            (.magnetometer, 0.48, true),
        ])
    func size(kind: SensorKind, mean: Double, isPlausible: Bool) {
        var facts = Self.healthy()
        facts.trials[0].sensor.kind = kind
        facts.trials[0].meanMagnitude = mean
        let problem = Self.problems(facts).first
        #expect((problem == nil) == isPlausible)
        if !isPlausible { #expect(problem?.message.contains("mpu6050 delivers readings of ") == true) }
    }

    @Test("A device without a trigger is reported with the commands for a timer trigger on this kernel")
    func trigger() {
        var facts = Self.healthy()
        facts.kernelSensors[0].trigger = ""
        facts.triggers = []
        let make = "sudo mkdir /sys/kernel/config/iio/triggers/hrtimer/mpu6050-timer"
        let set = "echo mpu6050-timer | sudo tee /sys/bus/iio/devices/iio:device0/trigger/current_trigger"
        let remark = Diagnosis(facts).findings.first { $0.message.contains("no trigger") }
        #expect(remark?.level == .remark)
        #expect(remark?.repair == ["sudo modprobe iio-trig-hrtimer", make, set])
        facts.canMakeTimerTriggers = true
        let second = Diagnosis(facts).findings.first { $0.message.contains("no trigger") }
        #expect(second?.repair == [make, set])
        // A part with a FIFO does not accept a trigger.
        facts.kernelSensors[0].trigger = nil
        #expect(!Diagnosis(facts).findings.contains { $0.message.contains("no trigger") })
    }

    @Test("An unreachable gpsd and a gpsd without a receiver are reported as problems")
    func positions() {
        var facts = Self.healthy()
        facts.receivers = []
        #expect(Self.problems(facts).first?.repair.first?.contains("gpsdctl add") == true)
        facts.positionFailure = DeviceError(.unreachable, "Nobody listens.")
        #expect(Self.problems(facts).first?.message == "Nobody listens.")
        #expect(Self.problems(facts).first?.repair.contains("sudo systemctl enable --now gpsd.socket") == true)
    }

    @Test("A sensor that is lost after its first reading is reported as a problem, not as a success")
    func lostAfterFirst() {
        var facts = Self.healthy()
        facts.trials[0].readings = 1
        facts.trials[0].failure = DeviceError(.busy, "Somebody else has the buffer.")
        #expect(Self.problems(facts).map(\.message) == ["accelerometer mpu6050: Somebody else has the buffer."])
        #expect(!Diagnosis(facts).findings.contains { $0.message.contains("delivers readings") })
    }

    @Test("A server that does not answer is reported once, with the reason")
    func unreachableServer() throws {
        var facts = Self.healthy()
        facts.trials = []
        facts.configuration.motionSources = Setting([
            try MotionSourceAddress("ip:board"), try MotionSourceAddress("ip:board:4000"),
        ])
        facts.motionProblems = [DeviceError(.unreachable, "ip:board:4000 does not answer.")]
        let problems = Self.problems(facts)
        #expect(problems.map(\.message) == ["ip:board:4000 does not answer."])
        #expect(problems.first?.repair.first?.hasPrefix("iio_info -u ip:board:4000 ") == true)
    }

    @Test("A kernel without IIO is reported once")
    func noDoubt() {
        var facts = Self.healthy()
        facts.trials = []
        facts.hasKernelBus = false
        facts.kernelSensors = []
        facts.motionProblems = [DeviceError(.notFound, "This machine has no IIO devices.")]
        #expect(Self.problems(facts).count == 1)
    }

    @Test("A rate of 0, a buffer in use and running as root are reported as remarks")
    func kernelRemarks() {
        var facts = Self.healthy()
        facts.kernelSensors[0].rate = "0.000000"
        facts.kernelSensors[0].buffer = .inUse
        facts.kernelSensors[0].nodeOwnership = "0600, group root"
        facts.isRoot = true
        let remarks = Diagnosis(facts).findings.filter { $0.level == .remark }
        #expect(remarks.contains { $0.message.contains("is 0 Hz") })
        #expect(remarks.contains { $0.repair.first?.hasPrefix("sudo fuser -v /dev/iio:device0") == true })
        #expect(remarks.contains { $0.message.hasPrefix("You are root") && $0.repair.first?.hasSuffix(" pi") == true })
        #expect(!Diagnosis(facts).hasProblem)
        facts.kernelSensors[0].rate = "50"
        facts.kernelSensors[0].buffer = .disabled
        facts.isRoot = false
        #expect(!Diagnosis(facts).findings.contains { $0.level == .remark })
    }

    @Test("A buffer left enabled by a killed program is reported with the command that disables it")
    func abandonedBuffer() {
        var facts = Self.healthy()
        facts.kernelSensors[0].buffer = .abandoned
        #expect(
            Self.problems(facts).map(\.repair) == [["echo 0 | sudo tee /sys/bus/iio/devices/iio:device0/buffer/enable"]]
        )
    }

    @Test("Several devices without permission are reported as one problem")
    func severalDevices() {
        var facts = Self.healthy()
        facts.kernelSensors[0].canOpenNode = false
        var second = facts.kernelSensors[0]
        (second.id, second.name) = ("iio:device1", "ak8975")
        facts.kernelSensors.append(second)
        let problems = Self.problems(facts)
        #expect(problems.count == 1)
        #expect(problems.first?.message.contains("may not open /dev/iio:device0 and /dev/iio:device1 (") == true)
        #expect(
            problems.first?.message.contains("mpu6050 (iio:device0) and ak8975 (iio:device1) can at best be polled")
                == true)
    }

    @Test("A rate far below the requested rate is reported, unless the part has no higher rate")
    func slowness() {
        var facts = Self.healthy()
        facts.trials[0].sensor.rates = .list([50, 100])
        facts.trials[0].measuredRate = 12.5
        #expect(Diagnosis(facts).findings.contains { $0.message.contains("12.5 Hz instead of the requested 100.0 Hz") })
        facts.trials[0].sensor.rates = .list([12.5])
        #expect(!Diagnosis(facts).findings.contains { $0.message.contains("instead of the requested") })
    }

    @Test("Unknown variables and settings for unknown sensors are reported")
    func typos() {
        var facts = Self.healthy()
        facts.readEnvironment(["PATH", "DEVICE_SERVICE_IIO", "DEVICE_SERVICES_IIO", "DEVICE_SERVICES_GPS"])
        #expect(facts.unknownVariables == ["DEVICE_SERVICES_GPS", "DEVICE_SERVICE_IIO"])
        facts.configuration.sensors = Setting([SensorSetting(sensor: "mpu6050"), SensorSetting(sensor: "mpu6500")])
        let findings = Diagnosis(facts).findings.filter { $0.topic == "configuration" }
        #expect(findings.map(\.level) == [.problem, .problem, .remark])
        #expect(findings.last?.message.contains("\"mpu6500\" matches no sensor. Available sensors: mpu6050") == true)
    }

    @Test(
        "Shell commands quote names of other machines", arguments: ["a; rm -rf ~", "$(id)", "it's", "-n", "", "a\nb"])
    func quoting(name: String) throws {
        let word = Diagnosis.word(name)
        let result = try Tool.shell("printf %s \(word)")
        #expect(result.output == name)
    }

    @Test("The udev rule lets a group write the files that the owner may write, and follows no links")
    func udevRule() throws {
        let rule = try #require(Diagnosis.udevRule(user: "pi").first { $0.contains("RUN+=") })
        let folder = try TemporaryFolder()
        let result = try Tool.shell(
            #"""
            mkdir -p "$1/device/buffer" "$1/outside"; umask 022
            touch "$1/device/buffer/enable" "$1/device/name" "$1/outside/file"
            chmod 644 "$1/device/buffer/enable" "$1/outside/file"; chmod 444 "$1/device/name"
            ln -s "$1/outside" "$1/device/subsystem"
            while read -r command; do $command || exit 1; done <<< "$2"
            stat -c %a "$1/device/buffer/enable" "$1/device/name" "$1/outside/file"
            """#,
            [
                folder.path,
                rule.components(separatedBy: #"RUN+=""#).dropFirst().map { part in
                    part.prefix { $0 != "\"" }.replacing("/sys%p", with: folder.path + "/device")
                        .replacing(" iio ", with: " \(getgid()) ")
                }.joined(separator: "\n"),
            ])
        #expect(result.status == 0)
        #expect(result.lines == ["664", "444", "644"])
    }

    @Test("Calibrations are reported with their age and quality, missing ones with the command to run")
    func calibrations() throws {
        var facts = Self.healthy()
        #expect(!Diagnosis(facts).findings.contains { $0.topic == "calibration" })
        var magnetometer = SensorDescription(id: "m", kind: .magnetometer)
        magnetometer.name = "ak8963"
        facts.trials.append(
            MachineState.Trial(sensor: magnetometer, readings: 30, seconds: 1.5, measuredRate: 20, failure: nil))
        let missing = try #require(Diagnosis(facts).findings.first { $0.topic == "calibration" })
        #expect(missing.level == .remark)
        #expect(missing.repair == ["sensorctl calibrate magnetometer"])
        facts.now = WallTime(nanoseconds: 1_000_000_000_000_000_000)
        let date = facts.now.advanced(bySeconds: -3 * 86_400)
        var calibration = MagneticCalibration()
        calibration.quality = .high
        calibration.coverage = 0.8
        calibration.sidesUp = [.face, .topEdge, .leftEdge]
        calibration.residual = 0.012
        facts.calibrations = [
            StoredCalibrations.Entry(sensor: magnetometer, outcome: .magnetometer(calibration), date: date),
            StoredCalibrations.Entry(
                sensor: facts.trials[0].sensor,
                outcome: .gyro(bias: [0, .pi / 180, -.pi / 360], sigma: .nan, seconds: .nan),
                date: facts.now.advanced(bySeconds: -600)),
        ]
        let findings = Diagnosis(facts).findings.filter { $0.topic == "calibration" }
        #expect(findings.allSatisfy { $0.level == .good })
        #expect(
            findings.map(\.message) == [
                "magnetometer ak8963: quality high, coverage 80 %, residual 1.2 %, measured with face, top edge, left edge up, not with back, bottom edge, right edge, calibrated 3 days ago.",
                "accelerometer mpu6050: bias 0.00 1.00 -0.50 °/s, calibrated 10 minutes ago.",
            ])
        calibration.quality = .low
        facts.calibrations = [
            StoredCalibrations.Entry(sensor: magnetometer, outcome: .magnetometer(calibration), date: date)
        ]
        #expect(Diagnosis(facts).findings.contains { $0.level == .remark && $0.message.contains("quality low") })
    }

    @Test("A build without libiio is reported, without other problems of motion sensors")
    func traits() {
        var facts = Self.healthy()
        facts.traits = ["LibGPS"]
        facts.trials = []
        #expect(Self.problems(facts).count == 1)
        #expect(Self.problems(facts).first?.message.contains("built without libiio") == true)
    }
}
