import LocoAppModel
import LocoKit
import MapKit
import SwiftUI

struct ContentView: View {
  let model: AppModel

  var body: some View {
    TabView {
      VStack {
        LocationMap(location: model.status.location)
        Buttons(model: model)
      }
      .tabItem { Label("Location", systemImage: "location") }
      StateDiagramView(state: model.status.state)
        .tabItem { Label("State", systemImage: "point.3.connected.trianglepath.dotted") }
      List(model.calls) { call in
        LabeledContent(call.name) { Text(call.date, style: .time) }
      }
      .tabItem { Label("Calls", systemImage: "list.bullet") }
      JournalView(model: model)
        .tabItem { Label("Journal", systemImage: "book") }
    }
  }
}

private struct Buttons: View {
  let model: AppModel

  var body: some View {
    HStack {
      Button("Authorize", action: model.authorize).disabled(!model.isPossible(.forcePrompt))
      Button("Pause", action: model.pause).disabled(!model.isPossible(.pause))
      Button("Resume", action: model.resume).disabled(!model.isPossible(.resume))
      Button("Force", action: model.force).disabled(!model.isPossible(.forceAcquire))
    }
    .buttonStyle(.bordered)
    .padding()
  }
}

/// Records what the device does, and shares it.
private struct JournalView: View {
  let model: AppModel

  var body: some View {
    Form {
      Section {
        Toggle("Record a journal", isOn: Binding(get: { model.isRecording }, set: { model.setRecording($0) }))
        ShareLink("Share \(model.files.count) files", items: model.files).disabled(model.files.isEmpty)
      } footer: {
        Text(
          "All places are moved and turned together before they are written. Times, speeds and the shapes of ways are as they were."
        )
      }
    }
    .onAppear(perform: model.refreshFiles)
  }
}

private struct LocationMap: View {
  let location: Location?

  var body: some View {
    Map {
      if let location {
        let place = CLLocationCoordinate2D(latitude: location.latitude, longitude: location.longitude)
        Marker("Here", coordinate: place)
        MapCircle(center: place, radius: location.horizontalAccuracy).foregroundStyle(.blue.opacity(0.2))
      }
    }
    .overlay(alignment: .top) {
      if let location {
        Text(
          "\(location.timestamp, style: .relative) ago, give or take \(location.horizontalAccuracy, format: .number) m"
        )
        .padding(8)
        .background(.thinMaterial, in: .capsule)
      }
    }
  }
}
