// swift-tools-version: 6.2
import PackageDescription

// ARCHITECTURE.md describes these modules. scripts/architecture compares the sources with both.

/// Options for builds that scripts start, separated by commas in DEVICE_SERVICES_EXTRAS. Apps never set this variable.
/// - fuzz: adds the target that Tests/Fuzz/run builds.
/// - benchmarks: adds the programs that Benchmarks/run measures and scripts/endure runs.
/// - floors: adds the programs that use sources without a framework. scripts/seams checks their size and symbols.
/// - pure: omits tests that need hardware or other programs.
/// - quick: compiles each target as a whole module, which shortens a clean build by a third, and optimizes the modules
///   in `computing`. Enables the trait LibMosquitto, so that one build contains all tests. A separate build for this
///   trait would compile all targets again.
/// - unoptimized: optimizes no modules in quick builds.
/// - nomqtt: does not enable LibMosquitto in quick builds, for machines without libmosquitto-dev.
let extras = Set((Context.environment["DEVICE_SERVICES_EXTRAS"] ?? "").split(separator: ",").map(String.init))

let optimizes = extras.contains("quick") && !extras.contains("unoptimized")
let testsMQTT = extras.contains("quick") && !extras.contains("nomqtt")

/// Compiles a target as a whole, with one object file per source file, as debug builds expect.
let whole: [SwiftSetting] =
    extras.contains("quick")
    ? [.unsafeFlags(["-disable-batch-mode", "-wmo", "-num-threads", "2", "-no-emit-module-separately-wmo"])] : []

/// Swift 6 language mode, and the upcoming features that keep a public surface small and explicit.
let language: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
let strict = language + whole
/// Settings of the frameworks. Like Apple's, they are in Swift 5 mode, so that clients in either mode get no
/// diagnostics about Sendable beyond those on iOS. The checks of Swift 6 mode are warnings, which fail scripts/test.
let framework: [SwiftSetting] =
    [
        .swiftLanguageMode(.v5),
        .enableUpcomingFeature("BareSlashRegexLiterals"),
        .enableUpcomingFeature("ConciseMagicFile"),
        .enableUpcomingFeature("DeprecateApplicationMain"),
        .enableUpcomingFeature("DisableOutwardActorInference"),
        .enableUpcomingFeature("DynamicActorIsolation"),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("ForwardTrailingClosures"),
        .enableUpcomingFeature("GlobalActorIsolatedTypesUsability"),
        .enableUpcomingFeature("GlobalConcurrency"),
        .enableUpcomingFeature("ImplicitOpenExistentials"),
        .enableUpcomingFeature("ImportObjcForwardDeclarations"),
        .enableUpcomingFeature("InferSendableFromCaptures"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("IsolatedDefaultValues"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("RegionBasedIsolation"),
        .enableUpcomingFeature("StrictConcurrency"),
    ] + whole
/// Settings of sources written for iOS in Swift 5 mode.
let asOnIOS: [SwiftSetting] = [.swiftLanguageMode(.v5)] + whole

let log: Target.Dependency = .product(name: "Logging", package: "swift-log")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
func library(_ name: String, _ trait: String) -> Target.Dependency {
    .target(name: name, condition: .when(traits: [trait]))
}

/// The modules that test builds optimize, because their tests are compute-intensive or because most other tests use
/// them.
let computing: Set = [
    "DeviceCore", "Geodesy", "JSONBytes", "MotionEngine", "Places", "Plotting", "SensorFusion", "SyntheticMotion",
    "Trace",
]
/// Optimization as in a release build, with assertions.
let optimized: [SwiftSetting] = [.unsafeFlags(["-O", "-assert-config", "Debug"])]

/// A module whose sources are in a directory of the same name.
func module(
    _ name: String, in directory: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [],
    resources: [Resource] = [], settings: [SwiftSetting] = strict
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "\(directory)/\(name)", exclude: exclude, resources: resources,
        swiftSettings: optimizes && computing.contains(name) ? settings + optimized : settings)
}

func tests(
    _ name: String, in directory: String, _ dependencies: [Target.Dependency], exclude: [String] = [],
    resources: [Resource]? = nil, settings: [SwiftSetting] = strict
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, path: "\(directory)/\(name)", exclude: exclude, resources: resources,
        swiftSettings: settings)
}

