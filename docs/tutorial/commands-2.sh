swift run sensorctl simulate drive.trace -- .build/debug/Trip
