// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What a program wants of a folder of Sensor Logger.
public struct SensorLoggerExportOptions: Sendable, Hashable {
    /// Whether files that are there may be replaced. Those of the folder that are written here and of which there is
    /// nothing to write are removed then, so that no two recordings get mixed.
    public var overwrite = false
    /// The path of the receiver whose positions are written; nil for that of the first fix.
    public var receiver: String?

    /// Options for the first receiver, but for those that are given.
    public init(overwrite: Bool = false, receiver: String? = nil) {
        self.overwrite = overwrite
        self.receiver = receiver
    }
}