/// A module map that enables imports of submodules, for example `import CoreLocation.CLLocationManagerDelegate`.
func submodules(of framework: String, in directory: String) -> Target {
    .target(name: framework + "Submodules", path: "\(directory)/\(framework)Submodules")
}

/// A program that tests run in a separate process. See Tests/TestSupport/TestProgram.swift.
func program(_ name: String, _ dependencies: [Target.Dependency], settings: [SwiftSetting] = strict) -> Target {
    .executableTarget(
        name: "TestProgram" + name, dependencies: dependencies, path: "Tests/Programs/" + name, swiftSettings: settings)
}

/// The core: bytes, clocks, readings and their delivery.
let core: [Target] = [
    module("SystemCalls", in: "Sources/Device"),
    module("JSONBytes", in: "Sources/Device"),
    module("DeviceCore", in: "Sources/Device", ["JSONBytes", "SystemCalls"]),
    module("AppDelivery", in: "Sources/Device", ["DeviceCore", log]),
    // Depends on LiveSources only to link it. See LiveDevice.swift.
    module("LiveDevice", in: "Sources/Device", ["DeviceCore", "JSONBytes", "LiveSources", "SystemCalls", log]),
    module(
        "LiveSources", in: "Sources/Device",
        [
            "BlueZSource", "DeviceCore", "GPSDSource", "IIOSource", "SystemCalls", "UdevMonitor",
            library("MQTTClient", "LibMosquitto"), log,
        ]),
]

let location: [Target] = [
    .systemLibrary(
        name: "CLibGPS", path: "Sources/Location/CLibGPS", pkgConfig: "libgps", providers: [.apt(["libgps-dev"])]),
    module("Geodesy", in: "Sources/Location", ["SystemCalls"]),
    module("GPSDProtocol", in: "Sources/Location", ["DeviceCore", "JSONBytes", "SystemCalls"]),
    // Countries, cities, lakes and seas, by coordinate and by name.
    module("Places", in: "Sources/Location", ["SystemCalls"]),
    // The data that Places reads, generated from open data. .incbin searches the header search paths.
    .target(
        name: "CPlaceData", path: "Sources/Location/CPlaceData",
        exclude: ["LICENSE.unicode", "README.md", "countries.tsv", "lakes.tsv", "make_places.py", "places.bin"],
        sources: ["data.S", "places.c"],
        cSettings: [.headerSearchPath(".")]),
    module("NMEAFormat", in: "Sources/Location", ["DeviceCore", "JSONBytes"]),
    module(
        "GPSDSource", in: "Sources/Location",
        ["DeviceCore", "GPSDProtocol", "SystemCalls", library("CLibGPS", "LibGPS")]),
    // Bluetooth beacons, from BlueZ over D-Bus.
    module("BlueZSource", in: "Sources/Location", ["DeviceCore"]),
    // Depends on CPlaceData only to link it. See OfflinePlaceFinder.swift.
    module(
        "CoreLocation", in: "Sources/Location",
        [
            "AppDelivery", "DeviceCore", "Geodesy", "LiveDevice", "MotionEngine", "Places", "SensorFusion",
            library("CPlaceData", "OfflinePlaces"),
        ], settings: framework),
    submodules(of: "CoreLocation", in: "Sources/Location"),
]

