// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

extension TraceCursor {
    /// The warnings as sentences, and one that counts those that were not kept.
    package var warningTexts: [String] {
        let rest = warningCount - warnings.count
        return warnings.map(\.description) + (rest > 0 ? ["\(rest) more lines could not be read as they should"] : [])
    }
}
