// swift-tools-version: 6.2
import PackageDescription

// Built by run.sh only: it adds the sanitizers that libFuzzer needs.
let package = Package(
    name: "fuzz",
    products: [
        .library(name: "FuzzGPSD", type: .static, targets: ["FuzzGPSD"]),
        .library(name: "FuzzGPSDServer", type: .static, targets: ["FuzzGPSDServer"]),
        .library(name: "FuzzAccessories", type: .static, targets: ["FuzzAccessories"]),
        .library(name: "FuzzGPX", type: .static, targets: ["FuzzGPX"]),
        .library(name: "FuzzFormats", type: .static, targets: ["FuzzFormats"]),
        .library(name: "FuzzIIO", type: .static, targets: ["FuzzIIO"]),
        .library(name: "FuzzMotion", type: .static, targets: ["FuzzMotion"]),
    ],
    dependencies: [.package(name: "swift-device-services", path: "../..")],
    targets: [
        .target(
            name: "FuzzGPSD",
            dependencies: [
                .product(name: "GPSDProtocol", package: "swift-device-services"),
                .product(name: "JSONBytes", package: "swift-device-services"),
            ]
        ),
        .target(
            name: "FuzzGPSDServer", dependencies: [.product(name: "GPSDSimulator", package: "swift-device-services")]),
        .target(
            name: "FuzzAccessories", dependencies: [.product(name: "UdevSource", package: "swift-device-services")]),
        .target(
            name: "FuzzFormats",
            dependencies: [
                .product(name: "SimulatedDevice", package: "swift-device-services"),
                .product(name: "TraceFormats", package: "swift-device-services"),
            ]),
        .target(
            name: "FuzzGPX",
            dependencies: [
                .product(name: "IIOFormat", package: "swift-device-services"),
                .product(name: "SimulatedDevice", package: "swift-device-services"),
                .product(name: "TraceFormats", package: "swift-device-services"),
            ]),
        .target(name: "FuzzIIO", dependencies: [.product(name: "IIOFormat", package: "swift-device-services")]),
        .target(
            name: "FuzzMotion", dependencies: [.product(name: "SyntheticMotion", package: "swift-device-services")]),
    ]
)
