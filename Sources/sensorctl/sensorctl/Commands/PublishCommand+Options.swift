// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore

/// Who publishes.
struct PublisherIdentity: ParsableArguments {
    @Option(help: "The second level of the topic; this program's user unless given.")
    var user: String?

    @Option(help: "The third level of the topic; the name of this machine unless given.")
    var device: String?

    @Option(help: "Publish positions there and not on owntracks/USER/DEVICE.")
    var topic: String?

    @Option(
        name: .customLong("client-id"),
        help: ArgumentHelp(
            "What the broker knows this program by; USER-DEVICE unless given. It ends an older connection of that name.",
            valueName: "name"))
    var clientID: String?

    /// The name of whoever runs this, with nothing in it that no topic may have.
    static var currentUser: String {
        level(getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? "user\(geteuid())")
    }

    /// The first part of this machine's name.
    static var hostName: String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return "board" }
        let name = bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return level(String(decoding: name.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self))
    }

    private static func level(_ name: String) -> String {
        let safe = name.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
        return safe.isEmpty ? "board" : safe
    }
}

/// How the broker lets this program in.
struct BrokerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A file of one line, name:password.", valueName: "file"))
    var passwordFile: String?

    @Option(
        help: ArgumentHelp(
            "Who may sign the broker's certificate, in PEM; the system's authorities unless given.", valueName: "file"))
    var caFile: String?

    @Option(help: ArgumentHelp("This client's certificate, in PEM.", valueName: "file"))
    var certificateFile: String?

    @Option(help: ArgumentHelp("The key of that certificate, in PEM.", valueName: "file"))
    var keyFile: String?

    @Option(help: "Seconds after which an idle connection is tried; 30 unless given.")
    var keepAlive: Int?

    var files: BrokerFiles {
        BrokerFiles(password: passwordFile, authorities: caFile, certificate: certificateFile, key: keyFile)
    }

    var namesTLS: Bool { caFile != nil || certificateFile != nil || keyFile != nil }
}

/// A kind of motion sensor, by its name in traces or what people call it.
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
