// swift-tools-version: 6.2
import PackageDescription

// ARCHITECTURE.md draws this house, and scripts/architecture holds the sources against both.

/// What scripts build beyond the package: words of DEVICE_SERVICES_EXTRAS, separated by commas. An app never sets it.
/// - fuzz: what Tests/Fuzz/run builds.
/// - benchmarks: the programs that Benchmarks/run measures and scripts/endure runs.
/// - floors: tools on the sources alone, whose size and symbols scripts/seams checks.
/// - traits: of the tests, only those of rooms that a trait changes.
/// - pure: of the tests, only those that need neither hardware nor other programs.
/// - quick: each target is compiled in one go, which takes a third less from nothing, and rooms that compute are
///   optimised, so that their tests take seconds. The trait LibMosquitto is on, so that one build tests all: a trait is
///   an option of every target, and a build of its own for this one would compile all of them again.
/// - nomqtt: with quick, and without that trait, where libmosquitto-dev cannot be had.
let extras = Set((Context.environment["DEVICE_SERVICES_EXTRAS"] ?? "").split(separator: ",").map(String.init))

let testsMQTT = extras.contains("quick") && !extras.contains("nomqtt")

/// One go, with a file of code for each file, which debug builds link.
let whole: [SwiftSetting] =
    extras.contains("quick")
    ? [.unsafeFlags(["-disable-batch-mode", "-wmo", "-num-threads", "2", "-no-emit-module-separately-wmo"])] : []

/// Swift 6 language mode, and the upcoming features that keep a public surface small and explicit.
let strict: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + whole
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
/// Sources as they were written for iOS, in the language mode of that time.
let asOnIOS: [SwiftSetting] = [.swiftLanguageMode(.v5)] + whole

let log: Target.Dependency = .product(name: "Logging", package: "swift-log")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
func library(_ name: String, _ trait: String) -> Target.Dependency {
    .target(name: name, condition: .when(traits: [trait]))
}

/// Rooms that compute, and that test builds optimise.
let computing: Set = [
    "Geodesy", "JSONBytes", "MotionEngine", "Places", "Plotting", "SensorFusion", "SyntheticMotion",
]
/// As in a release, but with its assertions.
let optimized: [SwiftSetting] = [.unsafeFlags(["-O", "-assert-config", "Debug"])]

/// A room: a folder of that name in the folder of its wing.
func room(
    _ name: String, in wing: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [],
    resources: [Resource] = [], settings: [SwiftSetting] = strict
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "\(wing)/\(name)", exclude: exclude, resources: resources,
        swiftSettings: extras.contains("quick") && computing.contains(name) ? settings + optimized : settings)
}

func tests(
    _ name: String, in wing: String, _ dependencies: [Target.Dependency], exclude: [String] = [],
    settings: [SwiftSetting] = strict
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, path: "\(wing)/\(name)", exclude: exclude,
        swiftSettings: settings)
}

/// Only a module map: it makes `import CoreLocation.CLLocationManagerDelegate` and the like resolve.
func submodules(of framework: String, in wing: String) -> Target {
    .target(name: framework + "Submodules", path: "\(wing)/\(framework)Submodules")
}

/// A program that tests run as a process of its own: see Tests/TestSupport/TestProgram.swift.
func program(_ name: String, _ dependencies: [Target.Dependency], settings: [SwiftSetting] = strict) -> Target {
    .executableTarget(
        name: "TestProgram" + name, dependencies: dependencies, path: "Tests/Programs/" + name, swiftSettings: settings)
}

/// What every wing stands on: bytes, clocks, readings and how they are delivered.
let hall: [Target] = [
    room("SystemCalls", in: "Sources/Device"),
    room("JSONBytes", in: "Sources/Device"),
    room("DeviceCore", in: "Sources/Device", ["JSONBytes", "SystemCalls"]),
    room("AppDelivery", in: "Sources/Device", ["DeviceCore", log]),
    // Lists LiveSources so that it is linked, and never imports it: see LiveDevice.swift.
    room("LiveDevice", in: "Sources/Device", ["DeviceCore", "JSONBytes", "LiveSources", "SystemCalls", log]),
    room(
        "LiveSources", in: "Sources/Device",
        [
            "BlueZSource", "DeviceCore", "GPSDSource", "IIOSource", "SystemCalls", "UdevMonitor",
            library("MQTTSource", "LibMosquitto"),
        ]),
]

