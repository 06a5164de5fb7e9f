// SPDX-License-Identifier: Apache-2.0

import JSONBytes

/// What makes Home Assistant find a board by itself: a device tracker whose attributes are read from the board's locations.
package struct HomeAssistantDiscovery: Sendable {
    /// The topic of the board's locations.
    package var topic: String
    /// Where the board says that it is online, or its broker that it is not.
    package var availability: String
    /// Names the board; letters, digits, - and _ only stay of it.
    package var identifier: String
    /// What people see.
    package var name: String

    package init(topic: String, identifier: String, name: String) {
        self.topic = topic
        availability = Self.availability(of: topic)
        self.identifier = Self.identifier(identifier)
        self.name = name
    }

    /// Where it is told whether the board of a topic is online.
    package static func availability(of topic: String) -> String { topic + "/availability" }

    package static let online = Array("online".utf8)
    package static let offline = Array("offline".utf8)

    /// Where Home Assistant looks for such messages, unless it was told otherwise.
    package var configurationTopic: String { "homeassistant/device_tracker/\(identifier)/config" }

    /// The message, which is to be retained.
    package func json() -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            // The device has the name; null makes the tracker its main entity.
            writer.member("name", nil as String?)
            writer.member("unique_id", identifier)
            writer.member("object_id", identifier)
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

    /// The attributes of a tracker, out of a location. So each fix is sent once, for all who read it.
    private static let attributes = """
        {{ {'latitude': value_json.lat, 'longitude': value_json.lon, 'gps_accuracy': value_json.acc | default(0), \
        'altitude': value_json.alt | default(none), 'speed': value_json.vel | default(none), \
        'course': value_json.cog | default(none), 'last_fix': value_json.tst} | tojson }}
        """

    private static func identifier(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    switch scalar {
                    case "a"..."z", "A"..."Z", "0"..."9", "-", "_": scalar
                    default: "_"
                    }
                }))
    }
}
