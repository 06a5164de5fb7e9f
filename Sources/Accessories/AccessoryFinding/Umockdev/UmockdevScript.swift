// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// The dialogue of a program with a device, as `umockdev-record --script` of umockdev 0.17 writes it.
///
/// Reading and writing are seen from the program: what it reads is what the device sends.
public struct UmockdevScript: Sendable, Hashable {
    /// A step of the dialogue.
    public enum Step: Sendable, Hashable {
        /// `r` The device sends those bytes, that many milliseconds after the step before.
        case read(milliseconds: UInt32, [UInt8])
        /// `w` The program writes those bytes, in as many pieces as it likes. The time is for people only.
        case write(milliseconds: UInt32, [UInt8])
        /// `f` From here on that many percent of the bytes of a write may differ from the recording.
        case fuzz(percent: UInt32)
    }

    /// `d` The node that was recorded; nil when the file does not say.
    public var device: String?
    /// The steps in order; what stands behind `Q` does not count.
    public var steps: [Step]

    /// A dialogue of those steps.
    public init(device: String? = nil, steps: [Step] = []) {
        self.device = device
        self.steps = steps
    }

    /// The largest file that is read, in bytes.
    public static let maximumSize = 64 << 20
    /// The most steps of a file: small ones take far more memory than room in it.
    public static let maximumSteps = 500_000

    /// Reads a file of at most ``maximumSize`` bytes.
    public init(path: String) throws(DeviceError) {
        try self.init(bytes: try FileBytes.read(path, limit: Self.maximumSize), name: path)
    }
}
