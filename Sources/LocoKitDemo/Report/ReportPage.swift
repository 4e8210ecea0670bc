#if os(Linux) || os(macOS)
  /// The page of a report, without its data.
  ///
  /// It is in Swift files: Xcode does not know the resource rule `.embedInCode`, and a bundle beside a program gets lost.
  enum ReportPage {
    /// What a browser must find of the script and the style, or it runs and applies neither. `.ci/report` says what they are.
    static let scriptHash = "sha256-9rqxr44WooNYZ7g3moWeMjoJK7vOXnO8Ou+3SZdhQJM="
    static let styleHash = "sha256-jeSydjQzNcrluivBsKkGwWrpQkcvYS8+eEG019TcOmw="

    private static let head = #"""
      <!doctype html>
      <!-- Plain JavaScript and canvas, no library: the page is one file that works without a network, and a library would be more to
        read, to trust and to carry in each report than the little that is drawn here. -->
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy"
        content="default-src 'none'; script-src '\#(scriptHash)'; style-src '\#(styleHash)'; base-uri 'none'; form-action 'none'">
      <meta name="referrer" content="no-referrer">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>LocoKit report</title>
      """#

    /// One page, which needs nothing beside itself.
    ///
    /// - Parameter json: The data, without any `<`.
    static func page(_ json: String) -> String {
      """
      \(head)
      <style>\(style)</style>
      </head>
      <body>
      \(body)
      <script type="application/json" id="data">\(json)</script>
      <script>\(script)</script>
      </body>
      </html>
      """
    }
  }
#endif
