// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that the library's users never build it. `run` measures everything and prints ratios.
let package = Package(
    name: "device-services-benchmarks",
    traits: [
        .trait(name: "LibGPS"),
        .trait(name: "LibIIO"),
        .trait(name: "LibUdev"),
        .default(enabledTraits: ["LibGPS", "LibIIO", "LibUdev"]),
    ],
    dependencies: [
        .package(
            name: "swift-device-services", path: "..",
            traits: [
                .trait(name: "LibGPS", condition: .when(traits: ["LibGPS"])),
                .trait(name: "LibIIO", condition: .when(traits: ["LibIIO"])),
                .trait(name: "LibUdev", condition: .when(traits: ["LibUdev"])),
            ])
    ],
    targets: [
        .executableTarget(
            name: "accessory-channel",
            dependencies: [.product(name: "ByteChannels", package: "swift-device-services")]),
        .executableTarget(
            name: "accessory-stream",
            dependencies: [.product(name: "ExternalAccessory", package: "swift-device-services")]),
        .executableTarget(
            name: "drive-playback",
            dependencies: [
                .product(name: "CoreLocation", package: "swift-device-services"),
                .product(name: "CoreMotion", package: "swift-device-services"),
                .product(name: "SimulatedDevice", package: "swift-device-services"),
            ]),
        .executableTarget(
            name: "formats",
            dependencies: [
                .product(name: "GPSDProtocol", package: "swift-device-services"),
                .product(name: "SimulatedDevice", package: "swift-device-services"),
                .product(name: "TraceFormats", package: "swift-device-services"),
            ]),
        .executableTarget(
            name: "fusion", dependencies: [.product(name: "SensorFusion", package: "swift-device-services")]),
        .executableTarget(
            name: "location-client", dependencies: [.product(name: "CoreLocation", package: "swift-device-services")]),
        .executableTarget(
            name: "magnetic-field", dependencies: [.product(name: "Geodesy", package: "swift-device-services")]),
        .executableTarget(
            name: "minimal-location", dependencies: [.product(name: "CoreLocation", package: "swift-device-services")]),
        .executableTarget(
            name: "motion-decode",
            dependencies: [
                .product(name: "IIOFormat", package: "swift-device-services"),
                .product(name: "SensorFusion", package: "swift-device-services"),
            ]),
        .executableTarget(
            name: "motion-manager", dependencies: [.product(name: "CoreMotion", package: "swift-device-services")]),
        .executableTarget(
            name: "motion-wakeups", dependencies: [.product(name: "CoreMotion", package: "swift-device-services")]),
        .executableTarget(
            name: "motion-source", dependencies: [.product(name: "IIOSource", package: "swift-device-services")]),
        .executableTarget(
            name: "motion-playback",
            dependencies: [.product(name: "SimulatedDevice", package: "swift-device-services")]),
        .executableTarget(
            name: "playback-rate",
            dependencies: [
                .product(name: "CoreLocation", package: "swift-device-services"),
                .product(name: "SimulatedDevice", package: "swift-device-services"),
            ]),
        .executableTarget(
            name: "udev-monitor", dependencies: [.product(name: "UdevMonitor", package: "swift-device-services")]),
    ]
)
