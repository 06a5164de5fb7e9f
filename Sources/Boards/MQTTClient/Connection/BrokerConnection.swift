// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// A message for a broker, delivered at least once (QoS 1).
package struct BrokerMessage: Sendable, Equatable {
    package var topic: String
    package var payload: [UInt8]
    /// True if the broker retains the message for future subscribers.
    package var isRetained: Bool

    package init(topic: String, payload: [UInt8], isRetained: Bool) {
        (self.topic, self.payload, self.isRetained) = (topic, payload, isRetained)
    }
}

package enum BrokerEvent: Sendable, Equatable {
    case connected
    /// The broker has acknowledged the message with this ID.
    case delivered(Int32)
    case subscribed(topic: String, isAllowed: Bool)
    /// A message on a subscribed topic. `isRetained` is true if the message was published before the subscription.
    case message(topic: String, payload: [UInt8], isRetained: Bool)

    /// The maximum size of a payload, in bytes. A longer payload is truncated to this size plus one byte. The extra
    /// byte reveals to the receiver that the payload is too long.
    package static let payloadLimit = 65_536
}

package struct BrokerSettings: Sendable {
    package var address: BrokerAddress
    package var files: BrokerCredentialFiles
    /// The client ID. If nil, an ID is generated. The broker closes any existing connection with the same client ID.
    package var clientID: String?
    /// The keep-alive interval, in seconds. If no messages are exchanged for this long, the client pings the broker.
    package var keepAlive: Int32
    /// The timeout for the broker to accept the connection, in seconds.
    package var connectTimeout = 10.0
    /// The message that the broker publishes if the connection is lost.
    package var will: BrokerMessage?

    package init(
        address: BrokerAddress, files: BrokerCredentialFiles, clientID: String?, keepAlive: Int32 = 30,
        will: BrokerMessage? = nil
    ) {
        (self.address, self.files, self.clientID) = (address, files, clientID)
        (self.keepAlive, self.will) = (keepAlive, will)
    }
}

/// A connection to a broker. Must be used on a single thread.
package protocol BrokerConnection: AnyObject {
    /// Waits until an event arrives, the wakeup pipe is signalled or the deadline passes. May return early with no
    /// events. Throws an error if the connection has ended.
    func poll(until deadline: BootTime) throws(DeviceError) -> [BrokerEvent]
    /// Sends a message and returns its ID. The broker acknowledges it with `BrokerEvent.delivered`.
    func publish(_ message: BrokerMessage) throws(DeviceError) -> Int32
    /// Requests a subscription. The broker replies with `BrokerEvent.subscribed`.
    func subscribe(to topic: String) throws(DeviceError)
    /// Disconnects. The broker then discards the will without publishing it.
    func disconnect()
}

/// A function that starts connecting to a broker and returns the connection, which delivers ``BrokerEvent/connected``
/// once the broker has accepted it.
package typealias BrokerOpener =
    @Sendable (BrokerSettings, WakeupPipe, any DeviceClock) throws(DeviceError) -> any BrokerConnection

/// Creates connections that use libmosquitto.
package enum Broker {
    /// The error to report if the program was built without libmosquitto, or nil otherwise.
    package static var unavailability: DeviceError? {
        #if LibMosquitto
        nil
        #else
        missing
        #endif
    }

    package static let open: BrokerOpener = { settings, wakeUp, clock throws(DeviceError) in
        #if LibMosquitto
        return try MosquittoConnection(settings, wakeUp: wakeUp, clock: clock)
        #else
        throw missing
        #endif
    }

    #if !LibMosquitto
    private static let missing = DeviceError(
        .notSupported,
        "This program was built without the trait LibMosquitto, so it cannot connect to MQTT brokers. Install libmosquitto-dev and build with --traits default,LibMosquitto. An app adds the trait to this package's dependency in its Package.swift: traits: [.defaults, \"LibMosquitto\"]."
    )
    #endif
}
