// swift-tools-version: 6.2
import PackageDescription

let repository = "swift-device-services"
let onLinux = TargetDependencyCondition.when(platforms: [.linux])
let package = Package(
    name: "Trip",
    dependencies: [.package(url: "<the address of this repository>", branch: "main")],
    targets: [
        .executableTarget(
            name: "Trip",
            dependencies: [
                .product(name: "CoreLocation", package: repository, condition: onLinux),
                .product(name: "CoreMotion", package: repository, condition: onLinux),
            ]),
        .testTarget(
            name: "TripTests",
            dependencies: [
                "Trip",
                .product(name: "SimulatedDevice", package: repository),
                .product(name: "TraceEditing", package: repository),
            ]),
    ])
