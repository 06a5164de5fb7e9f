// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// A message for a broker, at least once (QoS 1).
package struct BrokerMessage: Sendable, Equatable {
    package var topic: String
    package var payload: [UInt8]
    /// True for the broker to keep it for those who come later.
    package var isRetained: Bool

    package init(topic: String, payload: [UInt8], isRetained: Bool) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
    }
}

/// What happens on a connection to a broker.
package enum BrokerEvent: Sendable, Equatable {
    /// The broker has let this client in.
    case connected
    /// It has taken the message of that number.
    case delivered(Int32)
    /// It has answered a wish to follow a topic, which this client may or may not.
    case following(topic: String, isAllowed: Bool)
    /// A message on a topic that is followed. It is retained when it was sent before this client came.
    case message(topic: String, payload: [UInt8], isRetained: Bool)

    /// The most bytes of a payload that matter; one that is longer is cut off behind one more.
    package static let payloadLimit = 65_536
}

/// How to connect to a broker.
package struct BrokerSettings: Sendable {
    package var address: BrokerAddress
    package var files: BrokerFiles
    /// Names this client; the broker ends the connection of another one of that name. Nil for a name of no account.
    package var clientID: String?
    /// Seconds after which an idle connection is tried; one that does not answer is lost.
    package var keepAlive: Int32
    /// Seconds that it may take until the broker has let this client in.
    package var patience = 10.0
    /// What the broker publishes when the connection breaks off.
    package var will: BrokerMessage?

    package init(
        address: BrokerAddress, files: BrokerFiles, clientID: String?, keepAlive: Int32 = 30, will: BrokerMessage? = nil
    ) {
        self.address = address
        self.files = files
        self.clientID = clientID
        self.keepAlive = keepAlive
        self.will = will
    }
}

/// A connection to a broker, for one thread.
package protocol BrokerLink: AnyObject {
    /// Waits until something happens, the wake-up rings or the deadline passes, and tells what has happened. The error says
    /// why there is no connection any more.
    func work(until deadline: BootTime) throws(DeviceError) -> [BrokerEvent]
    /// Sends a message and returns its number.
    func publish(_ message: BrokerMessage) throws(DeviceError) -> Int32
    /// Asks for the messages of a topic.
    func follow(_ topic: String) throws(DeviceError)
    /// Ends the connection in order: the broker publishes no will then.
    func end()
}

/// Makes a connection, which is not there yet: ``BrokerEvent/connected`` tells of it.
package typealias BrokerOpener =
    @Sendable (BrokerSettings, WakeUp, any DeviceClock) throws(DeviceError) -> any BrokerLink

/// Connections through libmosquitto.
package enum Broker {
    /// Why there are none in a build without the library; nil with it.
    package static var absence: DeviceError? {
        #if LibMosquitto
        nil
        #else
        missing
        #endif
    }

    package static let open: BrokerOpener = { settings, wakeUp, clock throws(DeviceError) in
        #if LibMosquitto
        return try MosquittoLink(settings, wakeUp: wakeUp, clock: clock)
        #else
        throw missing
        #endif
    }

    #if !LibMosquitto
    private static let missing = DeviceError(
        .notSupported,
        "This build has the trait LibMosquitto off and reaches no MQTT broker. Install libmosquitto-dev and build with --traits default,LibMosquitto; an app names the trait where its Package.swift names this package: traits: [.defaults, \"LibMosquitto\"]."
    )
    #endif
}
