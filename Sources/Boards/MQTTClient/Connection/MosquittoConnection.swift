// SPDX-License-Identifier: Apache-2.0

#if LibMosquitto
import CLibMosquitto
import DeviceCore

/// A connection that uses libmosquitto. All methods and callbacks run on the same thread.
final class MosquittoConnection: BrokerConnection {
    private let settings: BrokerSettings
    private let wakeUp: WakeupPipe
    private let clock: any DeviceClock
    private let client: OpaquePointer
    private let events = MosquittoEvents()
    private let connectDeadline: BootTime
    private var isConnected = false

    /// Initializes the library once per process. The library is never cleaned up, because other code in the process may
    /// use it too.
    private static let library: Int32 = mosquitto_lib_init()

    init(_ settings: BrokerSettings, wakeUp: WakeupPipe, clock: any DeviceClock) throws(DeviceError) {
        _ = Self.library
        let context = Unmanaged.passUnretained(events).toOpaque()
        guard let client = mosquitto_new(settings.clientID, true, context) else {
            throw DeviceError(
                .busy, "libmosquitto cannot create a client for \(settings.address).",
                cause: .system(call: "mosquitto_new", errno: errno))
        }
        (self.client, self.settings, self.wakeUp, self.clock) = (client, settings, wakeUp, clock)
        connectDeadline = clock.now.advanced(bySeconds: settings.connectTimeout)
        MosquittoEvents.setCallbacks(of: client)
        dsmosquitto_set_prompt(client)
        try configure()
        let result = mosquitto_connect_async(
            client, settings.address.host, Int32(settings.address.port), settings.keepAlive)
        guard result == dsmosquitto_ok else { throw failure(result, call: "mosquitto_connect_async") }
    }

    deinit { mosquitto_destroy(client) }

    private func configure() throws(DeviceError) {
        let files = settings.files
        if let path = files.password {
            let credentials = try BrokerCredentials(path: path)
            try check(
                mosquitto_username_pw_set(client, credentials.name, credentials.password),
                call: "mosquitto_username_pw_set")
        }
        if settings.address.usesTLS {
            try BrokerCredentials.check(files)
            let result = dsmosquitto_set_tls(client, files.authorities, files.certificate, files.key)
            guard result == dsmosquitto_ok else {
                let names = [files.authorities, files.certificate, files.key].compactMap(\.self).joined(separator: ", ")
                throw DeviceError(
                    .invalidConfiguration,
                    "TLS does not accept \(names.isEmpty ? "the system's certificates" : names). Use files in PEM format, and a key without a passphrase.",
                    cause: .library(name: "libmosquitto", code: result))
            }
        }
        if let will = settings.will {
            try check(
                mosquitto_will_set(
                    client, will.topic, Int32(clamping: will.payload.count), will.payload, 1, will.isRetained),
                call: "mosquitto_will_set")
        }
    }

    func poll(until deadline: BootTime) throws(DeviceError) -> [BrokerEvent] {
        // libmosquitto sends pings only in its loop functions, which are not called during a wait. A wait is therefore
        // limited to a quarter of the keep-alive interval.
        let pollDeadline = clock.now.advanced(bySeconds: Double(settings.keepAlive) / 4)
        let end = min(deadline, isConnected ? .never : connectDeadline, pollDeadline)
        let descriptor = mosquitto_socket(client)
        guard descriptor >= 0 else { throw events.failure.map { failure($0, call: "mosquitto_loop") } ?? lost() }
        let pollEvents = mosquitto_want_write(client) ? Int16(POLLIN) | Int16(POLLOUT) : Int16(POLLIN)
        if wakeUp.wait(for: descriptor, events: pollEvents, until: end, clock: clock) {
            try loop(mosquitto_loop_read(client, 1), call: "mosquitto_loop_read")
        }
        if mosquitto_want_write(client) { try loop(mosquitto_loop_write(client, 1), call: "mosquitto_loop_write") }
        try loop(mosquitto_loop_misc(client), call: "mosquitto_loop_misc")
        if let refusal = events.refusal { throw refused(refusal) }
        let received = events.drain()
        if received.contains(.connected) { isConnected = true }
        if !isConnected, clock.now >= connectDeadline {
            throw DeviceError(
                .unreachable,
                "\(settings.address) has not responded for \(settings.connectTimeout) s. Check the host and the port, and that a broker listens there\(settings.address.usesTLS ? " with TLS" : "")."
            )
        }
        return received
    }

