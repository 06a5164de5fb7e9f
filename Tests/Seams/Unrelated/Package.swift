// swift-tools-version: 6.2
import PackageDescription

// Like many published packages, it supports Core Location if it is available, and has no dependencies.
let package = Package(
    name: "Unrelated",
    products: [.library(name: "Unrelated", targets: ["Unrelated"])],
    targets: [.target(name: "Unrelated")]
)
