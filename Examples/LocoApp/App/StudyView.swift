import LocoAppModel
import SwiftUI

/// The settings of a field study, the app's wake sources, and the button that shares the journal.
struct StudyView: View {
  @Bindable var model: AppModel
  @Environment(\.scenePhase) private var phase

  var body: some View {
    Form {
      Section {
        Toggle("Record a journal", isOn: $model.isRecording)
        ShareLink("Share the journal", items: model.files).disabled(model.files.isEmpty)
      } footer: {
        Text(
          "All places are moved and rotated together before they are written. Times and the battery's level are kept. Speeds and the shapes of routes hardly change. \(model.files.count) files."
        )
      }
      SettingsSection(model: model)
      Section("What can wake the app now") {
        // No listener is told when the wake sources change.
        TimelineView(.periodic(from: .now, by: 5)) { _ in
          VStack(alignment: .leading, spacing: 12) {
            ForEach(model.wakeSources) { source in
              Label(source.name, systemImage: source.isAvailable ? "checkmark.circle" : "minus.circle")
                .foregroundStyle(source.isAvailable ? .primary : .secondary)
                .accessibilityValue(source.isAvailable ? "available" : "not available")
            }
          }
        }
      }
    }
    // A new manager begins another file, and the journal grows while the page isn't shown.
    .task(id: [model.isRecording, model.usesMotion, model.comparesKeepers, phase == .active]) {
      await model.refreshFiles()
    }
  }
}

/// The offer to record, shown until the user answers.
struct OfferView: View {
  let model: AppModel

  var body: some View {
    NavigationStack {
      Form {
        Section {
          Text(
            "Would you like to record a few days for a field study? The journal stays on this phone until you share it. Its places are moved, but the shape of a long route, matched to a map, can still show where you live."
          )
        }
        SettingsSection(model: model)
        Section {
          Button("Record a journal") { model.answerOffer(records: true) }
          Button("Not now") { model.answerOffer(records: false) }
        } footer: {
          Text("You can change these settings later on the Study page.")
        }
      }
      .navigationTitle("A field study")
    }
    .interactiveDismissDisabled()
  }
}

/// The settings of the error bound and the motion sensor.
private struct SettingsSection: View {
  @Bindable var model: AppModel

  var body: some View {
    Section {
      Picker("Error bound", selection: $model.errorBound) {
        ForEach(AppModel.errorBounds, id: \.self) { bound in
          Text(bound.map { "\(Int($0)) m" } ?? "Off").tag(bound)
        }
      }
      Toggle("Use the motion sensor", isOn: $model.usesMotion)
      Toggle("Compare ways of running", isOn: $model.comparesKeepers)
    } footer: {
      Text(
        "A bound needs the permission Always in the background. The motion sensor's first use shows a prompt. During a comparison, the way in which the app is kept running changes with each hour, and the system's indicator shows it."
      )
    }
  }
}