let location: [Target] = [
    .systemLibrary(
        name: "CLibGPS", path: "Sources/Location/CLibGPS", pkgConfig: "libgps", providers: [.apt(["libgps-dev"])]),
    room("Geodesy", in: "Sources/Location", ["SystemCalls"]),
    room("GPSDProtocol", in: "Sources/Location", ["DeviceCore", "JSONBytes", "SystemCalls"]),
    // Countries, cities, lakes and seas, by place and by name.
    room("Places", in: "Sources/Location", ["SystemCalls"]),
    // What Places reads, made by a script from open data. .incbin looks for it where headers are looked for.
    .target(
        name: "CPlaceData", path: "Sources/Location/CPlaceData",
        exclude: ["LICENSE.unicode", "README.md", "countries.tsv", "lakes.tsv", "make_places.py", "places.bin"],
        sources: ["data.S", "places.c"],
        cSettings: [.headerSearchPath(".")]),
    room("NMEAFormat", in: "Sources/Location", ["DeviceCore", "JSONBytes"]),
    room(
        "GPSDSource", in: "Sources/Location",
        ["DeviceCore", "GPSDProtocol", "SystemCalls", library("CLibGPS", "LibGPS")]),
    // Bluetooth beacons, from BlueZ over D-Bus.
    room("BlueZSource", in: "Sources/Location", ["DeviceCore"]),
    // Lists CPlaceData so that it is linked, and never imports it: see OfflinePlaceFinder.swift.
    room(
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
    room("SensorFusion", in: "Sources/Motion", ["SystemCalls"]),
    room("IIOFormat", in: "Sources/Motion", ["DeviceCore"]),
    room(
        "IIOSource", in: "Sources/Motion",
        ["DeviceCore", "IIOFormat", "SystemCalls", log, library("CLibIIO", "LibIIO")]),
    room("MotionEngine", in: "Sources/Motion", ["DeviceCore", "Geodesy", "SensorFusion"]),
    room(
        "CoreMotion", in: "Sources/Motion",
        ["AppDelivery", "DeviceCore", "JSONBytes", "LiveDevice", "MotionEngine", "SensorFusion", log],
        settings: framework),
    submodules(of: "CoreMotion", in: "Sources/Motion"),
    // Not named UIKit: that would turn `#if canImport(UIKit)` on in every dependency of an app.
    room(
        "DeviceSupport", in: "Sources/Motion",
        ["AppDelivery", "DeviceCore", "LiveDevice", "MotionEngine", "SensorFusion"], settings: framework),
]

let accessories: [Target] = [
    .systemLibrary(
        name: "CLibUdev", path: "Sources/Accessories/CLibUdev", pkgConfig: "libudev", providers: [.apt(["libudev-dev"])]
    ),
    // What udev says of a device, and which accessories such records make up.
    room("AccessoryFinding", in: "Sources/Accessories", ["DeviceCore", "JSONBytes"]),
    // umockdev's descriptions of such records, and its dialogues. A room of its own, so that no board carries it.
    room("UmockdevFormat", in: "Sources/Accessories", ["AccessoryFinding", "DeviceCore", "JSONBytes"]),
    // Serial ports, sockets, HID reports and USB endpoints as streams of bytes.
    room("ByteChannels", in: "Sources/Accessories", ["AccessoryFinding", "DeviceCore", "SystemCalls"]),
    room(
        "UdevMonitor", in: "Sources/Accessories",
        ["AccessoryFinding", "DeviceCore", "JSONBytes", "SystemCalls", log, library("CLibUdev", "LibUdev")]),
    room(
        "UdevSource", in: "Sources/Accessories",
        ["AccessoryFinding", "ByteChannels", "DeviceCore", "SystemCalls", "UdevMonitor", log],
        exclude: ["udev"]),
    // Lists UdevSource so that it is linked, and never imports it: see LiveDevice.swift.
    room(
        "ExternalAccessory", in: "Sources/Accessories",
        ["AppDelivery", "DeviceCore", "LiveDevice", "SystemCalls", "UdevSource", log], settings: framework),
    submodules(of: "ExternalAccessory", in: "Sources/Accessories"),
]

/// Boards that tell each other where they are, by way of an MQTT broker.
let boards: [Target] = [
    .systemLibrary(
        name: "CLibMosquitto", path: "Sources/Boards/CLibMosquitto", pkgConfig: "libmosquitto",
        providers: [.apt(["libmosquitto-dev"])]),
    // OwnTracks, SenML, and what Home Assistant wants to know.
    room("BoardMessages", in: "Sources/Boards", ["DeviceCore", "JSONBytes"]),
    room("BrokerLink", in: "Sources/Boards", ["DeviceCore", library("CLibMosquitto", "LibMosquitto")]),
    room("MQTTPublisher", in: "Sources/Boards", ["BoardMessages", "BrokerLink", "DeviceCore", "SystemCalls"]),
    // What another board publishes, as positions.
    room("MQTTSource", in: "Sources/Boards", ["BoardMessages", "BrokerLink", "DeviceCore"]),
]

/// The library of recordings.
let traces: [Target] = [
    room(
        "Trace", in: "Sources/Traces", ["DeviceCore", "GPSDProtocol", "JSONBytes", "SystemCalls"],
    ),
    // Cutting, merging, scrubbing and spoiling traces, and saying what is in them.
    room(
        "TraceEditing", in: "Sources/Traces",
        ["DeviceCore", "Geodesy", "GPSDProtocol", "JSONBytes", "NMEAFormat", "SystemCalls", "Trace"]),
    // Other programs' recordings as traces, and traces as theirs.
    room(
        "TraceFormats", in: "Sources/Traces",
        [
            "DeviceCore", "Geodesy", "GPSDProtocol", "IIOFormat", "JSONBytes", "NMEAFormat",
            "SensorFusion", "SystemCalls", "Trace", "TraceEditing", "UmockdevFormat",
        ]),
    // The last minutes of a recording on the disk, saved when something happens.
    room(
        "BlackBox", in: "Sources/Traces",
        ["DeviceCore", "JSONBytes", "SensorFusion", "SystemCalls", "Trace", "TraceEditing"]),
]

let simulators: [Target] = [
    room("SimulatedDevice", in: "Simulators", ["DeviceCore", "GPSDProtocol", "JSONBytes", "SystemCalls", "Trace"]),
    // Positions and motion that agree with each other, from a route.
    room(
        "SyntheticMotion", in: "Simulators",
        ["DeviceCore", "Geodesy", "GPSDProtocol", "JSONBytes", "SensorFusion", "SystemCalls", "Trace"]),
    // What the simulated servers share: a listener, pseudo-terminals.
    room("LoopbackServer", in: "Simulators", ["DeviceCore", "SystemCalls"]),
    room(
        "GPSDSimulator", in: "Simulators",
        ["DeviceCore", "GPSDProtocol", "JSONBytes", "LoopbackServer", "NMEAFormat", "SystemCalls", "Trace"]),
    room("IIODSimulator", in: "Simulators", ["DeviceCore", "IIOFormat", "LoopbackServer", "SystemCalls", "Trace"]),
    room(
        "AccessorySimulator", in: "Simulators",
        ["AccessoryFinding", "DeviceCore", "JSONBytes", "LoopbackServer", "SystemCalls", "Trace", "UmockdevFormat"]),
    // All of them at once, for programs that know nothing of it.
    room(
        "SimulatedServers", in: "Simulators",
        [
            "AccessorySimulator", "DeviceCore", "GPSDSimulator", "IIODSimulator", "IIOFormat", "LoopbackServer",
            "SystemCalls", "Trace", "TraceEditing", "TraceFormats",
        ]),
]

let tool: [Target] = [
    // What the tool finds out and reports, without a terminal and without arguments.
    room(
        "SensorTools", in: "Sources/sensorctl",
        [
            "AccessoryFinding", "ByteChannels", "DeviceCore", "Geodesy", "JSONBytes", "MotionEngine", "SensorFusion",
            "SystemCalls", "Trace", "TraceEditing",
        ], resources: [.embedInCode("Doctor/external-accessory.rules")]),
    // The files of the dashboard's page. .incbin looks for them where headers are looked for.
    .target(
        name: "DashboardPage", path: "Sources/sensorctl/DashboardPage", exclude: ["page"],
        sources: ["data.S", "pages.c"], cSettings: [.headerSearchPath("page")]),
    // Serves that page, and what a session tells, to browsers on this machine.
    room(
        "Dashboard", in: "Sources/sensorctl",
        ["DashboardPage", "DeviceCore", "JSONBytes", "LoopbackServer", "SystemCalls"]),
    // What a recording looks like on paper, from numbers to SVG.
    room(
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
    // What several tests need.
    .target(
        name: "TestSupport", dependencies: ["DeviceCore", "SystemCalls"], path: "Tests/TestSupport",
        swiftSettings: strict),

    tests(
        "JSONBytesTests", in: "Tests/Device", ["JSONBytes", "TestSupport"], exclude: ["make_numbers.py", "numbers.tsv"]),
    tests(
        "DeviceCoreTests", in: "Tests/Device",
        [
            "AppDelivery", "DeviceCore", "GPSDProtocol", "JSONBytes", "LiveDevice", "LiveSources", "SystemCalls",
            "TestSupport",
        ],
        exclude: ["epochs.tsv", "make_epochs.py"]),

    tests(
        "GeodesyTests", in: "Tests/Location", ["Geodesy", "TestSupport"], exclude: ["Reference", "make_reference.py"]),
    tests(
        "PlacesTests", in: "Tests/Location", ["Places", "TestSupport"], exclude: ["Reference", "make_reference.py"]),
    tests(
        "GPSDProtocolTests", in: "Tests/Location", ["DeviceCore", "GPSDProtocol", "NMEAFormat", "TestSupport"],
        exclude: ["expected.tsv", "make_expected.py"]),
    tests(
        "GPSDSourceTests", in: "Tests/Location",
        ["DeviceCore", "GPSDProtocol", "GPSDSource", "SystemCalls", "TestSupport"]),
    tests(
        "BlueZSourceTests", in: "Tests/Location", ["BlueZSource", "DeviceCore", "TestSupport"],
        exclude: ["Mock/bluez_mock.py", "messages.txt"]),
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
            "CoreLocation", "CoreMotion", "DeviceCore", "DeviceSupport", "MotionEngine", "SensorFusion",
            "SimulatedDevice", "SyntheticMotion", "TestSupport", "Trace", "TraceFormats",
        ]),
    tests(
        "CoreMotionTests", in: "Tests/Motion",
        ["CoreMotion", "DeviceCore", "MotionEngine", "SensorFusion", "TestSupport"]),
    tests("DeviceSupportTests", in: "Tests/Motion", ["DeviceCore", "DeviceSupport"]),

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
            "UdevSource", "UmockdevFormat",
        ], exclude: ["layouts.c"]),
    tests(
        "ExternalAccessoryTests", in: "Tests/Accessories",
        ["DeviceCore", "ExternalAccessory"]),

    tests(
        "BoardsTests", in: "Tests/Boards",
        ["BoardMessages", "BrokerLink", "DeviceCore", "MQTTPublisher", "MQTTSource", "SystemCalls", "TestSupport"]),

    tests(
        "TraceTests", in: "Tests/Traces",
        ["DeviceCore", "Geodesy", "GPSDProtocol", "SystemCalls", "TestSupport", "Trace", "TraceEditing"]),
    tests(
        "TraceFormatsTests", in: "Tests/Traces",
        [
            "DeviceCore", "GPSDProtocol", "IIOFormat", "JSONBytes", "NMEAFormat", "SystemCalls", "TestSupport",
            "Trace", "TraceEditing", "TraceFormats", "UmockdevFormat",
        ], exclude: ["Fixtures", "check_mcap.py", "mcap_oracle.py"]),
    tests("BlackBoxTests", in: "Tests/Traces", ["BlackBox", "DeviceCore", "SystemCalls", "TestSupport", "Trace"]),

    tests(
        "SimulatedDeviceTests", in: "Tests/Simulators",
        ["CoreLocation", "DeviceCore", "ExternalAccessory", "SimulatedDevice", "TestSupport", "Trace"]),
    tests(
        "SyntheticMotionTests", in: "Tests/Simulators",
        ["DeviceCore", "Geodesy", "GPSDProtocol", "SensorFusion", "SyntheticMotion", "SystemCalls", "Trace"]),
    tests(
        "SimulatorTests", in: "Tests/Simulators",
        [
            "AccessoryFinding", "AccessorySimulator", "DeviceCore", "GPSDProtocol", "GPSDSimulator", "GPSDSource",
            "IIODSimulator", "IIOFormat", "IIOSource", "LoopbackServer", "SimulatedServers", "SystemCalls",
            "TestSupport", "Trace", "TraceEditing", "UdevSource", "UmockdevFormat",
        ],
        exclude: ["GPSD/gpsd-3.22-dialogue.jsonl", "GPSD/make_dialogue.py", "IIOD/iiod-0.24-dialogue.jsonl"]),

    tests("PlottingTests", in: "Tests/sensorctl", ["DeviceCore", "JSONBytes", "Plotting", "TestSupport"]),
    tests(
        "SensorctlTests", in: "Tests/sensorctl",
        [
            "AccessoryFinding", "AccessorySimulator", "CoreLocation", "Dashboard", "DeviceCore", "ExternalAccessory",
            "JSONBytes", "sensorctl", "SensorFusion", "SensorTools", "SimulatedDevice", "SyntheticMotion",
            "SystemCalls",
            "TestSupport",
            "Trace", "UmockdevFormat",
        ]),
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

