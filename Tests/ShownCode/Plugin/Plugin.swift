import Foundation
import PackagePlugin

/// Runs `ShownCode` on a target's folder `Shown` during a build, which compiles the tool's output into the target.
@main
struct ShownCodePlugin: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let root = context.package.directoryURL
    let templates = try FileManager.default.contentsOfDirectory(
      at: target.directoryURL.appending(path: "Shown"), includingPropertiesForKeys: nil
    ).filter { $0.pathExtension == "swift" }.sorted { $0.path < $1.path }
    var sources = [root.appending(path: "README.md")]
    let files = FileManager.default.enumerator(at: root.appending(path: "Sources"), includingPropertiesForKeys: nil)
    for case let file as URL in files?.allObjects ?? [] where ["md", "swift"].contains(file.pathExtension) {
      sources.append(file)
    }
    sources.sort { $0.path < $1.path }
    let folder = context.pluginWorkDirectoryURL
    return [
      .buildCommand(
        displayName: "Inserting the code of the README, the articles and the comments into \(target.name)",
        executable: try context.tool(named: "ShownCode").url,
        arguments: [folder.path, "--templates"] + templates.map(\.path) + ["--sources"] + sources.map(\.path),
        inputFiles: templates + sources,
        // #sourceLocation names the templates, so the generated files need other names.
        outputFiles: templates.map { folder.appending(path: "Shown-\($0.lastPathComponent)") })
    ]
  }
}