let motion: [Target] = [
    .systemLibrary(
        name: "CLibIIO", path: "Sources/Motion/CLibIIO", pkgConfig: "libiio", providers: [.apt(["libiio-dev"])]),
    module("SensorFusion", in: "Sources/Motion", ["SystemCalls"]),
    module("IIOFormat", in: "Sources/Motion", ["DeviceCore"]),
    module(
        "IIOSource", in: "Sources/Motion",
        ["DeviceCore", "IIOFormat", "SystemCalls", log, library("CLibIIO", "LibIIO")]),
    module("MotionEngine", in: "Sources/Motion", ["DeviceCore", "Geodesy", "SensorFusion"]),
    module(
        "CoreMotion", in: "Sources/Motion",
        ["AppDelivery", "DeviceCore", "JSONBytes", "LiveDevice", "MotionEngine", "SensorFusion", log],
        settings: framework),
    submodules(of: "CoreMotion", in: "Sources/Motion"),
    // Not named UIKit, because `#if canImport(UIKit)` would then be true in all dependencies of an app.
    module(
        "DeviceSupport", in: "Sources/Motion",
        ["AppDelivery", "DeviceCore", "LiveDevice", "MotionEngine", "SensorFusion"], settings: framework),
]

let accessories: [Target] = [
    .systemLibrary(
        name: "CLibUdev", path: "Sources/Accessories/CLibUdev", pkgConfig: "libudev", providers: [.apt(["libudev-dev"])]
    ),
    // Detects accessories in the properties and attributes of udev devices.
    module("AccessoryFinding", in: "Sources/Accessories", ["DeviceCore", "JSONBytes"]),
    // umockdev's device descriptions and dialogues. A separate module, so that programs on boards do not contain it.
    module("UmockdevFormat", in: "Sources/Accessories", ["AccessoryFinding", "DeviceCore", "JSONBytes"]),
    // Serial ports, sockets, HID reports and USB endpoints as streams of bytes.
    module("ByteChannels", in: "Sources/Accessories", ["AccessoryFinding", "DeviceCore", "SystemCalls"]),
    module(
        "UdevMonitor", in: "Sources/Accessories",
        ["AccessoryFinding", "DeviceCore", "JSONBytes", "SystemCalls", log, library("CLibUdev", "LibUdev")]),
    module(
        "UdevSource", in: "Sources/Accessories",
        ["AccessoryFinding", "ByteChannels", "DeviceCore", "SystemCalls", "UdevMonitor", log],
        exclude: ["udev"]),
    // Depends on UdevSource only to link it. See LiveDevice.swift.
    module(
        "ExternalAccessory", in: "Sources/Accessories",
        ["AppDelivery", "DeviceCore", "LiveDevice", "SystemCalls", "UdevSource", log], settings: framework),
    submodules(of: "ExternalAccessory", in: "Sources/Accessories"),
]

/// Positions of boards over an MQTT broker.
let boards: [Target] = [
    .systemLibrary(
        name: "CLibMosquitto", path: "Sources/Boards/CLibMosquitto", pkgConfig: "libmosquitto",
        providers: [.apt(["libmosquitto-dev"])]),
    // The connection to a broker, messages for OwnTracks, SenML and Home Assistant, and the positions of another board.
    module(
        "MQTTClient", in: "Sources/Boards", ["DeviceCore", "JSONBytes", library("CLibMosquitto", "LibMosquitto")]),
    module("MQTTPublisher", in: "Sources/Boards", ["DeviceCore", "MQTTClient", "SystemCalls"]),
]

/// Traces and their formats.
let traces: [Target] = [
    module(
        "Trace", in: "Sources/Traces", ["DeviceCore", "GPSDProtocol", "JSONBytes", "SystemCalls"],
    ),
    // Cuts, merges, anonymizes, degrades and summarizes traces.
    module(
        "TraceEditing", in: "Sources/Traces",
        ["DeviceCore", "Geodesy", "GPSDProtocol", "JSONBytes", "NMEAFormat", "SystemCalls", "Trace"]),
    // Imports recordings from other programs and exports traces to their formats.
    module(
        "TraceFormats", in: "Sources/Traces",
        [
            "DeviceCore", "Geodesy", "GPSDProtocol", "IIOFormat", "JSONBytes", "NMEAFormat",
            "SensorFusion", "SystemCalls", "Trace", "TraceEditing", "UmockdevFormat",
        ]),
    // A ring buffer on disk with the last minutes of a recording, saved at a trigger.
    module(
        "BlackBox", in: "Sources/Traces",
        ["DeviceCore", "JSONBytes", "SensorFusion", "SystemCalls", "Trace", "TraceEditing"]),
]

