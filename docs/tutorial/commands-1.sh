export SWIFT_DETERMINISTIC_HASHING=1
swift build
swift run sensorctl synthesize walk.csv drive.trace --imu mpu6050 --receiver open-sky
