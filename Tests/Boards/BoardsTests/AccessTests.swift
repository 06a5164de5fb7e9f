// SPDX-License-Identifier: Apache-2.0

import MQTTClient
import DeviceCore
import Foundation
import Testing

@Suite("Broker addresses and access files")
struct AccessTests {
    @Test(
        "Every form of an address is accepted",
        arguments: [
            ("mqtt://h", "mqtt://h:1883"), ("mqtts://h", "mqtts://h:8883"), ("MQTT://h:99/", "mqtt://h:99"),
            ("mqtts://[::1]:1", "mqtts://[::1]:1"), ("mqtt://", "mqtt://localhost:1883"),
        ])
    func addresses(text: String, expected: String) throws {
        #expect(try BrokerAddress(text).description == expected)
        #expect(try BrokerAddress(expected) == BrokerAddress(text))
    }

    @Test(
        "An invalid address is rejected with a reason",
        arguments: [
            ("h", "does not begin"), ("gpsd://h", "does not begin"), ("mqtt://h/t", "topic"),
            ("mqtt://a:b@h", "must be in a file"),
            ("mqtt://h:0", "port"), ("mqtt://a b", "host"), ("", "does not begin"),
        ])
    func noAddresses(text: String, part: String) {
        let error = #expect(throws: DeviceError.self) { try BrokerAddress(text) }
        #expect(error?.code == .invalidConfiguration && error?.message.contains(part) == true)
        // Errors are logged, so they must not contain the password.
        #expect(error?.message.contains("a:b@") == false)
    }

    @Test("A board's topic at a broker is a valid position source address")
    func boards() throws {
        let address = try PositionSourceAddress("mqtts://broker.example/owntracks/fleet/car7")
        #expect(address.client == .mqtts && address.host == "broker.example" && address.port == 8883)
        #expect(address.topic == "owntracks/fleet/car7")
        #expect(address.description == "mqtts://broker.example:8883/owntracks/fleet/car7")
        #expect(try PositionSourceAddress(address.description) == address)
    }

    @Test(
        "A position source address at a broker requires one complete topic without wildcards",
        arguments: [
            "mqtt://h", "mqtt://h/", "mqtt://h/a//b", "mqtt://h/a/+/b", "mqtt://h/#", "mqtt://h/$SYS", "mqtt://u:p@h/a",
        ])
    func noBoards(_ text: String) {
        #expect(throws: DeviceError.self) { try PositionSourceAddress(text) }
    }

    private final class Secret {
        let path = NSTemporaryDirectory() + "secret-\(UUID().uuidString)"

        init(_ text: String, mode: mode_t = 0o600) throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            chmod(path, mode)
        }

        deinit { unlink(path) }
    }

    @Test("An access file is one line with name and password, and the password may contain colons")
    func password() throws {
        for end in ["", "\n", "\r\n"] {
            let secret = try Secret("car7:a:b c\(end)")
            let access = try BrokerCredentials(path: secret.path)
            withExtendedLifetime(secret) {}
            #expect(access.name == "car7" && access.password == "a:b c")
        }
    }

    @Test(
        "Malformed access files are rejected without revealing their contents",
        arguments: ["", "hunter2", ":hunter2", "a:hunter2\nb:c", "a:hunter2\0"])
    func noPassword(_ text: String) throws {
        let secret = try Secret(text)
        let error = #expect(throws: DeviceError.self) { try BrokerCredentials(path: secret.path) }
        withExtendedLifetime(secret) {}
        #expect(error?.description.contains("hunter2") == false && error?.description.contains(secret.path) == true)
    }

    @Test(
        "Secrets that other users can read or change are rejected",
        arguments: [0o644, 0o604, 0o606, 0o660, 0o622] as [mode_t])
    func openPassword(_ mode: mode_t) throws {
        let secret = try Secret("a:b", mode: mode)
        let error = #expect(throws: DeviceError.self) { try BrokerCredentials(path: secret.path) }
        #expect(error?.code == .permissionDenied && error?.message.contains("chmod 600") == true)
        let key = BrokerCredentialFiles(certificate: secret.path, key: secret.path)
        #expect(#expect(throws: DeviceError.self) { try BrokerCredentials.check(key) }?.code == .permissionDenied)
        withExtendedLifetime(secret) {}
    }

    @Test("Errors report a certificate without a key, and name missing files")
    func files() throws {
        #expect(
            #expect(throws: DeviceError.self) { try BrokerCredentials.check(BrokerCredentialFiles(certificate: "/x")) }?
                .code
                == .invalidConfiguration)
        let error = #expect(throws: DeviceError.self) {
            try BrokerCredentials.check(BrokerCredentialFiles(authorities: "/none/ca.pem"))
        }
        #expect(error?.code == .notFound && error?.message.contains("/none/ca.pem") == true)
    }

    @Test("Environment variables override the access files of the configuration")
    func configuration() {
        let file = #"{"mqtt":{"passwordFile":"p","caFile":"/ca","keyFile":7,"x":1}}"#
        let configuration = Configuration.load(
            environment: ["DEVICE_SERVICES_CONFIG": "/c/config.json", "DEVICE_SERVICES_MQTT_CA_FILE": "/other"],
            readFile: { _ in Array(file.utf8) })
        #expect(configuration.brokerFiles.value == BrokerCredentialFiles(password: "/c/p", authorities: "/other"))
        #expect(configuration.problems.contains { $0.message.contains("mqtt.keyFile") })
        #expect(configuration.problems.contains { $0.message.contains("mqtt.x") })
    }
}