let simulators: [Target] = [
    module(
        "SimulatedDevice", in: "Simulators",
        ["DeviceCore", "GPSDProtocol", "JSONBytes", "SystemCalls", "Trace", "TraceEditing", "TraceFormats"]),
    // The device of a test. Imports Swift Testing.
    module("DeviceTesting", in: "Simulators", ["DeviceCore", "SimulatedDevice", "TraceFormats"]),
    // Consistent positions and motion, generated from a route.
    module(
        "SyntheticMotion", in: "Simulators",
        ["DeviceCore", "Geodesy", "GPSDProtocol", "JSONBytes", "SensorFusion", "SystemCalls", "Trace"]),
    // A listener, pseudo-terminals and the event loop that the simulated servers share.
    module("LoopbackServer", in: "Simulators", ["DeviceCore", "SystemCalls"]),
    module(
        "GPSDSimulator", in: "Simulators",
        ["DeviceCore", "GPSDProtocol", "JSONBytes", "LoopbackServer", "NMEAFormat", "SystemCalls", "Trace"]),
    module("IIODSimulator", in: "Simulators", ["DeviceCore", "IIOFormat", "LoopbackServer", "SystemCalls", "Trace"]),
    module(
        "AccessorySimulator", in: "Simulators",
        ["AccessoryFinding", "DeviceCore", "JSONBytes", "LoopbackServer", "SystemCalls", "Trace", "UmockdevFormat"]),
    // Runs all simulators together for unmodified programs.
    module(
        "SimulatedServers", in: "Simulators",
        [
            "AccessorySimulator", "DeviceCore", "GPSDSimulator", "IIODSimulator", "IIOFormat", "LoopbackServer",
            "SystemCalls", "Trace", "TraceEditing", "TraceFormats",
        ]),
]

let tool: [Target] = [
    // The analyses and reports of the tool, without terminal output and argument parsing.
    module(
        "SensorTools", in: "Sources/sensorctl",
        [
            "AccessoryFinding", "ByteChannels", "DeviceCore", "Geodesy", "JSONBytes", "MotionEngine", "SensorFusion",
            "SystemCalls", "Trace", "TraceEditing",
        ], resources: [.embedInCode("Doctor/external-accessory.rules")]),
    // The files of the dashboard's page. .incbin searches the header search paths.
    .target(
        name: "DashboardPage", path: "Sources/sensorctl/DashboardPage", exclude: ["page"],
        sources: ["data.S", "pages.c"], cSettings: [.headerSearchPath("page")]),
    // Serves this page and the events of a session to browsers on this machine.
    module(
        "Dashboard", in: "Sources/sensorctl",
        ["DashboardPage", "DeviceCore", "JSONBytes", "LoopbackServer", "SystemCalls"]),
    // Draws plots of recordings as SVG.
    module(
        "Plotting", in: "Sources/sensorctl", ["DeviceCore", "Geodesy", "JSONBytes", "SystemCalls"],
        resources: [.embedInCode("Figure/Page/plot-page.css"), .embedInCode("Figure/Page/plot-page.js")]),
    .executableTarget(
        name: "sensorctl",
        dependencies: [
            "AccessoryFinding", "AccessorySimulator", "BlackBox", "CoreLocation", "CoreMotion", "Dashboard",
            "DeviceCore",
            "DeviceSupport", "ExternalAccessory", "Geodesy", "GPSDProtocol", "GPSDSimulator", "IIODSimulator",
            "JSONBytes", "LiveDevice", "LoopbackServer", "MotionEngine", "MQTTPublisher", "Plotting", "SensorFusion",
            "SensorTools",
            "SimulatedDevice",
            "SimulatedServers", "SyntheticMotion", "SystemCalls", "Trace", "TraceEditing", "TraceFormats",
            "UmockdevFormat", log, arguments,
        ],
        path: "Sources/sensorctl/sensorctl", swiftSettings: strict),
]

