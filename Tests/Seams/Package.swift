// swift-tools-version: 6.2
import PackageDescription

let deviceServices = "swift-device-services"
let coreLocation: Target.Dependency = .product(name: "CoreLocation", package: deviceServices)
let coreMotion: Target.Dependency = .product(name: "CoreMotion", package: deviceServices)
let externalAccessory: Target.Dependency = .product(name: "ExternalAccessory", package: deviceServices)
let simulatedDevice: Target.Dependency = .product(name: "SimulatedDevice", package: deviceServices)

// Uses of this package by other packages. scripts/seams builds it in a separate copy, step by step.
let package = Package(
    name: "seams",
    traits: [
        .trait(name: "LibGPS"),
        .trait(name: "LibIIO"),
        .trait(name: "LibUdev"),
        .trait(name: "OfflinePlaces"),
        .default(enabledTraits: ["LibGPS", "LibIIO", "LibUdev", "OfflinePlaces"]),
    ],
    dependencies: [
        .package(
            name: deviceServices, path: "../..",
            traits: [
                .trait(name: "LibGPS", condition: .when(traits: ["LibGPS"])),
                .trait(name: "LibIIO", condition: .when(traits: ["LibIIO"])),
                .trait(name: "LibUdev", condition: .when(traits: ["LibUdev"])),
                .trait(name: "OfflinePlaces", condition: .when(traits: ["OfflinePlaces"])),
            ]),
        .package(path: "Unrelated"),
        .package(url: "https://github.com/pointfreeco/swift-custom-dump", exact: "1.7.3"),
        .package(url: "https://github.com/pointfreeco/xctest-dynamic-overlay", from: "1.13.0"),
    ],
    targets: [
        // A product with a target that does not know the frameworks and a target that uses them.
        .executableTarget(
            name: "linked",
            dependencies: [
                coreLocation, coreMotion, externalAccessory, .product(name: "Unrelated", package: "Unrelated"),
            ]),
        // Playback alone, which links no framework.
        .executableTarget(name: "simulated", dependencies: [simulatedDevice]),
        // The ways in which programs import the framework and adopt its delegate.
        .executableTarget(
            name: "forms-swift5", dependencies: [coreLocation, coreMotion, simulatedDevice],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .executableTarget(
            name: "forms-swift6", dependencies: [coreLocation, coreMotion, simulatedDevice],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]),
        // scripts/seams copies the Core Location tests of swift-custom-dump to this target.
        .testTarget(
            name: "CustomDumpTests",
            dependencies: [
                coreLocation,
                coreMotion,
                .product(name: "CustomDump", package: "swift-custom-dump"),
                // Without this product, differences that the tests find do not fail them.
                .product(name: "IssueReportingTestSupport", package: "xctest-dynamic-overlay"),
            ]),
    ]
)
