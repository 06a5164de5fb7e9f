// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls

/// The files of a folder that may declare accessories.
struct FolderListing {
    /// The first ones by name.
    var paths: [String] = []
    /// Why they are not all of them.
    var problem: DeviceError?
    /// False when the machine could not tell what is there, as when no descriptor is left.
    var isKnown = true
    /// True when it may tell another time, though nobody changes anything.
    var isPassing = false
    private let prefix: String

    /// Looks at a folder.
    init(_ folder: String, limit: Int) {
        prefix = folder.hasSuffix("/") ? folder : folder + "/"
        guard var entries = FolderEntries(folder) else {
            fail(folder, call: "opendir", errno: errno)
            return
        }
        var names: [String] = []
        var isWhole = true
        while let name = entries.next() {
            guard name.hasSuffix(".json"), !name.hasPrefix(".") else { continue }
            names.append(name)
            // The memory for names has to have an end; the first ones are the same in whichever order they come.
            if names.count >= 16 * limit {
                names.sort()
                names.removeLast(names.count - limit)
                isWhole = false
            }
        }
        guard entries.failure == 0 else {
            fail(folder, call: "readdir", errno: entries.failure)
            return
        }
        names.sort()
        if names.count > limit {
            names.removeLast(names.count - limit)
            isWhole = false
        }
        paths = names.map { prefix + $0 }
        guard !isWhole else { return }
        problem = DeviceError(
            .invalidConfiguration,
            "The folder \(ShownText.cleaned(folder)) has more than \(limit) files. The first ones by name are used.")
    }

    /// True for what would be a file of the folder.
    func holds(_ path: String) -> Bool {
        path.hasPrefix(prefix) && !path.dropFirst(prefix.count).contains("/")
    }

    private mutating func fail(_ folder: String, call: String, errno number: Int32) {
        let code: DeviceError.Code
        let words: String
        switch number {
        case ENOENT, ENOTDIR:
            code = .notFound
            words = "does not exist yet. It is waited for."
        case EACCES, EPERM:
            code = .permissionDenied
            words = "may not be read by this user. Change its mode."
            isKnown = false
        default:
            code = .inputOutput
            words = "cannot be read now. What was found there before still counts, and it is looked at again."
            isKnown = false
            isPassing = true
        }
        problem = DeviceError(
            code, "The folder of declared accessories \(ShownText.cleaned(folder)) \(words)",
            cause: .system(call: call, errno: number))
    }
}