let testing: [Target] = [
    // Support for tests of several modules.
    .target(
        name: "TestSupport", dependencies: ["DeviceCore", "SystemCalls"], path: "Tests/TestSupport",
        swiftSettings: strict),

    tests(
        "DeviceCoreTests", in: "Tests/Device",
        [
            "AppDelivery", "DeviceCore", "GPSDProtocol", "JSONBytes", "LiveDevice", "LiveSources", "SystemCalls",
            "TestSupport",
        ],
        exclude: ["JSONBytes/make_numbers.py", "JSONBytes/numbers.tsv", "epochs.tsv", "make_epochs.py"]),

    tests(
        "GeodesyTests", in: "Tests/Location", ["Geodesy", "Places", "TestSupport"],
        exclude: ["Places/Reference", "Places/make_reference.py", "Reference", "make_reference.py"]),
    tests(
        "GPSDProtocolTests", in: "Tests/Location", ["DeviceCore", "GPSDProtocol", "NMEAFormat", "TestSupport"],
        exclude: ["expected.tsv", "make_expected.py"]),
    tests(
        "LocationSourceTests", in: "Tests/Location",
        ["BlueZSource", "DeviceCore", "GPSDProtocol", "GPSDSource", "SystemCalls", "TestSupport"],
        exclude: ["BlueZ/Mock/bluez_mock.py", "BlueZ/messages.txt"]),
    tests(
        "CoreLocationTests", in: "Tests/Location",
        [
            "CoreLocation", "DeviceCore", "LiveDevice", "MotionEngine", "SensorFusion", "SimulatedDevice",
            "TestSupport",
            "Trace", "TraceFormats",
        ]),

    tests(
        "SensorFusionTests", in: "Tests/Motion", ["SensorFusion", "TestSupport"],
        exclude: [
            "Recordings", "Reference", "make_attitude_reference.py", "make_reference.py", "make_steps_reference.py",
        ]),
    tests(
        "IIOSourceTests", in: "Tests/Motion",
        ["DeviceCore", "IIOFormat", "IIOSource", "LoopbackServer", "SystemCalls", "TestSupport"],
        exclude: ["Format/Fixtures"]),
    tests(
        "MotionEngineTests", in: "Tests/Motion",
        [
            "CoreLocation", "CoreMotion", "DeviceCore", "DeviceSupport", "Geodesy", "GPSDProtocol", "MotionEngine",
            "SensorFusion", "SimulatedDevice", "SyntheticMotion", "SystemCalls", "TestSupport", "Trace", "TraceFormats",
        ]),
    tests(
        "CoreMotionTests", in: "Tests/Motion",
        ["CoreMotion", "DeviceCore", "DeviceSupport", "MotionEngine", "SensorFusion", "TestSupport"]),

    tests(
        "ByteChannelsTests", in: "Tests/Accessories",
        [
            "AccessoryFinding", "AppDelivery", "ByteChannels", "DeviceCore", "SystemCalls", "TestProgramCommands",
            "TestSupport",
        ]),
    tests(
        "UdevSourceTests", in: "Tests/Accessories",
        [
            "AccessoryFinding", "ByteChannels", "DeviceCore", "SystemCalls", "TestSupport", "UdevMonitor",
            "UdevSource", "UmockdevFormat", log,
        ], exclude: ["layouts.c"]),
    tests(
        "ExternalAccessoryTests", in: "Tests/Accessories",
        ["DeviceCore", "ExternalAccessory"]),

    tests(
        "BoardsTests", in: "Tests/Boards",
        ["DeviceCore", "MQTTClient", "MQTTPublisher", "SystemCalls", "TestSupport"]),

    tests(
        "TraceTests", in: "Tests/Traces",
        [
            "BlackBox", "DeviceCore", "Geodesy", "GPSDProtocol", "SystemCalls", "TestSupport", "Trace", "TraceEditing",
        ]),
    tests(
        "TraceFormatsTests", in: "Tests/Traces",
        [
            "DeviceCore", "GPSDProtocol", "IIOFormat", "JSONBytes", "NMEAFormat", "SystemCalls", "TestSupport",
            "Trace", "TraceEditing", "TraceFormats", "UmockdevFormat",
        ], exclude: ["Fixtures", "check_mcap.py", "mcap_oracle.py"]),

    tests(
        "SimulatedDeviceTests", in: "Tests/Simulators",
        [
            "CoreLocation", "DeviceCore", "DeviceTesting", "ExternalAccessory", "SimulatedDevice", "TestSupport",
            "Trace", "TraceFormats",
        ], resources: [.copy("DeviceTesting/Recordings")]),
    tests(
        "SimulatorTests", in: "Tests/Simulators",
        [
            "AccessoryFinding", "AccessorySimulator", "DeviceCore", "GPSDProtocol", "GPSDSimulator", "GPSDSource",
            "IIODSimulator", "IIOFormat", "IIOSource", "LoopbackServer", "SimulatedServers", "SystemCalls",
            "TestSupport", "Trace", "TraceEditing", "UdevSource", "UmockdevFormat",
        ],
        exclude: ["GPSD/gpsd-3.22-dialogue.jsonl", "GPSD/make_dialogue.py", "IIOD/iiod-0.24-dialogue.jsonl"]),

    tests(
        "SensorctlTests", in: "Tests/sensorctl",
        [
            "AccessoryFinding", "AccessorySimulator", "CoreLocation", "Dashboard", "DeviceCore", "ExternalAccessory",
            "JSONBytes", "Plotting", "sensorctl", "SensorFusion", "SensorTools", "SimulatedDevice", "SyntheticMotion",
            "SystemCalls", "TestSupport", "Trace", "TraceFormats", "TraceEditing", "UmockdevFormat",
            // The largest test module is compiled last. It is not compiled as a whole, so it keeps all processors busy.
        ], settings: language),
    tests(
        "ClientTests", in: "Tests",
        [
            "CoreLocation", "CoreLocationSubmodules", "CoreMotion", "CoreMotionSubmodules", "DeviceCore",
            "ExternalAccessory", "ExternalAccessorySubmodules", "SimulatedDevice", "TestSupport", "Trace",
        ], settings: asOnIOS),

    program(
        "Commands",
        [
            "AccessoryFinding", "ByteChannels", "CoreLocation", "DeviceCore", "IIOSource", "JSONBytes", "SystemCalls",
            "UdevMonitor", "UdevSource",
        ]),
    program("AsyncMain", ["CoreLocation"]),
    program("Apps", ["CoreLocation", "CoreMotion", "DeviceSupport", "ExternalAccessory"], settings: asOnIOS),
    tests(
        "IntegrationTests", in: "Tests",
        [
            "AccessoryFinding", "AccessorySimulator", "CoreLocation", "DeviceCore", "GPSDProtocol", "GPSDSimulator",
            "GPSDSource", "IIODSimulator", "IIOFormat", "IIOSource", "SimulatedDevice", "SimulatedServers",
            "SystemCalls", "TestProgramApps", "TestProgramAsyncMain", "TestProgramCommands", "TestSupport", "Trace",
            "TraceFormats",
        ],
        exclude: ["Accessory/Udev"]),
]

