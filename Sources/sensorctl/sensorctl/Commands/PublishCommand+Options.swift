// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore

/// The options that determine the MQTT topics and the client ID.
struct PublisherIdentity: ParsableArguments {
    @Option(help: "The second level of the topic. The default is the name of the current user.") var user: String?
    @Option(help: "The third level of the topic. The default is the name of this machine.") var device: String?
    @Option(help: "The topic for positions. The default is owntracks/USER/DEVICE.") var topic: String?

    @Option(
        name: .customLong("client-id"),
        help: .init(
            "The MQTT client identifier. The default is USER-DEVICE. If another client with the same identifier is connected, the broker disconnects it.",
            valueName: "name"))
    var clientID: String?

    static var currentUser: String {
        level(getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? "user\(geteuid())")
    }

    static var hostName: String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return "board" }
        let name = bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return level(String(decoding: name.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self))
    }

    /// Removes all characters that are unsafe in an MQTT topic level. Returns "board" if no characters remain.
    private static func level(_ name: String) -> String {
        let safe = name.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
        return safe.isEmpty ? "board" : safe
    }
}

struct BrokerOptions: ParsableArguments {
    @Option(help: .init("A file that contains one line in the form name:password.", valueName: "file"))
    var passwordFile: String?

    @Option(
        help: .init(
            "The CA certificates with which to verify the broker's certificate, in PEM format. By default, the CA certificates of the system are used.",
            valueName: "file"))
    var caFile: String?

    @Option(help: .init("This client's certificate, in PEM format.", valueName: "file"))
    var certificateFile: String?
    @Option(help: .init("The private key for this client's certificate, in PEM format.", valueName: "file"))
    var keyFile: String?
    @Option(
        help: "The keep-alive interval of the MQTT connection, in seconds. The default is 30.",
        transform: Seconds.parseWhole)
    var keepAlive: Int?

    var files: BrokerCredentialFiles {
        BrokerCredentialFiles(password: passwordFile, authorities: caFile, certificate: certificateFile, key: keyFile)
    }

    var requiresTLS: Bool { caFile != nil || certificateFile != nil || keyFile != nil }
}

/// A kind of motion sensor, specified on the command line by its name in traces or its display name.
struct SensorKindName: ExpressibleByArgument, Hashable {
    let kind: SensorKind

    init?(argument: String) {
        guard let kind = SensorKind.allCases.first(where: { [$0.rawValue, $0.name].contains(argument) }) else {
            return nil
        }
        self.kind = kind
    }

    static var list: String { SensorKind.allCases.map(\.rawValue).joined(separator: ", ") }
    static var allValueStrings: [String] { SensorKind.allCases.map(\.rawValue) }
}
