// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Findings about motion sensors. Shell commands must use `word(_:)` to quote all text from drivers and settings.
extension Diagnosis {
    static func motion(_ machine: MachineState) -> [Finding] {
        guard machine.traits.contains("LibIIO") else {
            return .one(
                .problem, "motion", "This program was built without libiio, so it does not support motion sensors.",
                repair: "sudo apt-get install libiio-dev",
                "swift build    # with the trait LibIIO, which is on by default")
        }
        var findings: [Finding] = []
        if machine.configuration.motionSources.value.contains(.local) { findings += kernel(machine) }
        let problems = machine.motionProblems.filter { problem in
            // Omits problems caused by missing kernel support, because `kernel` reports them in more detail.
            findings.isEmpty || problem.code != .notFound
                || machine.configuration.motionSources.value.contains { address in
                    address != .local && problem.description.contains(address.description)
                }
        }
        findings += problems.map { unreachable($0, machine) }
        if machine.trials.isEmpty, !findings.contains(where: { $0.level == .problem }) {
            let locations = machine.configuration.motionSources.value.map(\.description).joined(separator: ", ")
            findings += .one(
                .problem, "motion",
                "No motion sensor was found\(locations.isEmpty ? ": no motion source is set" : " at \(locations)").",
                repair:
                    "# set DEVICE_SERVICES_IIO to local:, to the address of another machine, such as ip:192.168.1.20, or to several addresses, separated by commas",
                "iio_info -S    # lists the contexts that libiio finds; from the package libiio-utils")
        }
        return findings + machine.trials.flatMap { trial($0, machine) }
    }

    private static func unreachable(_ problem: DeviceError, _ machine: MachineState) -> Finding {
        var repair: [String] = []
        // If several addresses match, the longest one is used, because an address may be a prefix of another.
        let addresses = machine.configuration.motionSources.value.map(\.description).filter {
            problem.description.contains($0)
        }
        if let address = addresses.max(by: { $0.count < $1.count }) {
            repair.append("iio_info -u \(word(address))    # shows the error of libiio; from the package libiio-utils")
            if address.hasPrefix("ip:") {
                repair.append("sudo apt-get install iiod && sudo systemctl enable --now iiod    # on that machine")
            }
        }
        return Finding(.problem, "motion", problem.description, repair: repair)
    }

    private static func kernel(_ machine: MachineState) -> [Finding] {
        guard machine.hasKernelBus else {
            // If the machine also reads sensors over the network, missing local sensors are not a problem.
            let isOnly = machine.configuration.motionSources.value == [.local]
            return .one(
                isOnly ? .problem : .remark, "motion",
                "This kernel does not support Industrial I/O (/sys/bus/iio is missing), so this machine has no motion sensors.",
                repair: "sudo modprobe industrialio    # or a kernel with CONFIG_IIO",
                "# then load the module of the sensor's driver, and add the chip to the device tree; in the meantime, sensorctl simulate runs a program with a simulated board"
            )
        }
        if machine.kernelSensors.isEmpty {
            return .one(
                .problem, "motion",
                "The kernel supports Industrial I/O but has no IIO device: no driver has found its chip.",
                repair: "dmesg | grep -i iio",
                "sudo apt-get install i2c-tools && i2cdetect -l && sudo i2cdetect -y 1    # shows whether the chip answers at its address",
                "# then add the chip to the device tree, and load the module of its driver")
        }
        return permissions(machine) + machine.kernelSensors.flatMap { access(to: $0, machine) }
    }