// Targets that only scripts build. See `extras`.

/// A program that scripts measure. Its settings are those of a client package.
func measured(_ name: String, in folder: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "\(folder)/\(name)", swiftSettings: [.swiftLanguageMode(.v6)])
}

let benchmarks: [Target] = [
    measured(
        "accessory-channel", in: "Benchmarks/Sources",
        ["AccessoryFinding", "ByteChannels", "DeviceCore", "SystemCalls"]),
    measured("accessory-stream", in: "Benchmarks/Sources", ["ExternalAccessory", "SystemCalls"]),
    measured(
        "drive-playback", in: "Benchmarks/Sources",
        ["CoreLocation", "CoreMotion", "SimulatedDevice", "SystemCalls", "Trace"]),
    // The program that scripts/endure runs.
    measured(
        "endurance", in: "Tests/Endure",
        [
            "AccessorySimulator", "CoreLocation", "CoreMotion", "DeviceCore", "ExternalAccessory", "GPSDSimulator",
            "GPSDSource", "IIODSimulator", "IIOFormat", "JSONBytes", "LiveDevice", "SimulatedDevice", "SystemCalls",
            "Trace",
        ]),
    measured(
        "formats", in: "Benchmarks/Sources", ["DeviceCore", "GPSDProtocol", "SystemCalls", "Trace", "TraceFormats"]),
    measured("fusion", in: "Benchmarks/Sources", ["SensorFusion", "SystemCalls"]),
    measured("location-client", in: "Benchmarks/Sources", ["CoreLocation", "GPSDSource", "LiveDevice"]),
    measured("magnetic-field", in: "Benchmarks/Sources", ["Geodesy", "SystemCalls"]),
    measured(
        "minimal-everything", in: "Benchmarks/Sources", ["CoreLocation", "CoreMotion", "ExternalAccessory"]),
    measured("minimal-location", in: "Benchmarks/Sources", ["CoreLocation"]),
    measured("minimal-motion", in: "Benchmarks/Sources", ["CoreMotion"]),
    measured("motion-decode", in: "Benchmarks/Sources", ["DeviceCore", "IIOFormat", "SensorFusion", "SystemCalls"]),
    measured("motion-manager", in: "Benchmarks/Sources", ["CoreMotion"]),
    measured("motion-playback", in: "Benchmarks/Sources", ["DeviceCore", "SimulatedDevice", "SystemCalls", "Trace"]),
    measured("motion-source", in: "Benchmarks/Sources", ["DeviceCore", "IIOSource", "SystemCalls"]),
    measured("motion-wakeups", in: "Benchmarks/Sources", ["CoreMotion"]),
    measured("places", in: "Benchmarks/Sources", ["Places", "SystemCalls"]),
    measured("playback-rate", in: "Benchmarks/Sources", ["CoreLocation", "DeviceCore", "SimulatedDevice", "Trace"]),
    measured("udev-monitor", in: "Benchmarks/Sources", ["DeviceCore", "SystemCalls", "UdevMonitor"]),
]

