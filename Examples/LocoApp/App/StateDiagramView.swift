import LocoAppModel
import LocoKit
import SwiftUI

/// A diagram of the location machine with the current state highlighted.
struct StateDiagramView: View {
  let state: LocationMachine.State
  private static let layout = DiagramLayout()

  var body: some View {
    GeometryReader { geometry in
      Canvas { context, size in
        for arrow in Self.layout.arrows {
          var path = Path()
          path.move(to: point(of: arrow.from, in: size))
          path.addLine(to: point(of: arrow.to, in: size))
          context.stroke(path, with: .color(.secondary), lineWidth: arrow.from == state ? 2 : 0.5)
        }
      }
      ForEach(LocationMachine.State.allCases, id: \.self) { each in
        Text(each.rawValue)
          .font(.caption)
          .padding(8)
          .background(each == state ? Color.accentColor : Color(white: 0.85), in: .rect(cornerRadius: 8))
          .foregroundStyle(each == state ? .white : .black)
          .position(point(of: each, in: geometry.size))
      }
    }
    .animation(.default, value: state)
    .accessibilityElement()
    .accessibilityLabel("The state is \(state.rawValue)")
  }

  private func point(of state: LocationMachine.State, in size: CGSize) -> CGPoint {
    let place = Self.layout.place(of: state)
    return CGPoint(x: place.x * size.width, y: place.y * size.height)
  }
}
