/** Undefined if the text is not a URL. The parser throws a TypeError whose text differs between engines. */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