    func publish(_ message: BrokerMessage) throws(DeviceError) -> Int32 {
        var number: Int32 = 0
        let result = mosquitto_publish(
            client, &number, message.topic, Int32(clamping: message.payload.count), message.payload, 1,
            message.isRetained)
        guard result == dsmosquitto_ok else { throw failure(result, call: "mosquitto_publish") }
        return number
    }

    func subscribe(to topic: String) throws(DeviceError) {
        var number: Int32 = 0
        try check(mosquitto_subscribe(client, &number, topic, 1), call: "mosquitto_subscribe")
        events.pendingSubscriptions[number] = topic
    }

    func disconnect() {
        guard mosquitto_disconnect(client) == dsmosquitto_ok else { return }
        // Waits up to 1 s for buffered data to be sent.
        let deadline = clock.now.advanced(bySeconds: 1)
        while mosquitto_want_write(client), clock.now < deadline, mosquitto_socket(client) >= 0 {
            _ = wakeUp.wait(for: mosquitto_socket(client), events: Int16(POLLOUT), until: deadline, clock: clock)
            if mosquitto_loop_write(client, 1) != dsmosquitto_ok { return }
        }
    }

    // MARK: Errors

    private func check(_ result: Int32, call: String) throws(DeviceError) {
        guard result == dsmosquitto_ok else { throw failure(result, call: call) }
    }

    private func loop(_ result: Int32, call: String) throws(DeviceError) {
        guard result != dsmosquitto_ok else { return }
        // If the broker has rejected the connection, libmosquitto's error is less specific than the broker's return
        // code, so the return code is reported.
        if let refusal = events.refusal { throw refused(refusal) }
        throw failure(result, call: call)
    }

    private func failure(_ result: Int32, call: String) -> DeviceError {
        let number = errno  // Read first, because the following calls may change it.
        let broker = "the broker at \(settings.address)"
        let cause = DeviceError.Cause.library(
            name: "libmosquitto, \(String(cString: mosquitto_strerror(result)))", code: result)
        switch result {
        case dsmosquitto_errno where !isConnected:
            return DeviceError(
                .unreachable,
                "The connection to \(broker) failed. Check the host and the port, and that a broker listens there.",
                cause: .system(call: call, errno: number))
        case dsmosquitto_lookup:
            return DeviceError(
                .unreachable, "The host of \(settings.address) is unknown. Check its name.", cause: cause)
        case dsmosquitto_tls, dsmosquitto_tls_handshake:
            return DeviceError(
                .permissionDenied,
                "The TLS handshake with \(broker) failed. Its certificate must name this host and be signed by an authority in DEVICE_SERVICES_MQTT_CA_FILE (or of the system), and this machine's clock must be correct.",
                cause: cause)
        case dsmosquitto_keepalive:
            return DeviceError(.silent, "\(settings.address) stopped responding. Reconnecting.")
        case dsmosquitto_no_memory:
            return DeviceError(.busy, "The system is out of memory for the connection to \(broker).", cause: cause)
        case dsmosquitto_protocol where !isConnected:
            return DeviceError(
                .unreachable, "The server at \(settings.address) does not speak MQTT. Check the port.", cause: cause)
        default: return lost(cause)
        }
    }

    private func lost(_ cause: DeviceError.Cause? = nil) -> DeviceError {
        guard isConnected else {
            return DeviceError(
                .unreachable,
                "\(settings.address) closed the connection before it accepted this client. Check the port, and whether the broker requires TLS or a certificate there.",
                cause: cause)
        }
        return DeviceError(
            .connectionLost,
            "The connection to the broker at \(settings.address) is lost. Retrying until it responds.\(clientIDHint)",
            cause: cause)
    }

    private var clientIDHint: String {
        settings.clientID.map { " If this happens repeatedly, another client also uses the client ID \($0)." } ?? ""
    }

    /// Returns the error for a CONNACK return code (MQTT 3.1.1, section 3.2.2.3).
    private func refused(_ returnCode: Int32) -> DeviceError {
        let (code, message): (DeviceError.Code, String) =
            switch returnCode {
            case 1: (.notSupported, "does not speak MQTT 3.1.1")
            case 2: (.invalidConfiguration, "rejects the client ID \(settings.clientID ?? "")")
            case 3: (.unreachable, "is not ready")
            case 4:
                (
                    .permissionDenied,
                    "rejects the user name and the password. Check them in the file of DEVICE_SERVICES_MQTT_PASSWORD_FILE or --password-file"
                )
            default:
                (
                    .permissionDenied,
                    "rejects this client. If it requires a password, specify its file with DEVICE_SERVICES_MQTT_PASSWORD_FILE or --password-file"
                )
            }
        return DeviceError(code, "The broker at \(settings.address) \(message).")
    }
}
#endif
