// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Tells when the device lies still: gyroscope and accelerometer stay near their own mean for some time.
@usableFromInline
struct RestDetector: Sendable {
    @usableFromInline private(set) var isResting = false
    /// The mean angular rate, bias included.
    private(set) var meanRate = SIMD4<Double>.zero

    /// How long nothing has moved, in seconds.
    private(set) var stillTime = 0.0
    private var rateCoefficients: LowPassCoefficients
    private var accelerationCoefficients: LowPassCoefficients
    private var rateLanes = LowPassLanes<SIMD4<Double>>()
    private var accelerationLanes = LowPassLanes<SIMD4<Double>>()

    private let minimumTime: Double
    private let squaredRateThreshold: Double
    private let squaredAccelerationThreshold: Double
    private let limit: Double

    init(settings: AttitudeFilter.Settings) {
        minimumTime = settings.restMinimumTime
        squaredRateThreshold = settings.restRotationThreshold * settings.restRotationThreshold
        squaredAccelerationThreshold = settings.restAccelerationThreshold * settings.restAccelerationThreshold
        limit = settings.biasLimit
        rateCoefficients = LowPassCoefficients(timeConstant: settings.restTimeConstant)
        accelerationCoefficients = LowPassCoefficients(timeConstant: settings.restTimeConstant)
    }

    @inline(__always)
    mutating func update(rate: SIMD4<Double>, interval: Double) {
        rateCoefficients.advance(by: interval)
        meanRate = rateLanes.update(rate, rateCoefficients)
        let deviation = rate - meanRate
        let isTurning = abs(meanRate.x) > limit || abs(meanRate.y) > limit || abs(meanRate.z) > limit
        if deviation.dot(deviation) >= squaredRateThreshold || isTurning { end() }
    }

    @inline(__always)
    mutating func update(acceleration: SIMD4<Double>, interval: Double) {
        accelerationCoefficients.advance(by: interval)
        let deviation = acceleration - accelerationLanes.update(acceleration, accelerationCoefficients)
        if deviation.dot(deviation) >= squaredAccelerationThreshold {
            end()
        } else {
            stillTime += interval
            if stillTime >= minimumTime { isResting = true }
        }
    }

    mutating func restart() {
        end()
        rateCoefficients.restart()
        accelerationCoefficients.restart()
    }

    @inline(__always)
    private mutating func end() {
        stillTime = 0
        isResting = false
    }
}