let floors: [Target] = [
    measured("gpsd-fixes", in: "Tests/Seams/Floors", ["DeviceCore", "GPSDSource", "SystemCalls"]),
    measured("accessory-list", in: "Tests/Seams/Floors", ["DeviceCore", "UdevSource"]),
    measured("iio-samples", in: "Tests/Seams/Floors", ["DeviceCore", "IIOSource", "SystemCalls"]),
]

let fuzz = Target.target(
    name: "Fuzz",
    dependencies: [
        "AccessoryFinding", "AccessorySimulator", "BlueZSource", "Dashboard", "DeviceCore", "GPSDProtocol",
        "GPSDSimulator", "IIODSimulator", "IIOFormat", "IIOSource", "JSONBytes", "MQTTClient", "MQTTPublisher",
        "Places", "SimulatedDevice", "SyntheticMotion", "SystemCalls", "Trace", "TraceFormats", "UdevMonitor",
        "UmockdevFormat",
    ],
    path: "Tests/Fuzz/Sources", swiftSettings: strict)

var targets = core + location + motion + accessories + boards + traces + simulators + tool + testing
/// The tests that run under user-mode emulation. Of UdevSourceTests, only the tests of kernel structure layouts run.
let pure: Set = [
    "CoreLocationTests", "CoreMotionTests", "DeviceCoreTests", "ExternalAccessoryTests", "GPSDProtocolTests",
    "GeodesyTests", "MotionEngineTests", "SensorFusionTests", "SimulatedDeviceTests", "TraceFormatsTests", "TraceTests",
    "UdevSourceTests",
]
if extras.contains("pure") {
    targets.removeAll { ($0.isTest || $0.name.hasPrefix("TestProgram")) && !pure.contains($0.name) }
}
if extras.contains("benchmarks") { targets += benchmarks }
if extras.contains("floors") { targets += floors }
if extras.contains("fuzz") { targets.append(fuzz) }

