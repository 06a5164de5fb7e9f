// SPDX-License-Identifier: Apache-2.0

import DashboardPage
import DeviceCore
import SystemCalls

/// The page, which is embedded in the program, and the JavaScript libraries installed on the system.
struct StaticContent: Sendable {
    let assets: AssetFolder

    func response(_ path: String) -> HTTPResponse? {
        if path == "/" { return page("index.html") }
        let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 2 else { return nil }
        switch parts[0] {
        case "page" where parts.count == 2: return page(String(parts[1]))
        case "assets":
            let name = parts.dropFirst().joined(separator: "/")
            guard let file = assets.file(name), let bytes = file.read() else { return nil }
            return HTTPResponse(type: file.type, body: bytes)
        default: return nil
        }
    }

    private func page(_ name: String) -> HTTPResponse? {
        PageFile.all.first { $0.name == name }.map { HTTPResponse(type: $0.type, body: $0.bytes) }
    }
}

package struct PageFile {
    package let name: String
    package let type: String
    package let bytes: [UInt8]

    package static let all: [PageFile] = {
        let files = UnsafeBufferPointer(start: DashboardPage_files(), count: Int(DashboardPage_count()))
        return files.compactMap { file in
            guard let name = file.name, let type = file.type, let start = file.start, let end = file.end else {
                return nil
            }
            return PageFile(
                name: String(cString: name), type: String(cString: type),
                bytes: [UInt8](UnsafeBufferPointer(start: start, count: end - start)))
        }
    }()
}

enum MediaType {
    private static let types = [
        "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
        "svg": "image/svg+xml; charset=utf-8", "png": "image/png",
    ]

    static func of(_ name: String) -> String? {
        name.split(separator: ".", omittingEmptySubsequences: false).last.flatMap { types[String($0)] }
    }
}

/// The installed JavaScript libraries used by the page. Only regular files that existed at startup are served. Symbolic
/// links below the library folders are ignored.
package struct AssetFolder: Sendable {
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

        /// Returns the content, or nil if the file has been replaced since startup.
        func read() -> [UInt8]? {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            var status = stat()
            guard fstat(descriptor, &status) == 0, UInt64(status.st_dev) == device, UInt64(status.st_ino) == node else {
                return nil
            }
            return try? FileIO.read("/proc/self/fd/\(descriptor)", limit: AssetFolder.sizeLimit)
        }
    }

    /// The maximum size of a file, in bytes.
    static let sizeLimit = 4 << 20
    private static let countLimit = 500
    /// The maximum depth of nested folders, including the library folder.
    private static let depthLimit = 3

    private var files: [String: File] = [:]

    /// - Parameter root: The folder that contains the library folders.
    package init(root: String = "/usr/share/javascript") {
        for library in Library.all {
            // The library folder itself may be a symbolic link, for example one created by an administrator. Links
            // inside the folder are ignored.
            guard let folder = Self.resolved("\(root)/\(library.folder)") else { continue }
            collect(folder, as: library.folder, depth: 1)
        }
    }

    package func contains(_ library: Library) -> Bool {
        library.files.allSatisfy { files["\(library.folder)/\($0)"] != nil }
    }

    func file(_ name: String) -> File? { files[name] }

    private mutating func collect(_ folder: String, as name: String, depth: Int) {
        for entry in DirectoryEntries.names(folder, limit: Self.countLimit) ?? []
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
