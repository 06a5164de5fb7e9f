// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import LoopbackServer
import SystemCalls

/// The folder of a simulated machine: its configuration, its stored calibrations, and what announces its accessories.
struct ServerFolder: Sendable {
    private static let configuration = "device-services.json"
    private static let state = "state"
    private static let none = "none"
    private static let kind = ScratchFolder.Kind(prefix: "device-servers-", owner: "the simulated servers") { name in
        [ServerFolder.configuration, ServerFolder.state, ServerFolder.none].contains(name)
            || name.hasPrefix("accessories-")
    }

    private let folder: ScratchFolder

    var path: String { folder.path }
    /// A configuration that says nothing, in the place of the machine's.
    var configurationPath: String { "\(path)/\(Self.configuration)" }
    /// Where programs store calibrations.
    var statePath: String { "\(path)/\(Self.state)" }
    /// A folder that announces nothing.
    var emptyPath: String { "\(path)/\(Self.none)" }

    /// Makes a folder of its own, below TMPDIR unless another is named.
    init(below parent: String?) throws(DeviceError) {
        folder = try ScratchFolder(Self.kind, below: parent)
        for path in [statePath, emptyPath] {
            guard mkdir(path, 0o700) == 0 else {
                throw FileBytes.failedToWrite(path, call: "mkdir", errno: errno, elsewhere: "set TMPDIR to another")
            }
        }
        try FileBytes.write(Array("{}\n".utf8), to: configurationPath, overwrite: false)
    }

    func remove() { folder.remove() }
}
