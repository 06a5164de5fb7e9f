// swift-tools-version: 6.2
import PackageDescription

// Swift 6 language mode, and the upcoming features that keep a public surface small and explicit.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let log: Target.Dependency = .product(name: "Logging", package: "swift-log")

let package = Package(
    name: "swift-device-services",
    products: [
        .library(name: "CoreLocation", targets: ["CoreLocation", "CoreLocationSubmodules"]),
        .library(name: "CoreMotion", targets: ["CoreMotion", "CoreMotionSubmodules"]),
        .library(name: "ExternalAccessory", targets: ["ExternalAccessory", "ExternalAccessorySubmodules"]),
        .library(name: "DeviceSupport", targets: ["DeviceSupport"]),
        .library(name: "SimulatedDevice", targets: ["SimulatedDevice", "Trace"]),
        .library(name: "GPSDSimulator", targets: ["GPSDSimulator", "DeviceCore", "Trace"]),
        .library(
            name: "SimulatedServers",
            targets: [
                "SimulatedServers", "AccessorySimulator", "DeviceCore", "GPSDSimulator", "IIODSimulator", "Trace",
                "TraceEditing",
            ]),
        .library(name: "IIODSimulator", targets: ["IIODSimulator", "IIOFormat", "DeviceCore"]),
        .library(name: "AccessorySimulator", targets: ["AccessorySimulator", "DeviceCore", "UmockdevFormat"]),
        // The codecs by themselves, for tools and fuzzers: they need neither Foundation nor a C library.
        .library(name: "GPSDProtocol", targets: ["GPSDProtocol", "GPSDEncoding"]),
        .library(name: "JSONBytes", targets: ["JSONBytes"]),
        .library(name: "IIOFormat", targets: ["IIOFormat", "DeviceCore"]),
        // Distances, directions and the magnetic field of the earth, which need nothing at all.
        .library(name: "Geodesy", targets: ["Geodesy"]),
        // Filters, orientation and shake, which need nothing at all.
        .library(name: "SensorFusion", targets: ["SensorFusion"]),
        // Positions and motion that agree with each other, from a route.
        .library(name: "SyntheticMotion", targets: ["SyntheticMotion", "Trace"]),
        // Cutting, merging, scrubbing and spoiling traces, and saying what is in them.
        .library(name: "TraceEditing", targets: ["TraceEditing"]),
        // Other programs' recordings as traces, and traces as theirs: phones' apps, receivers' logs, tables, GPX, MCAP.
        .library(name: "TraceFormats", targets: ["TraceFormats", "TraceXML"]),
        // Positions and motion without Foundation, for small tools. A product for each source, so that a tool links no other.
        .library(name: "GPSDSource", targets: ["GPSDSource", "DeviceCore"]),
        .library(name: "IIOSource", targets: ["IIOSource", "DeviceCore"]),
        // Serial ports and the like as streams of bytes, by themselves.
        .library(name: "ByteChannels", targets: ["ByteChannels", "DeviceCore"]),
        .library(name: "UdevSource", targets: ["UdevSource", "AccessoryFinding", "DeviceCore"]),
        .library(name: "UdevMonitor", targets: ["UdevMonitor", "DeviceCore"]),
        .executable(name: "sensorctl", targets: ["sensorctl"]),
    ],
    traits: [
        .trait(name: "LibGPS", description: "Reads gpsd through libgps too (libgps:// addresses); needs libgps-dev."),
        .trait(name: "LibIIO", description: "Reads motion sensors through libiio; needs libiio-dev."),
        .trait(name: "LibUdev", description: "Finds USB accessories through libudev; needs libudev-dev."),
        .default(enabledTraits: ["LibGPS", "LibIIO", "LibUdev"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    ],
    targets: [
        // Floor 0: system libraries and bytes.
        .systemLibrary(name: "CLibGPS", pkgConfig: "libgps", providers: [.apt(["libgps-dev"])]),
        .systemLibrary(name: "CLibIIO", pkgConfig: "libiio", providers: [.apt(["libiio-dev"])]),
        .systemLibrary(name: "CLibUdev", pkgConfig: "libudev", providers: [.apt(["libudev-dev"])]),
        .target(name: "JSONBytes"),

        // Floor 1: values and pure rules.
        .target(name: "DeviceCore", dependencies: ["JSONBytes", log]),
        .target(name: "Geodesy"),
        .target(name: "GPSDProtocol", dependencies: ["DeviceCore", "JSONBytes"]),
        .target(name: "IIOFormat", dependencies: ["DeviceCore"]),
        .target(name: "SensorFusion"),
        // Which accessories the records of udev make up, by rules, strings and descriptors.
        .target(name: "AccessoryFinding", dependencies: ["DeviceCore", "JSONBytes"]),
        // Serial ports, sockets, HID reports and USB endpoints as streams of bytes.
        .target(name: "ByteChannels", dependencies: ["DeviceCore"]),
        .target(
            name: "UdevMonitor",
            dependencies: [
                "DeviceCore", "JSONBytes", log, .target(name: "CLibUdev", condition: .when(traits: ["LibUdev"])),
            ]),

        // Floor 2: live sources, the seam to them, delivery and traces.
        .target(
            name: "GPSDSource",
            dependencies: [
                "DeviceCore", "GPSDProtocol", "JSONBytes", log,
                .target(name: "CLibGPS", condition: .when(traits: ["LibGPS"])),
            ]
        ),
        .target(
            name: "IIOSource",
            dependencies: [
                "DeviceCore", "IIOFormat", log,
                .target(name: "CLibIIO", condition: .when(traits: ["LibIIO"])),
            ]
        ),
        .target(name: "MotionEngine", dependencies: ["DeviceCore", "Geodesy", "SensorFusion"]),
        .target(name: "PowerSupplySource", dependencies: ["DeviceCore"]),
        .target(
            name: "UdevSource",
            dependencies: ["AccessoryFinding", "ByteChannels", "DeviceCore", "UdevMonitor", log], exclude: ["udev"]),
        .target(
            name: "LiveSources",
            dependencies: ["DeviceCore", "GPSDSource", "IIOSource", "PowerSupplySource", "UdevMonitor", "UdevSource"]),
        // Lists LiveSources so that it is linked, and never imports it: see LiveDevice.swift.
        .target(name: "LiveDevice", dependencies: ["DeviceCore", "LiveSources"]),
        .target(name: "AppDelivery", dependencies: ["DeviceCore", log]),
        // gpsd's reports as it writes them. Apart from GPSDProtocol: a program that reads gpsd writes none.
        .target(
            name: "GPSDEncoding", dependencies: ["DeviceCore", "GPSDProtocol", "JSONBytes"]),
        .target(
            name: "Trace", dependencies: ["DeviceCore", "GPSDProtocol", "JSONBytes"],
            exclude: ["Format.md"]),
        // The sentences of NMEA 0183, both ways.
        .target(name: "NMEAFormat", dependencies: ["DeviceCore", "JSONBytes"]),
        // XML, for contexts of sensors and for GPX.
        .target(name: "TraceXML", dependencies: ["DeviceCore", "IIOFormat", "JSONBytes"]),
        // umockdev's descriptions of devices and scripts of dialogues, both ways.
        .target(
            name: "UmockdevFormat", dependencies: ["AccessoryFinding", "DeviceCore", "JSONBytes"]),
        // How faults are written, of traces and of simulated servers.
        .target(name: "FaultSyntax", dependencies: ["DeviceCore"]),
        .target(
            name: "SyntheticMotion",
            dependencies: [
                "DeviceCore", "Geodesy", "GPSDEncoding", "GPSDProtocol", "JSONBytes", "SensorFusion", "Trace",
            ]),
        .target(
            name: "TraceEditing",
            dependencies: [
                "DeviceCore", "FaultSyntax", "Geodesy", "GPSDEncoding", "GPSDProtocol", "JSONBytes", "NMEAFormat",
                "Trace",
            ]),
        .target(
            name: "TraceFormats",
            dependencies: [
                "DeviceCore", "Geodesy", "GPSDEncoding", "GPSDProtocol", "IIOFormat", "JSONBytes", "NMEAFormat",
                "SensorFusion", "Trace", "TraceEditing", "TraceXML", "UmockdevFormat",
            ], exclude: ["Formats.md"]),

        // Floor 3: the Apple-named API and playback.
        .target(
            name: "CoreLocation",
            dependencies: ["DeviceCore", "Geodesy", "MotionEngine", "SensorFusion", "LiveDevice", "AppDelivery", log]
        ),
        // Only a module map: it makes `import CoreLocation.CLLocationManagerDelegate` and the like resolve.
        .target(name: "CoreLocationSubmodules"),
        .target(
            name: "CoreMotion",
            dependencies: ["DeviceCore", "MotionEngine", "SensorFusion", "LiveDevice", "AppDelivery"]),
        // Only a module map, as for Core Location.
        .target(name: "CoreMotionSubmodules"),
        .target(name: "ExternalAccessory", dependencies: ["DeviceCore", "LiveDevice", "AppDelivery", log]),
        // Only a module map, as for Core Location.
        .target(name: "ExternalAccessorySubmodules"),
        // Not named UIKit: that would turn `#if canImport(UIKit)` on in every dependency of an app.
        .target(
            name: "DeviceSupport",
            dependencies: ["DeviceCore", "MotionEngine", "SensorFusion", "LiveDevice", "AppDelivery"]),
        // What the simulated servers share: a listener, pseudo-terminals.
        .target(name: "LoopbackServer", dependencies: ["DeviceCore"]),
        .target(
            name: "GPSDSimulator",
            dependencies: [
                "DeviceCore", "FaultSyntax", "GPSDEncoding", "GPSDProtocol", "JSONBytes", "LoopbackServer",
                "NMEAFormat", "Trace",
            ], exclude: ["Protocol.md"]),
        .target(
            name: "IIODSimulator", dependencies: ["DeviceCore", "FaultSyntax", "IIOFormat", "LoopbackServer"]),
        .target(
            name: "AccessorySimulator",
            dependencies: ["ByteChannels", "DeviceCore", "JSONBytes", "LoopbackServer", "Trace", "UmockdevFormat"]),
        // The last minutes of a recording on the disk, saved when something happens.
        .target(
            name: "BlackBox", dependencies: ["DeviceCore", "JSONBytes", "SensorFusion", "Trace", "TraceEditing"]),
        // All of them at once, for programs that know nothing of it.
        .target(
            name: "SimulatedServers",
            dependencies: [
                "AccessorySimulator", "DeviceCore", "GPSDSimulator", "IIODSimulator", "IIOFormat", "LoopbackServer",
                "Trace", "TraceEditing", "TraceFormats", "TraceXML",
            ]),
        .target(
            name: "SimulatedDevice",
            dependencies: ["DeviceCore", "GPSDProtocol", "JSONBytes", "Trace"]
        ),

        // Floor 4.
        .executableTarget(
            name: "sensorctl",
            dependencies: [
                "AccessorySimulator", "AppDelivery", "BlackBox", "ByteChannels", "CoreLocation", "CoreMotion",
                "DeviceCore",
                "DeviceSupport", "ExternalAccessory", "Geodesy", "GPSDProtocol",
                "GPSDSimulator", "IIODSimulator", "IIOFormat", "JSONBytes", "LiveDevice", "MotionEngine",
                "SensorFusion", "SimulatedDevice", "SimulatedServers", "SyntheticMotion", "Trace", "TraceEditing",
                "TraceFormats", "TraceXML", "UmockdevFormat", log,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),

        // Tests, and what several of them need.
        .target(name: "TestSupport", dependencies: ["DeviceCore"], path: "Tests/TestSupport"),
        .testTarget(name: "JSONBytesTests", dependencies: ["JSONBytes"], exclude: ["make_numbers.py", "numbers.tsv"]),
        .testTarget(
            name: "GeodesyTests", dependencies: ["Geodesy"], exclude: ["Reference", "make_reference.py"]),
        .testTarget(
            name: "SensorFusionTests", dependencies: ["TestSupport", "SensorFusion"],
            exclude: ["Recordings", "Reference", "make_attitude_reference.py", "make_reference.py"]),
        .testTarget(
            name: "GPSDProtocolTests",
            dependencies: ["TestSupport", "DeviceCore", "GPSDEncoding", "GPSDProtocol", "JSONBytes"],
            exclude: ["expected.tsv", "make_expected.py"]
        ),
        .testTarget(
            name: "DeviceCoreTests", dependencies: ["TestSupport", "DeviceCore", "GPSDProtocol"],
            exclude: ["epochs.tsv", "make_epochs.py"]),
        .testTarget(
            name: "GPSDSourceTests",
            dependencies: ["DeviceCore", "GPSDProtocol", "GPSDSource", "LiveSources", "TestSupport"]),
        .testTarget(
            name: "MotionEngineTests",
            dependencies: ["TestSupport", "DeviceCore", "MotionEngine", "SensorFusion", "SimulatedDevice", "Trace"]),
        .testTarget(
            name: "TraceTests", dependencies: ["TestSupport", "DeviceCore", "GPSDProtocol", "JSONBytes", "Trace"]),
        .testTarget(name: "IIOFormatTests", dependencies: ["DeviceCore", "IIOFormat"], exclude: ["Fixtures"]),
        .testTarget(name: "IIOSourceTests", dependencies: ["DeviceCore", "IIOFormat", "IIOSource"]),
        .testTarget(
            name: "GPSDSimulatorTests",
            dependencies: [
                "DeviceCore", "GPSDProtocol", "GPSDSimulator", "JSONBytes", "LoopbackServer", "TestSupport", "Trace",
            ],
            exclude: ["gpsd-3.22-dialogue.jsonl", "make_dialogue.py"]),
        .testTarget(
            name: "IIODSimulatorTests",
            dependencies: ["DeviceCore", "IIODSimulator", "IIOFormat", "JSONBytes", "TestSupport"],
            exclude: ["iiod-0.24-dialogue.jsonl"]),
        .testTarget(
            name: "SyntheticMotionTests",
            dependencies: [
                "DeviceCore", "Geodesy", "GPSDEncoding", "GPSDProtocol", "SensorFusion", "SyntheticMotion", "Trace",
            ]),
        .testTarget(
            name: "TraceEditingTests", dependencies: ["DeviceCore", "Geodesy", "GPSDProtocol", "Trace", "TraceEditing"]),
        .testTarget(name: "FaultSyntaxTests", dependencies: ["DeviceCore", "FaultSyntax"]),
        .testTarget(
            name: "NMEAFormatTests", dependencies: ["TestSupport", "DeviceCore", "GPSDProtocol", "NMEAFormat"]),
        .testTarget(name: "TraceXMLTests", dependencies: ["TestSupport", "DeviceCore", "IIOFormat", "TraceXML"]),
        .testTarget(
            name: "TraceFormatsTests",
            dependencies: [
                "TestSupport",
                "DeviceCore", "GPSDEncoding", "GPSDProtocol", "IIOFormat", "JSONBytes", "NMEAFormat", "Trace",
                "TraceEditing", "TraceFormats", "TraceXML",
            ],
            exclude: ["Fixtures", "check_mcap.py", "mcap_oracle.py"]),
        .testTarget(
            name: "SensorctlTests",
            dependencies: [
                "AccessorySimulator", "DeviceCore", "ExternalAccessory", "JSONBytes", "SensorFusion", "SimulatedDevice",
                "SyntheticMotion", "TestSupport", "Trace", "UmockdevFormat", "sensorctl",
            ]),
        .testTarget(
            name: "CoreLocationTests",
            dependencies: [
                "TestSupport",
                "CoreLocation", "DeviceCore", "MotionEngine", "SensorFusion", "SimulatedDevice", "Trace",
                "TraceFormats",
            ]),
        .testTarget(name: "PowerSupplySourceTests", dependencies: ["DeviceCore", "PowerSupplySource"]),
        .testTarget(name: "DeviceSupportTests", dependencies: ["DeviceCore", "DeviceSupport"]),
        // A client in the older language mode, as much published code is.
        .testTarget(
            name: "CoreLocationClientTests",
            dependencies: ["CoreLocation", "CoreLocationSubmodules", "SimulatedDevice", "Trace"]
        ),
        .testTarget(
            name: "CoreMotionTests",
            dependencies: ["AppDelivery", "CoreMotion", "DeviceCore", "MotionEngine", "SensorFusion"]),
        .testTarget(
            name: "CoreMotionClientTests", dependencies: ["CoreMotion", "CoreMotionSubmodules", "DeviceCore"]),
        .testTarget(
            name: "SimulatedDeviceTests",
            dependencies: [
                "CoreLocation", "DeviceCore", "ExternalAccessory", "SimulatedDevice", "TestSupport", "Trace",
            ]),
        .testTarget(name: "BlackBoxTests", dependencies: ["BlackBox", "DeviceCore", "Trace", "TraceEditing"]),
        .testTarget(
            name: "SimulatedServersTests",
            dependencies: [
                "DeviceCore", "GPSDSource", "IIOSource", "LoopbackServer", "SimulatedServers", "TestSupport", "Trace",
                "TraceEditing", "UdevSource",
            ]),
        .testTarget(
            name: "MotionEndToEndTests",
            dependencies: [
                "TestSupport",
                "CoreLocation", "CoreMotion", "DeviceCore", "DeviceSupport", "SensorFusion", "SimulatedDevice",
                "SyntheticMotion", "Trace", "TraceFormats",
            ]
        ),
        .testTarget(
            name: "ByteChannelsTests", dependencies: ["ByteChannels", "DeviceCore", "TestProgramByteChannels"]),
        .testTarget(name: "UdevMonitorTests", dependencies: ["DeviceCore", "UdevMonitor"]),
        .testTarget(
            name: "UdevSourceTests",
            dependencies: [
                "AccessoryFinding", "ByteChannels", "DeviceCore", "TestSupport", "UdevMonitor", "UdevSource",
                "UmockdevFormat",
            ]),
        .testTarget(
            name: "ExternalAccessoryTests",
            dependencies: ["AppDelivery", "DeviceCore", "ExternalAccessory", "SimulatedDevice", "Trace"]),
        .testTarget(
            name: "ExternalAccessoryClientTests",
            dependencies: ["DeviceCore", "ExternalAccessory", "ExternalAccessorySubmodules"]),
        .testTarget(
            name: "AccessorySimulatorTests",
            dependencies: [
                "AccessorySimulator", "DeviceCore", "LoopbackServer", "SimulatedDevice", "TestSupport", "Trace",
                "UmockdevFormat",
            ]),
        // Programs that the integration tests run as processes of their own.
        .executableTarget(name: "TestProgramStream", dependencies: ["CoreLocation"], path: "Tests/Programs/Stream"),
        .executableTarget(
            name: "TestProgramCallbackPlaces", dependencies: ["CoreLocation"], path: "Tests/Programs/CallbackPlaces"),
        .executableTarget(
            name: "TestProgramAsyncMain", dependencies: ["CoreLocation"], path: "Tests/Programs/AsyncMain"),
        .executableTarget(
            name: "TestProgramListing87", dependencies: ["CoreLocation"], path: "Tests/Programs/Listing87"),
        .executableTarget(
            name: "TestProgramListing8889", dependencies: ["CoreLocation"], path: "Tests/Programs/Listing8889"),
        .executableTarget(
            name: "TestProgramListing8386", dependencies: ["DeviceSupport"], path: "Tests/Programs/Listing8386"),
        .executableTarget(
            name: "TestProgramListing313314", dependencies: ["DeviceSupport"], path: "Tests/Programs/Listing313314"),
        .executableTarget(
            name: "TestProgramMotion", dependencies: ["DeviceCore", "IIOSource", "JSONBytes"],
            path: "Tests/Programs/Motion"),
        .executableTarget(
            name: "TestProgramMotionManager", dependencies: ["CoreMotion"], path: "Tests/Programs/MotionManager"),
        .executableTarget(
            name: "TestProgramBookMotion", dependencies: ["CoreMotion"], path: "Tests/Programs/BookMotion"),
        .executableTarget(
            name: "TestProgramBookLocation", dependencies: ["CoreLocation"], path: "Tests/Programs/BookLocation"),
        .executableTarget(
            name: "TestProgramAccessories", dependencies: ["DeviceCore", "JSONBytes", "UdevSource"],
            path: "Tests/Programs/Accessories"),
        .executableTarget(
            name: "TestProgramUdev", dependencies: ["DeviceCore", "JSONBytes", "UdevMonitor"],
            path: "Tests/Programs/Udev"),
        .executableTarget(
            name: "TestProgramByteChannels", dependencies: ["ByteChannels", "DeviceCore"],
            path: "Tests/Programs/ByteChannels"),
        .executableTarget(
            name: "TestProgramSessionController", dependencies: ["ExternalAccessory"],
            path: "Tests/Programs/SessionController"),
        .executableTarget(
            name: "TestProgramJourney", dependencies: ["CoreLocation", "CoreMotion", "ExternalAccessory"],
            path: "Tests/Programs/Journey"),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "AccessorySimulator", "CoreLocation", "DeviceCore", "GPSDProtocol", "GPSDSimulator", "GPSDSource",
                "IIODSimulator", "IIOFormat", "IIOSource",
                "SimulatedDevice", "SimulatedServers", "TestSupport", "Trace", "TraceFormats", "TraceXML",
                "TestProgramAccessories", "TestProgramAsyncMain", "TestProgramBookLocation", "TestProgramBookMotion",
                "TestProgramCallbackPlaces", "TestProgramJourney",
                "TestProgramListing313314", "TestProgramListing8386", "TestProgramListing87", "TestProgramListing8889",
                "TestProgramMotion",
                "TestProgramMotionManager", "TestProgramSessionController", "TestProgramStream", "TestProgramUdev",
            ],
            exclude: ["Accessory/Udev"]
        ),
    ]
)

// Sources as they were written for iOS, in the language mode of that time.
let olderMode: Set = [
    "CoreLocationClientTests", "CoreMotionClientTests", "ExternalAccessoryClientTests", "TestProgramBookLocation",
    "TestProgramBookMotion", "TestProgramJourney", "TestProgramListing313314", "TestProgramListing8386",
    "TestProgramListing87", "TestProgramListing8889", "TestProgramMotionManager", "TestProgramSessionController",
]

for target in package.targets where target.type != .system && !target.name.hasSuffix("Submodules") {
    target.swiftSettings = olderMode.contains(target.name) ? [.swiftLanguageMode(.v5)] : strict
}

// Each target's folder: the wing that it stands in. What is not named stands where its target says.
let wings: [String: [String]] = [
    "Simulators": [
        "AccessorySimulator",
        "GPSDSimulator",
        "IIODSimulator",
        "LoopbackServer",
        "SimulatedDevice",
        "SimulatedServers",
        "SyntheticMotion",
    ],
    "Tests/Simulators": [
        "AccessorySimulatorTests",
        "GPSDSimulatorTests",
        "IIODSimulatorTests",
        "SimulatedDeviceTests",
        "SimulatedServersTests",
        "SyntheticMotionTests",
    ],
    "Tests/Traces": [
        "BlackBoxTests",
        "FaultSyntaxTests",
        "TraceEditingTests",
        "TraceFormatsTests",
        "TraceTests",
        "TraceXMLTests",
    ],
    "Sources/Traces": [
        "BlackBox",
        "FaultSyntax",
        "Trace",
        "TraceEditing",
        "TraceFormats",
        "TraceXML",
    ],
    "Tests/Accessories": [
        "ByteChannelsTests",
        "ExternalAccessoryTests",
        "UdevMonitorTests",
        "UdevSourceTests",
    ],
    "Sources/Accessories": [
        "AccessoryFinding",
        "ByteChannels",
        "CLibUdev",
        "ExternalAccessory",
        "ExternalAccessorySubmodules",
        "UdevMonitor",
        "UdevSource",
        "UmockdevFormat",
    ],
    "Tests/Motion": [
        "CoreMotionTests",
        "DeviceSupportTests",
        "IIOFormatTests",
        "IIOSourceTests",
        "MotionEndToEndTests",
        "MotionEngineTests",
        "SensorFusionTests",
    ],
    "Sources/Motion": [
        "CLibIIO",
        "CoreMotion",
        "CoreMotionSubmodules",
        "DeviceSupport",
        "IIOFormat",
        "IIOSource",
        "MotionEngine",
        "SensorFusion",
    ],
    "Tests/Location": [
        "CoreLocationTests",
        "GPSDProtocolTests",
        "GPSDSourceTests",
        "GeodesyTests",
        "NMEAFormatTests",
    ],
    "Sources/Location": [
        "CLibGPS",
        "CoreLocation",
        "CoreLocationSubmodules",
        "GPSDEncoding",
        "GPSDProtocol",
        "GPSDSource",
        "Geodesy",
        "NMEAFormat",
    ],
    "Tests/Device": [
        "DeviceCoreTests",
        "JSONBytesTests",
        "PowerSupplySourceTests",
    ],
    "Sources/Device": [
        "AppDelivery",
        "DeviceCore",
        "JSONBytes",
        "LiveDevice",
        "LiveSources",
        "PowerSupplySource",
    ],
]
for target in package.targets {
    for (wing, rooms) in wings where rooms.contains(target.name) { target.path = "\(wing)/\(target.name)" }
}
