import LocoAppModel
import LocoKit
import MapKit
import SwiftUI

struct ContentView: View {
  let model: AppModel

  var body: some View {
    TabView {
      VStack {
        LocationMap(location: model.manager.location)
        Buttons(model: model)
      }
      .tabItem { Label("Location", systemImage: "location") }
      StateDiagramView(state: model.manager.state)
        .tabItem { Label("State", systemImage: "point.3.connected.trianglepath.dotted") }
      List(model.calls) { call in
        LabeledContent(call.name) { Text("\(call.date, style: .date), \(call.date, style: .time)") }
      }
      .tabItem { Label("Calls", systemImage: "list.bullet") }
      StudyView(model: model)
        .tabItem { Label("Study", systemImage: "book") }
    }
    .sheet(isPresented: .constant(model.offersRecording)) { OfferView(model: model) }
  }
}

private struct Buttons: View {
  let model: AppModel

  var body: some View {
    VStack(spacing: 12) {
      Text(model.explanation)
      HStack {
        ForEach(model.actions) { action in
          Button(action.rawValue) { model.perform(action) }
        }
      }
      .buttonStyle(.bordered)
    }
    .padding()
  }
}

private struct LocationMap: View {
  let location: Location?

  var body: some View {
    Map {
      if let location {
        Marker("Here", coordinate: location.coordinate)
        MapCircle(center: location.coordinate, radius: location.horizontalAccuracy).foregroundStyle(.blue.opacity(0.2))
      }
    }
    .overlay(alignment: .top) {
      if let location {
        Text(
          "\(location.timestamp, style: .relative) ago, accurate to \(Int(location.horizontalAccuracy.rounded(.up))) m"
        )
        .padding(8)
        .background(.thinMaterial, in: .capsule)
      }
    }
  }
}
