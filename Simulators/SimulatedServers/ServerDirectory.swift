// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import LoopbackServer
import SystemCalls

/// A simulated machine's directory for its configuration, stored calibrations and accessory announcements.
struct ServerDirectory: Sendable {
    private static let configuration = "device-services.json"
    private static let state = "state"
    private static let none = "none"
    private static let kind = ScratchDirectory.Kind(prefix: "device-servers-", owner: "the simulated servers") { name in
        [ServerDirectory.configuration, ServerDirectory.state, ServerDirectory.none].contains(name)
            || name.hasPrefix("accessories-")
    }

    private let folder: ScratchDirectory

    var path: String { folder.path }
    /// The path of an empty configuration file, which replaces the machine's configuration.
    var configurationPath: String { "\(path)/\(Self.configuration)" }
    var statePath: String { "\(path)/\(Self.state)" }
    /// The path of a directory without announcements.
    var emptyPath: String { "\(path)/\(Self.none)" }

    init(below parent: String?) throws(DeviceError) {
        folder = try ScratchDirectory(Self.kind, below: parent)
        for path in [statePath, emptyPath] {
            guard mkdir(path, 0o700) == 0 else {
                throw FileIO.writeError(
                    path, call: "mkdir", errno: errno, locationHint: "set TMPDIR to another directory")
            }
        }
        try FileIO.write(Array("{}\n".utf8), to: configurationPath, overwrite: false)
    }

    func remove() { folder.remove() }
}
