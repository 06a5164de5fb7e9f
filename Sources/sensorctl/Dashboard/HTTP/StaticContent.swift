// SPDX-License-Identifier: Apache-2.0

import DashboardPage
import DeviceCore
import SystemCalls

/// The files that the server serves: the page, which is embedded in the program, and the libraries of the system.
struct StaticContent: Sendable {
    private let assets: AssetFolder
    /// A folder whose files replace the embedded ones, for development.
    private let pageFolder: String?

    init(assets: AssetFolder, pageFolder: String?) { (self.assets, self.pageFolder) = (assets, pageFolder) }

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
        guard let file = PageFile.all.first(where: { $0.name == name }) else {
            return pageFolder == nil ? nil : developmentFile(name)
        }
        return developmentFile(name) ?? HTTPResponse(type: file.type, body: file.bytes)
    }

    /// Returns a file of the development folder. Names that lead to other folders are rejected.
    private func developmentFile(_ name: String) -> HTTPResponse? {
        guard let pageFolder, !name.hasPrefix("."), !name.contains("/"), let type = MediaType.of(name),
            let bytes = try? FileIO.read("\(pageFolder)/\(name)", limit: AssetFolder.sizeLimit)
        else { return nil }
        return HTTPResponse(type: type, body: bytes)
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

/// The media types of the files that pages consist of, by filename extension.
enum MediaType {
    private static let types = [
        "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
        "svg": "image/svg+xml; charset=utf-8", "png": "image/png",
    ]

    static func of(_ name: String) -> String? {
        name.split(separator: ".", omittingEmptySubsequences: false).last.flatMap { types[String($0)] }
    }
}
