// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A configuration file that lasts as long as this object.
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

    /// One that says nothing, so that none of the machine's counts. It goes with the test process.
    static let empty: Result<ConfigurationFile, any Error> = {
        let file = Result { try ConfigurationFile("{}") }
        atexit { if case .success(let file) = ConfigurationFile.empty { unlink(file.path) } }
        return file
    }()
}
