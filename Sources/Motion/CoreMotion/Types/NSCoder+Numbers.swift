// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import Foundation

extension NSCoder {
    /// Writes numbers with every bit of them.
    func encode(numbers: [Double], forKey key: String) {
        guard allowsKeyedCoding else { return }
        encode(words: numbers.map(\.bitPattern), forKey: key)
    }

    /// Reads `count` numbers, which never come up short; nil when the archive holds something else.
    func decodeNumbers(_ count: Int, forKey key: String) -> [Double]? {
        decodeWords(count, forKey: key)?.map(Double.init(bitPattern:))
    }
}
