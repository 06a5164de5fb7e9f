// SPDX-License-Identifier: Apache-2.0

#if LibMosquitto
import CLibMosquitto
import DeviceCore

/// A buffer for events from libmosquitto's callbacks. Must be used on a single thread.
final class MosquittoEvents {
    private var events: [BrokerEvent] = []
    /// The topics of pending subscriptions, keyed by message ID.
    var pendingSubscriptions: [Int32: String] = [:]
    /// The broker's return code if it rejected the connection, or nil otherwise.
    private(set) var refusal: Int32?
    /// The libmosquitto error code that ended the connection, or nil.
    private(set) var failure: Int32?

    func drain() -> [BrokerEvent] {
        defer { events = [] }
        return events
    }

    /// Sets a client's callbacks. The client's context must be an instance of this class.
    static func setCallbacks(of client: OpaquePointer) {
        mosquitto_connect_callback_set(client) { _, context, result in
            guard let events = MosquittoEvents.of(context) else { return }
            if result == 0 { events.events.append(.connected) } else { events.refusal = result }
        }
        mosquitto_disconnect_callback_set(client) { _, context, result in
            if result != 0 { MosquittoEvents.of(context)?.failure = result }
        }
        mosquitto_publish_callback_set(client) { _, context, number in
            MosquittoEvents.of(context)?.events.append(.delivered(number))
        }
        mosquitto_subscribe_callback_set(client) { _, context, number, count, granted in
            guard let events = MosquittoEvents.of(context),
                let topic = events.pendingSubscriptions.removeValue(forKey: number)
            else { return }
            // The broker grants a quality of service from 0 to 2, or rejects the subscription by returning 128.
            let isGranted = count > 0 && (granted?.pointee ?? 128) < 3
            events.events.append(.subscribed(topic: topic, isAllowed: isGranted))
        }
        mosquitto_message_callback_set(client) { _, context, message in
            guard let message = message?.pointee, let topic = message.topic else { return }
            let payload = UnsafeRawBufferPointer(start: message.payload, count: max(0, Int(message.payloadlen)))
            // Keeps one byte beyond the limit, so that the receiver can detect that the payload is too long.
            let bytes = [UInt8](payload.prefix(BrokerEvent.payloadLimit + 1))
            MosquittoEvents.of(context)?.events.append(
                .message(topic: String(cString: topic), payload: bytes, isRetained: message.retain))
        }
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> MosquittoEvents? {
        context.map { Unmanaged<MosquittoEvents>.fromOpaque($0).takeUnretainedValue() }
    }
}

#endif
