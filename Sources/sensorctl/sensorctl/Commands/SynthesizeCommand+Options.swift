// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import SyntheticMotion

/// Converts the arguments to synthesizer options. Throws a `ValidationError` if an argument is invalid.
extension SynthesizeCommand {
    func motionOptions() throws -> MotionOptions {
        var options = MotionOptions()
        options.start = start?.time
        options.seed = seed
        options.sampleRate = rate
        options.fixRate = fixRate
        options.fixDelay = fixDelay
        options.smoothing = smoothing
        options.followsSlope = !level
        options.earthRotates = !stillEarth
        options.biasFraction = bias
        options.geoidSeparation = geoid
        options.leanMode = turns
        options.inertialUnit = try Self.find(imu, InertialUnit.all, \.name, "--imu")
        let isIdeal = options.inertialUnit == .ideal
        let own = options.inertialUnit?.magnetometer?.name ?? "ak8963"
        options.magnetometer = try Self.find(magnetometer ?? own, SensorModel.magnetometers, \.name, "--magnetometer")
        options.barometer = try Self.find(
            barometer ?? (isIdeal ? "ideal" : "bmp280"), SensorModel.barometers, \.name, "--barometer")
        guard let receiver = ReceiverNoise.all.first(where: { $0.name == receiver }) else {
            throw ArgumentMessages.invalid(receiver, for: "--receiver", among: ReceiverNoise.all.map(\.name))
        }
        options.receiver = receiver
        options.placement = try Self.matrix(placement, "--placement")
        options.mountMatrix = try Self.matrix(mountMatrix, "--mount-matrix")
        try ExitStatus.validating { try options.check() }
        return options
    }

    /// Returns the part with this name, or nil if the name is "none". Throws an error if no part has this name.
    private static func find<Part>(
        _ name: String, _ all: [Part], _ key: KeyPath<Part, String>, _ option: String
    ) throws -> Part? {
        if name == "none" { return nil }
        guard let part = all.first(where: { $0[keyPath: key] == name }) else {
            throw ArgumentMessages.invalid(name, for: option, among: all.map { $0[keyPath: key] } + ["none"])
        }
        return part
    }

    private static func matrix(_ text: String?, _ option: String) throws -> MountMatrix {
        guard let text else { return .identity }
        guard let matrix = MountMatrix(text) else {
            throw ValidationError("\(option) must be nine numbers, such as \"1, 0, 0; 0, 1, 0; 0, 0, 1\".")
        }
        return matrix
    }

    static func names(_ units: [InertialUnit]) -> String { (units.map(\.name) + ["none"]).joined(separator: ", ") }
    static func names(_ models: [SensorModel]) -> String { (models.map(\.name) + ["none"]).joined(separator: ", ") }
}
