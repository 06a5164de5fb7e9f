// SPDX-License-Identifier: Apache-2.0

import DeviceCore

extension Diagnosis {
    /// What is wrong with motion sensors, from the kernel up to the readings.
    static func motion(_ facts: MachineFacts) -> [Finding] {
        guard facts.traits.contains("LibIIO") else {
            return .one(
                .problem, "motion", "This program was built without libiio, and so without motion sensors.",
                repair: "sudo apt-get install libiio-dev",
                "swift build    # with the trait LibIIO, which is on by default")
        }
        var findings: [Finding] = []
        if facts.configuration.motionSources.value.contains(.local) { findings += kernel(facts) }
        let problems = facts.motionProblems.filter { problem in
            // What the kernel lacks has been said in more detail.
            findings.isEmpty || problem.code != .notFound
                || facts.configuration.motionSources.value.contains { address in
                    address != .local && problem.description.contains(address.description)
                }
        }
        findings += problems.map { unreachable($0, facts) }
        if facts.trials.isEmpty, !findings.contains(where: { $0.level == .problem }) {
            let places = facts.configuration.motionSources.value.map(\.description).joined(separator: ", ")
            findings += .one(
                .problem, "motion", "No motion sensor was found at \(places.isEmpty ? "no place at all" : places).",
                repair: "export DEVICE_SERVICES_IIO=ip:HOST    # or local:, or several with commas",
                "iio_info -S    # shows what libiio finds; from the package libiio-utils")
        }
        return findings + facts.trials.flatMap { trial($0, facts) }
    }

    /// A place where sensors were looked for and that could not be asked.
    private static func unreachable(_ problem: DeviceError, _ facts: MachineFacts) -> Finding {
        var repair: [String] = []
        // The longest one, since one address may begin with another.
        let addresses = facts.configuration.motionSources.value.map(\.description).filter {
            problem.description.contains($0)
        }
        if let address = addresses.max(by: { $0.count < $1.count }) {
            repair.append("iio_info -u \(word(address))    # what libiio says to it; from the package libiio-utils")
            if address.hasPrefix("ip:") {
                repair.append("sudo apt-get install iiod && sudo systemctl enable --now iiod    # on that machine")
            }
        }
        return Finding(.problem, "motion", problem.description, repair: repair)
    }

    private static func kernel(_ facts: MachineFacts) -> [Finding] {
        guard facts.hasKernelBus else {
            // A machine that is asked over the network as well may do without.
            let isOnly = facts.configuration.motionSources.value == [.local]
            return .one(
                isOnly ? .problem : .remark, "motion",
                "This kernel shows no Industrial I/O (/sys/bus/iio is missing), so there are no sensors on this machine.",
                repair: "sudo modprobe industrialio    # or a kernel with CONFIG_IIO",
                "sudo modprobe YOUR_SENSORS_DRIVER    # and an entry for the chip in the device tree",
                "sensorctl simulate iio TRACE -- PROGRAM    # a simulated board meanwhile")
        }
        if facts.kernelSensors.isEmpty {
            return .one(
                .problem, "motion",
                "The kernel has Industrial I/O and no device on it: no driver has found its chip.",
                repair: "dmesg | grep -i iio",
                "sudo apt-get install i2c-tools && i2cdetect -l && sudo i2cdetect -y 1    # does the chip answer at its address?",
                "# then: an entry for it in the device tree, and its driver's module")
        }
        return permissions(facts) + facts.kernelSensors.flatMap { access(to: $0, facts) }
    }