// What scripts build beyond it; see `extras`.

/// A program that scripts measure, written as one of another package would be.
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
    // What scripts/endure runs.
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
        "AccessoryFinding", "AccessorySimulator", "BlueZSource", "BoardMessages", "Dashboard", "DeviceCore",
        "GPSDProtocol", "GPSDSimulator", "IIODSimulator", "IIOFormat", "IIOSource", "JSONBytes", "MQTTPublisher",
        "Places", "SimulatedDevice", "SyntheticMotion", "SystemCalls", "Trace", "TraceFormats", "UdevMonitor",
        "UmockdevFormat",
    ],
    path: "Tests/Fuzz/Sources", swiftSettings: strict)

/// The tests of rooms in which a trait turns a library of C on or off. Without C libraries the first command runs these;
/// those of programs and servers run so with `--all`.
let changedByTraits: Set = ["BoardsTests", "DeviceCoreTests", "GPSDSourceTests", "IIOSourceTests", "UdevSourceTests"]

var targets = hall + location + motion + accessories + boards + traces + simulators + tool + testing
if extras.contains("traits") { targets.removeAll { $0.isTest && !changedByTraits.contains($0.name) } }
/// Those that an emulator of one program can run; of UdevSourceTests the layouts of the kernel's structures.
let pure: Set = [
    "BlackBoxTests", "CoreLocationTests", "CoreMotionTests", "DeviceCoreTests", "DeviceSupportTests",
    "ExternalAccessoryTests", "GPSDProtocolTests", "GeodesyTests", "JSONBytesTests", "MotionEngineTests", "PlacesTests",
    "SensorFusionTests", "SimulatedDeviceTests", "SyntheticMotionTests", "TraceFormatsTests", "TraceTests",
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
        .library(name: "GPSDSimulator", targets: ["GPSDSimulator", "DeviceCore", "Trace"]),
        .library(
            name: "SimulatedServers",
            targets: [
                "SimulatedServers", "AccessorySimulator", "DeviceCore", "GPSDSimulator", "IIODSimulator", "Trace",
                "TraceEditing",
            ]),
        .library(name: "IIODSimulator", targets: ["IIODSimulator", "IIOFormat", "DeviceCore", "Trace"]),
        .library(name: "AccessorySimulator", targets: ["AccessorySimulator", "DeviceCore", "UmockdevFormat"]),
        // Filters that separate gravity from motion.
        .library(name: "SensorFusion", targets: ["SensorFusion"]),
        // Positions and motion that agree with each other, from a route.
        .library(name: "SyntheticMotion", targets: ["SyntheticMotion", "Trace"]),
        // Cutting, merging, scrubbing and spoiling traces, and saying what is in them.
        .library(name: "TraceEditing", targets: ["TraceEditing"]),
        // Other programs' recordings as traces, and traces as theirs: phones' apps, receivers' logs, tables, GPX, MCAP.
        .library(name: "TraceFormats", targets: ["TraceFormats"]),
        // Positions and motion without Foundation, for small tools. A product for each source, so that a tool links no other.
        .library(name: "GPSDSource", targets: ["GPSDSource", "DeviceCore"]),
        .library(name: "IIOSource", targets: ["IIOSource", "DeviceCore"]),
        .library(name: "UdevSource", targets: ["UdevSource", "AccessoryFinding", "DeviceCore"]),
        // Positions and readings at an MQTT broker.
        .library(name: "MQTTPublisher", targets: ["MQTTPublisher", "DeviceCore"]),
        .executable(name: "sensorctl", targets: ["sensorctl"]),
    ] + (extras.contains("fuzz") ? [.library(name: "Fuzz", type: .static, targets: ["Fuzz"])] : []),
    traits: [
        .trait(name: "LibGPS", description: "Reads gpsd through libgps too (libgps:// addresses); needs libgps-dev."),
        .trait(name: "LibIIO", description: "Reads motion sensors through libiio; needs libiio-dev."),
        .trait(name: "LibUdev", description: "Finds USB accessories through libudev; needs libudev-dev."),
        .trait(
            name: "OfflinePlaces",
            description: "Lets CLGeocoder answer without a network, from 2 MB of data in the program."),
        .trait(
            name: "LibMosquitto",
            description:
                "Publishes at MQTT brokers and follows other boards through libmosquitto; needs libmosquitto-dev."
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