    /// Reports missing permissions in a single finding, because a single udev rule grants access to all devices.
    private static func permissions(_ machine: MachineState) -> [Finding] {
        let sensors = machine.kernelSensors.filter { $0.hasBuffer && $0.hasNode }
        var findings: [Finding] = []
        let closed = sensors.filter { !$0.canOpenNode || !$0.canWriteSettings }
        if let first = closed.first {
            let what =
                closed.contains { !$0.canOpenNode }
                ? "open \(nodes(closed.filter { !$0.canOpenNode }))" : "set the rate and buffer of \(nodes(closed))"
            findings += .one(
                .problem, "motion",
                "The user \(machine.user) may not \(what) (mode \(first.nodeOwnership)). \(list(closed.map(\.displayName))) can at best be polled.",
                repair: udevRule(user: machine.user))
        }
        let restricted = sensors.filter { machine.isRoot && $0.nodeOwnership.hasPrefix("0600") }
        if let first = restricted.first {
            findings += .one(
                .remark, "motion",
                "You are root, but programs of other users may not open \(nodes(restricted)) (mode \(first.nodeOwnership)).",
                repair: udevRule(user: machine.user == "root" ? nil : machine.user))
        }
        return findings
    }

    private static func nodes(_ sensors: [KernelSensor]) -> String { list(sensors.map { "/dev/\($0.id)" }) }

    private static func list(_ items: [String]) -> String {
        guard let last = items.last, items.count > 1 else { return items.first ?? "" }
        return items.dropLast().joined(separator: ", ") + " and " + last
    }

    private static func access(to sensor: KernelSensor, _ machine: MachineState) -> [Finding] {
        let name = sensor.displayName
        guard sensor.hasBuffer else {
            return .one(
                .remark, "motion",
                "\(name) has no buffer, so its axes are polled one by one. If the chip has an interrupt line, add it to the device tree."
            )
        }
        var findings: [Finding] = []
        if !sensor.hasNode {
            findings += .one(
                .problem, "motion", "\(name) has no device node /dev/\(sensor.id).", repair: "ls -l /dev/iio*",
                "sudo udevadm trigger --subsystem-match=iio    # or CONFIG_DEVTMPFS in the kernel")
        }
        switch sensor.buffer {
        case .disabled: break
        case .inUse:
            findings += .one(
                .remark, "motion",
                "Another program captures from \(name), and the kernel allows only one program to do so.",
                repair: "sudo fuser -v /dev/\(sensor.id)    # shows the program, often iio-sensor-proxy or iiod",
                "export DEVICE_SERVICES_IIO=ip:localhost    # if it is iiod: read through it")
        case .abandoned:
            findings += .one(
                .problem, "motion",
                "The buffer of \(name) is enabled but not in use: a program was killed before it disabled the buffer. The chip still sends interrupts, and single values cannot be read.",
                repair: "echo 0 | sudo tee /sys/bus/iio/devices/\(sensor.id)/buffer/enable")
        }
        if let rate = sensor.rate, let number = Double(rate), number == 0 {
            findings += .one(
                .remark, "motion",
                "The rate of \(name) is 0 Hz. Programs that may not set the rate receive no samples.",
                repair: "cat /sys/bus/iio/devices/\(sensor.id)/sampling_frequency_available",
                "echo 100 | sudo tee /sys/bus/iio/devices/\(sensor.id)/sampling_frequency    # one of these rates")
        }
        if sensor.trigger == "", !machine.triggers.contains(where: { $0.hasPrefix(sensor.name) }) {
            // The suggested trigger's name begins with the device's name, so the trigger requires no configuration.
            let trigger = sensor.name.isEmpty ? "device-services" : "\(sensor.name)-timer"
            let load = machine.canMakeTimerTriggers ? [] : ["sudo modprobe iio-trig-hrtimer"]
            findings += .one(
                .remark, "motion",
                "\(name) has no trigger of its own, and none is set. If its buffer delivers no samples, use a timer trigger.",
                repair: load + [
                    "sudo mkdir \(word("/sys/kernel/config/iio/triggers/hrtimer/\(trigger)"))",
                    "echo \(word(trigger)) | sudo tee /sys/bus/iio/devices/\(sensor.id)/trigger/current_trigger",
                ])
        }
        return findings
    }

