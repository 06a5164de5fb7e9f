// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A configuration file that is removed with this object.
final class ConfigurationFile: Sendable {
    let path: String

    init(_ json: String) throws {
        let name = "device-services-\(UUID().uuidString).json"
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(name)
        try Data(json.utf8).write(to: url)
        path = url.path
    }

    deinit {
        unlink(path)
    }

    /// An empty configuration, which replaces that of the machine. Removed when the test process exits.
    static let empty: Result<ConfigurationFile, any Error> = {
        let file = Result { try ConfigurationFile("{}") }
        atexit { if case .success(let file) = ConfigurationFile.empty { unlink(file.path) } }
        return file
    }()
}