    /// Devices that this user, or other users, may not use; one rule grants access to all of them.
    private static func permissions(_ facts: MachineFacts) -> [Finding] {
        let sensors = facts.kernelSensors.filter { $0.hasBuffer && $0.hasNode }
        var findings: [Finding] = []
        let closed = sensors.filter { !$0.canOpenNode || !$0.canWriteSettings }
        if let first = closed.first {
            let what =
                closed.contains { !$0.canOpenNode }
                ? "open \(nodes(closed.filter { !$0.canOpenNode }))" : "set the rate and buffer of \(nodes(closed))"
            findings += .one(
                .problem, "motion",
                "The user \(facts.user) may not \(what) (the node is \(first.nodeOwnership)): \(list(closed.map(\.shownName))) \(closed.count == 1 ? "is" : "are") polled at best.",
                repair: udevRule(user: facts.user))
        }
        let restricted = sensors.filter { facts.isRoot && $0.nodeOwnership.hasPrefix("0600") }
        if let first = restricted.first {
            findings += .one(
                .remark, "motion",
                "You are root; programs of other users may not open \(nodes(restricted)) (the node is \(first.nodeOwnership)).",
                repair: udevRule(user: facts.user == "root" ? "USER" : facts.user))
        }
        return findings
    }

    private static func nodes(_ sensors: [KernelSensor]) -> String { list(sensors.map { "/dev/\($0.id)" }) }

    private static func list(_ items: [String]) -> String {
        guard let last = items.last, items.count > 1 else { return items.first ?? "" }
        return items.dropLast().joined(separator: ", ") + " and " + last
    }

    private static func access(to sensor: KernelSensor, _ facts: MachineFacts) -> [Finding] {
        let name = sensor.shownName
        guard sensor.hasBuffer else {
            return .one(
                .remark, "motion",
                "\(name) offers no buffer: its readings are polled, one axis after the other. If the chip has an interrupt line, name it in the device tree."
            )
        }
        var findings: [Finding] = []
        if !sensor.hasNode {
            findings += .one(
                .problem, "motion", "\(name) has no node /dev/\(sensor.id).",
                repair: "ls -l /dev/iio*",
                "sudo udevadm trigger --subsystem-match=iio    # or CONFIG_DEVTMPFS in the kernel")
        }
        switch sensor.buffer {
        case .disabled: break
        case .inUse:
            findings += .one(
                .remark, "motion",
                "Another program captures from \(name), and the kernel lets only one program do so.",
                repair: "sudo fuser -v /dev/\(sensor.id)    # names the program: often iio-sensor-proxy or iiod",
                "export DEVICE_SERVICES_IIO=ip:localhost    # if it is iiod: read through it")
        case .abandoned:
            findings += .one(
                .problem, "motion",
                "The buffer of \(name) is enabled, and no program uses it: a program that was killed left it so. The chip still sends interrupts, and its single values cannot be read.",
                repair: "echo 0 | sudo tee /sys/bus/iio/devices/\(sensor.id)/buffer/enable")
        }
        if let rate = sensor.rate, let number = Double(rate), number == 0 {
            findings += .one(
                .remark, "motion",
                "\(name) is set to 0 samples a second. A program that may set the rate does so; others get nothing.",
                repair: "cat /sys/bus/iio/devices/\(sensor.id)/sampling_frequency_available",
                "echo 100 | sudo tee /sys/bus/iio/devices/\(sensor.id)/sampling_frequency    # one of those")
        }
        if sensor.trigger == "", !facts.triggers.contains(where: { $0.hasPrefix(sensor.name) }) {
            // A trigger whose name begins with the device's is found without a setting.
            let trigger = sensor.name.isEmpty ? "device-services" : "\(sensor.name)-timer"
            let load = facts.canMakeTimerTriggers ? [] : ["sudo modprobe iio-trig-hrtimer"]
            findings += .one(
                .remark, "motion",
                "\(name) has no trigger of its own and none is set. If its buffer gives nothing, a timer can drive it.",
                repair: load + [
                    "sudo mkdir \(word("/sys/kernel/config/iio/triggers/hrtimer/\(trigger)"))",
                    "echo \(word(trigger)) | sudo tee /sys/bus/iio/devices/\(sensor.id)/trigger/current_trigger",
                ])
        }
        return findings
    }