let package = Package(
    name: "swift-device-services",
    products: [
        .library(name: "CoreLocation", targets: ["CoreLocation", "CoreLocationSubmodules"]),
        .library(name: "CoreMotion", targets: ["CoreMotion", "CoreMotionSubmodules"]),
        .library(name: "ExternalAccessory", targets: ["ExternalAccessory", "ExternalAccessorySubmodules"]),
        .library(name: "DeviceSupport", targets: ["DeviceSupport"]),
        .library(name: "SimulatedDevice", targets: ["SimulatedDevice", "Trace"]),
        // Plays recordings to tests. It imports Swift Testing, so only test targets can use it.
        .library(name: "DeviceTesting", targets: ["DeviceTesting", "SimulatedDevice", "Trace"]),
        .library(name: "GPSDSimulator", targets: ["GPSDSimulator", "DeviceCore", "Trace"]),
        .library(
            name: "SimulatedServers",
            targets: [
                "SimulatedServers", "AccessorySimulator", "DeviceCore", "GPSDSimulator", "IIODSimulator", "Trace",
                "TraceEditing",
            ]),
        .library(name: "IIODSimulator", targets: ["IIODSimulator", "IIOFormat", "DeviceCore", "Trace"]),
        .library(name: "AccessorySimulator", targets: ["AccessorySimulator", "DeviceCore", "UmockdevFormat"]),
        // Filters that separate gravity from motion, and attitude filters.
        .library(name: "SensorFusion", targets: ["SensorFusion"]),
        // Consistent positions and motion, generated from a route.
        .library(name: "SyntheticMotion", targets: ["SyntheticMotion", "Trace"]),
        // Cuts, merges, anonymizes, degrades and summarizes traces.
        .library(name: "TraceEditing", targets: ["TraceEditing"]),
        // Imports phone app recordings, receiver logs, CSV, GPX and MCAP files, and exports traces to such formats.
        .library(name: "TraceFormats", targets: ["TraceFormats"]),
        // Positions and motion without Foundation, for small tools. These are separate products, so that a tool links
        // only the source that it uses.
        .library(name: "GPSDSource", targets: ["GPSDSource", "DeviceCore"]),
        .library(name: "IIOSource", targets: ["IIOSource", "DeviceCore"]),
        .library(name: "UdevSource", targets: ["UdevSource", "AccessoryFinding", "DeviceCore"]),
        // Publishes positions and readings to an MQTT broker.
        .library(name: "MQTTPublisher", targets: ["MQTTPublisher", "DeviceCore"]),
        .executable(name: "sensorctl", targets: ["sensorctl"]),
    ] + (extras.contains("fuzz") ? [.library(name: "Fuzz", type: .static, targets: ["Fuzz"])] : []),
    traits: [
        .trait(
            name: "LibGPS", description: "Also reads gpsd through libgps (libgps:// addresses). Requires libgps-dev."),
        .trait(name: "LibIIO", description: "Reads motion sensors through libiio. Requires libiio-dev."),
        .trait(name: "LibUdev", description: "Finds USB accessories through libudev. Requires libudev-dev."),
        .trait(
            name: "OfflinePlaces",
            description: "Enables CLGeocoder without a network, with 2 MB of data in the program."),
        .trait(
            name: "LibMosquitto",
            description:
                "Publishes at MQTT brokers and subscribes to other boards through libmosquitto. Requires libmosquitto-dev."
        ),
        .default(
            enabledTraits: Set(["LibGPS", "LibIIO", "LibUdev", "OfflinePlaces"] + (testsMQTT ? ["LibMosquitto"] : []))),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    ],
    targets: targets
)
