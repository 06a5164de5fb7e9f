// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls

/// The libraries that the page loads, where the system has them: only files that are there at the start, by their exact
/// names, and none that a link leads to.
package struct AssetFolder: Sendable {
    /// A library, its package in Debian, and the files without which it is not there.
    package struct Library: Sendable {
        package let name: String
        package let package: String
        let folder: String
        let files: [String]

        package static let all = [
            Library(
                name: "leaflet", package: "libjs-leaflet", folder: "leaflet", files: ["leaflet.js", "leaflet.css"]),
            Library(
                name: "dygraphs", package: "libjs-dygraphs", folder: "dygraphs",
                files: ["dygraph.min.js", "dygraph.css"]),
        ]
    }

    struct File: Sendable {
        let path: String
        let type: String
        let device: UInt64
        let node: UInt64

        /// What is in it; nil where it is another file than at the start.
        func read() -> [UInt8]? {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            var status = stat()
            guard fstat(descriptor, &status) == 0, UInt64(status.st_dev) == device, UInt64(status.st_ino) == node else {
                return nil
            }
            return try? FileBytes.read("/proc/self/fd/\(descriptor)", limit: AssetFolder.sizeLimit)
        }
    }

    static let sizeLimit = 4 << 20
    private static let countLimit = 500
    private static let depthLimit = 3

    private var files: [String: File] = [:]

    /// - Parameter root: the folder that has a folder for each library; Debian's unless given.
    package init(root: String = "/usr/share/javascript") {
        for library in Library.all {
            // The folder itself may be a link, as an administrator makes them; what is in it may not.
            guard let folder = Self.resolved("\(root)/\(library.folder)") else { continue }
            collect(folder, as: library.folder, depth: 1)
        }
    }

    package func has(_ library: Library) -> Bool {
        library.files.allSatisfy { files["\(library.folder)/\($0)"] != nil }
    }

    /// The file of that name below the folder.
    func file(_ name: String) -> File? { files[name] }

    private mutating func collect(_ folder: String, as name: String, depth: Int) {
        for entry in FolderEntries.names(folder, limit: Self.countLimit) ?? []
        where !entry.hasPrefix(".") && files.count < Self.countLimit {
            let path = "\(folder)/\(entry)"
            var status = stat()
            guard lstat(path, &status) == 0 else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFDIR where depth < Self.depthLimit: collect(path, as: "\(name)/\(entry)", depth: depth + 1)
            case S_IFREG:
                guard let type = MediaType.of(entry), status.st_size <= Self.sizeLimit else { continue }
                files["\(name)/\(entry)"] = File(
                    path: path, type: type, device: UInt64(status.st_dev), node: UInt64(status.st_ino))
            default: continue
            }
        }
    }

    private static func resolved(_ path: String) -> String? {
        realpath(path, nil).map { resolved in
            defer { free(resolved) }
            return String(cString: resolved)
        }
    }
}