    /// A rule that lets a group use sensors, to be copied as it stands.
    static func udevRule(user: String) -> [String] {
        [
            "sudo groupadd --system --force iio && sudo usermod -aG iio \(word(user))",
            "sudo tee /etc/udev/rules.d/60-device-services.rules <<'END'",
            // The node by GROUP and MODE; the files that set rate, buffer and trigger by RUN, which needs whole paths.
            #"ACTION!="remove", SUBSYSTEM=="iio", GROUP="iio", MODE="0660", RUN+="/bin/chgrp -R iio /sys%p", RUN+="/bin/chmod -R g=u /sys%p""#,
            "END",
            "sudo udevadm control --reload && sudo udevadm trigger --action=add --subsystem-match=iio",
            "# then log in again, so that the group counts",
        ]
    }

    private static func trial(_ trial: MachineFacts.Trial, _ facts: MachineFacts) -> [Finding] {
        let sensor = trial.sensor
        let name = "\(sensor.kind.rawValue) \(sensor.shownName)"
        var findings = sensor.remarks.map { Finding(.remark, "motion", "\(name): \($0)") }
        if let failure = trial.failure {
            // A first reading may have come all the same: it is read before the buffer is opened.
            findings.insert(Finding(.problem, "motion", "\(name): \(failure.description)"), at: 0)
        } else if trial.readings > 0 {
            let rate = trial.measuredRate.map { ", \(Self.rounded($0)) readings a second by their stamps" } ?? ""
            let implausible = implausibleSize(of: trial, name)
            findings.insert(
                implausible
                    ?? Finding(
                        .good, "motion", "\(name) gives readings (\(sensor.mode.rawValue)\(rate); \(sensor.source))."),
                at: 0)
            if let remark = slowness(of: trial, name) { findings.append(remark) }
        } else {
            findings.insert(
                Finding(
                    .problem, "motion", "\(name) has given nothing in \(Self.rounded(trial.seconds)) s, and no reason.",
                    repair:
                        "iio_readdev -u \(word(sensor.source)) -b 10 -s 10 \(word(sensor.name.isEmpty ? "iio:device0" : sensor.name))    # does libiio get anything?",
                    "cat /sys/bus/iio/devices/*/sampling_frequency    # a rate of 0 sends nothing"), at: 0)
        }
        return findings
    }

    /// A finding about readings that are implausible for a device at rest; nil for plausible ones.
    ///
    /// An accelerometer measures gravity, 9.8 m/s²; air pressure is 30 to 110 kPa; a gyroscope measures up to 35 rad/s.
    private static func implausibleSize(of trial: MachineFacts.Trial, _ name: String) -> Finding? {
        guard let mean = trial.meanMagnitude else { return nil }
        let (range, expected): (ClosedRange<Double>, String) =
            switch trial.sensor.kind {
            case .accelerometer: (4...20, "at rest it is 9.8")
            case .gyroscope: (0...40, "at rest it is near 0")
            case .pressure: (25...120, "on the Earth it is 30 to 110")
            case .magnetometer: (0.02...20, "the Earth's field is 0.22 to 0.67")
            default: (-.infinity ... .infinity, "")
            }
        guard !range.contains(mean) else { return nil }
        let shown = mean < 0.001 || mean >= 1e6 ? "\(mean)" : "\((mean * 1000).rounded() / 1000)"
        return Finding(
            .problem, "motion",
            "\(name) gives readings of \(shown) \(trial.sensor.kind.unit), and \(expected): its scale is wrong, or the sensor is stuck.",
            repair: "grep . /sys/bus/iio/devices/*/in_*_scale    # the factors that the driver tells")
    }

    /// What there is to say when stamps tell a much lower rate than the sensor was asked for.
    private static func slowness(of trial: MachineFacts.Trial, _ name: String) -> Finding? {
        guard let measured = trial.measuredRate, let set = trial.sensor.rates.rate(atLeast: MachineFacts.Trial.rate)
        else {
            return nil
        }
        let expected = min(set, MachineFacts.Trial.rate)
        guard measured < expected / 2 else { return nil }
        return Finding(
            .remark, "motion",
            "\(name) gives \(rounded(measured)) readings a second where \(rounded(expected)) were asked for: its rate could not be set, or its trigger is slower."
        )
    }

    private static func rounded(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }
}
