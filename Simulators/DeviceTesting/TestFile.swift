// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
package import Foundation

/// A file that a test names, and the places where it may be.
package struct TestFile: Sendable {
    var name: String
    /// The only bundle to search, or nil to search all places.
    var bundle: Bundle?
    /// The module and the path of the source file that names the file.
    var fileID: String
    var filePath: String

    package init(name: String, bundle: Bundle?, fileID: String, filePath: String) {
        (self.name, self.bundle, self.fileID, self.filePath) = (name, bundle, fileID, filePath)
    }

    var sourceFolder: String { URL(fileURLWithPath: filePath).deletingLastPathComponent().path }

    /// Returns the path of the file. If the file is missing, throws an error that lists the searched places.
    package func find() throws(DeviceError) -> String {
        if name.hasPrefix("/") {
            if FileManager.default.fileExists(atPath: name) { return name }
            throw DeviceError(.notFound, "The file \"\(name)\" does not exist. Correct its path.")
        }
        if let bundle {
            return try find(
                in: Set([bundle.bundlePath, bundle.resourcePath ?? ""]).sorted().map { ($0, "the bundle") },
                remedy: "Add it to the resources of the bundle's target in Package.swift, or omit the bundle.")
        }
        let bundles = Self.bundles(in: Bundle.main.bundlePath)
        let own = bundles.filter { isOwn($0) }.sorted { $0.count < $1.count }
        var places = own.map { ($0, "the resources of \(module)") }
        if own.isEmpty { places = [("", "the resources of \(module), which has none,")] }
        places.append((sourceFolder, "the directory of the source file"))
        if let root = Self.packageRoot(above: sourceFolder) { places.append((root, "the directory of Package.swift")) }
        let others = bundles.filter { !own.contains($0) && FileManager.default.fileExists(atPath: $0 + "/" + name) }
        if others.count == 1 { places.append((others[0], "the resources of other targets")) }
        let hint = others.count > 1 ? " It is in the resources of several other targets; choose one with bundle:." : ""
        return try find(
            in: places,
            remedy: "Add resources: [.copy(\"\(name)\")] to the test target in Package.swift, or give a path.\(hint)")
    }

    private var module: String { String(fileID.prefix { $0 != "/" }) }

    /// True if the bundle belongs to the module. Bundles are named after the package and the target.
    private func isOwn(_ bundle: String) -> Bool {
        let stem = URL(fileURLWithPath: bundle).deletingPathExtension().lastPathComponent
        return String(stem.map { $0.isLetter || $0.isNumber ? $0 : "_" }).hasSuffix("_" + module)
    }

    private func find(in places: [(folder: String, title: String)], remedy: String) throws(DeviceError) -> String {
        for place in places where !place.folder.isEmpty {
            let path = place.folder + "/" + name
            if FileManager.default.fileExists(atPath: path) { return path }
        }
        let searched = places.map { $0.folder.isEmpty ? $0.title : "\($0.title) (\($0.folder))" }
        throw DeviceError(
            .notFound, "The file \"\(name)\" was not found in \(searched.joined(separator: " or ")). \(remedy)")
    }

    private static func bundles(in folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".resources") || $0.hasSuffix(".bundle") }.sorted().map { folder + "/" + $0 }
    }

    private static func packageRoot(above folder: String) -> String? {
        var url = URL(fileURLWithPath: folder)
        while url.path != "/" {
            if FileManager.default.fileExists(atPath: url.appendingPathComponent("Package.swift").path) {
                return url.path
            }
            url.deleteLastPathComponent()
        }
        return nil
    }
}
