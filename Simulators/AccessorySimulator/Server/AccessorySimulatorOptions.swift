// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// How simulated accessories behave.
public struct AccessorySimulatorOptions: Sendable {
    /// What protocols are, where nothing else is said.
    public var transport = SimulatedTransport.socket
    /// The folder in which the simulator makes its own; nil for TMPDIR, else /tmp. A short path: the sockets lie there.
    public var folder: String?

    /// Sockets, in a temporary folder.
    public init() {}
}