    /// Returns commands that give a group access to the sensors. If the user is nil, the user names the members.
    static func udevRule(user: String?) -> [String] {
        let group = "sudo groupadd --system --force iio"
        return [
            user.map { "\(group) && sudo usermod -aG iio \(word($0))" }
                ?? "\(group)    # add each user to this group with usermod -aG iio",
            "sudo tee /etc/udev/rules.d/60-device-services.rules <<'END'",
            // `GROUP` and `MODE` apply to the node. `RUN` changes the files that set the rate, the buffer and the
            // trigger.
            #"ACTION!="remove", SUBSYSTEM=="iio", GROUP="iio", MODE="0660", RUN+="/bin/chgrp -R iio /sys%p", RUN+="/bin/chmod -R g=u /sys%p""#,
            "END", "sudo udevadm control --reload && sudo udevadm trigger --action=add --subsystem-match=iio",
            "# then log in again, so that the group membership takes effect",
        ]
    }

    private static func trial(_ trial: MachineState.Trial, _ machine: MachineState) -> [Finding] {
        let sensor = trial.sensor
        let name = "\(sensor.kind.rawValue) \(sensor.displayName)"
        var findings = sensor.remarks.map { Finding(.remark, "motion", "\(name): \($0)") }
        if let failure = trial.failure {
            // A failure takes precedence over readings. Even a sensor that failed may have delivered a reading, because
            // its initial value is read before the buffer is opened.
            findings.insert(Finding(.problem, "motion", "\(name): \(failure.description)"), at: 0)
        } else if trial.readings > 0 {
            let rate = trial.measuredRate.map { ", \(Self.rounded($0)) Hz by the timestamps" } ?? ""
            let implausible = implausibleSize(of: trial, name)
            findings.insert(
                implausible
                    ?? Finding(
                        .good, "motion", "\(name) delivers readings (\(sensor.mode.rawValue)\(rate); \(sensor.source))."
                    ), at: 0)
            if let remark = slowness(of: trial, name) { findings.append(remark) }
        } else {
            findings.insert(
                Finding(
                    .problem, "motion",
                    "\(name) delivered no readings within \(Self.rounded(trial.seconds)) s and reported no error.",
                    repair:
                        "iio_readdev -u \(word(sensor.source)) -b 10 -s 10 \(word(sensor.name.isEmpty ? "iio:device0" : sensor.name))    # shows whether libiio receives samples",
                    "cat /sys/bus/iio/devices/*/sampling_frequency    # at 0, a sensor delivers nothing"), at: 0)
        }
        return findings
    }

    /// The range of plausible magnitudes for each kind of sensor, and a phrase stating the expected magnitude.
    private static let plausibleMagnitudes: [SensorKind: (range: ClosedRange<Double>, expected: String)] = [
        .accelerometer: (4...20, "9.8 is expected at rest"), .gyroscope: (0...40, "a value near 0 is expected at rest"),
        .pressure: (25...120, "30 to 110 is expected on the Earth"),
        .magnetometer: (0.02...20, "the Earth's field is 0.22 to 0.67"),
    ]

    private static func implausibleSize(of trial: MachineState.Trial, _ name: String) -> Finding? {
        guard let mean = trial.meanMagnitude, let (range, expected) = plausibleMagnitudes[trial.sensor.kind],
            !range.contains(mean)
        else { return nil }
        let shown = mean < 0.001 || mean >= 1e6 ? "\(mean)" : "\((mean * 1000).rounded() / 1000)"
        return Finding(
            .problem, "motion",
            "\(name) delivers readings of \(shown) \(trial.sensor.kind.unit), but \(expected). Its scale is wrong, or the sensor is stuck.",
            repair: "grep . /sys/bus/iio/devices/*/in_*_scale    # the scale factors of the driver")
    }

    private static func slowness(of trial: MachineState.Trial, _ name: String) -> Finding? {
        guard let measured = trial.measuredRate, let set = trial.sensor.rates.rate(atLeast: MachineState.Trial.rate)
        else { return nil }
        let expected = min(set, MachineState.Trial.rate)
        guard measured < expected / 2 else { return nil }
        return Finding(
            .remark, "motion",
            "\(name) delivers readings at \(rounded(measured)) Hz instead of the requested \(rounded(expected)) Hz. Its rate could not be set, or its trigger is slower."
        )
    }

    private static func rounded(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }
}
