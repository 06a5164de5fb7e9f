import Foundation

let trip = Trip()
trip.start()
RunLoop.main.run()
