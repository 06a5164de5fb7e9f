// SPDX-License-Identifier: Apache-2.0

import JSONBytes

/// A Home Assistant discovery message for a device tracker that reads a board's location messages.
package struct HomeAssistantDiscovery: Sendable {
    /// The topic on which the board publishes locations.
    package var topic: String
    /// The topic on which the board's availability ("online" or "offline") is published. If the board loses its
    /// connection, the broker publishes the board's will, "offline".
    package var availability: String
    /// The board's unique ID. Characters other than letters, digits, "-" and "_" are replaced with "_".
    package var identifier: String
    package var name: String

    package init(topic: String, identifier: String, name: String) {
        self.topic = topic
        availability = Self.availability(of: topic)
        self.identifier = identifier.replacingCharacters(exceptAlphanumericsAnd: "-_")
        self.name = name
    }

    package static func availability(of topic: String) -> String { topic + "/availability" }

    package static let online = Array("online".utf8)
    package static let offline = Array("offline".utf8)

    /// The discovery message's topic, with Home Assistant's default prefix.
    package var configurationTopic: String { "homeassistant/device_tracker/\(identifier)/config" }

    /// Returns the discovery message, which the broker must retain.
    package func json() -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            // A null name makes the tracker the device's main entity, which takes the device's name.
            writer.member("name", nil as String?)
            writer.member("unique_id", identifier)
            // Home Assistant 2026.4 and later ignore the former member "object_id".
            writer.member("default_entity_id", "device_tracker.\(identifier)")
            writer.member("source_type", "gps")
            writer.member("json_attributes_topic", topic)
            writer.member("json_attributes_template", Self.attributes)
            writer.member("availability_topic", availability)
            writer.object("device") { writer in
                writer.member("identifiers", [identifier])
                writer.member("name", name)
                writer.member("manufacturer", "swift-device-services")
                writer.member("model", "sensorctl publish")
            }
        }
        return writer.bytes
    }

    /// The template that extracts a tracker's attributes from a location message.
    private static let attributes = """
        {{ {'latitude': value_json.lat, 'longitude': value_json.lon, 'gps_accuracy': value_json.acc | default(0), \
        'altitude': value_json.alt | default(none), 'speed': value_json.vel | default(none), \
        'course': value_json.cog | default(none), 'last_fix': value_json.tst} | tojson }}
        """
}

extension String {
    /// Replaces all characters other than ASCII letters, ASCII digits and the given characters with "_".
    func replacingCharacters(exceptAlphanumericsAnd others: String) -> String {
        let scalars = unicodeScalars.map { scalar -> Unicode.Scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9": scalar
            default: others.unicodeScalars.contains(scalar) ? scalar : "_"
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }
}
