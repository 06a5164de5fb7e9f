// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// One thing that `doctor` has to say.
struct Finding: Sendable, Hashable {
    /// How bad it is.
    enum Level: String, Sendable {
        case good, remark, problem
    }

    let level: Level
    /// What it is about: "positions", "motion", "calibration", "accessories", "configuration", "battery".
    let topic: String
    /// What was found, in a sentence.
    let message: String
    /// What to do about it, as lines that can be copied; empty when there is nothing to do.
    let repair: [String]

    init(_ level: Level, _ topic: String, _ message: String, repair: [String] = []) {
        self.level = level
        self.topic = topic
        self.message = message
        self.repair = repair
    }
}
