// SPDX-License-Identifier: Apache-2.0

/// The names of topics at a broker.
package enum TopicName {
    /// The most bytes of one. MQTT allows 65535.
    package static let limit = 512

    /// What is wrong with the name of a single topic, in words that follow "the topic"; nil when nothing is.
    package static func problem(_ topic: String) -> String? {
        if topic.isEmpty { return "is empty" }
        if topic.utf8.count > limit { return "is longer than \(limit) bytes" }
        if topic.utf8.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "#") }) {
            return "has a wildcard, and one topic is needed"
        }
        if topic.unicodeScalars.contains(where: { $0.value <= 0x20 || $0.properties.generalCategory == .control }) {
            return "has a blank or a control character"
        }
        if topic.hasPrefix("$") { return "begins with $, which belongs to the broker" }
        if topic.split(separator: "/", omittingEmptySubsequences: false).contains("") { return "has an empty level" }
        return nil
    }
}
