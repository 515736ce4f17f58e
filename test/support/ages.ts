/** The seconds in text such as "1 m 05 s ago"; NaN if the text has no age. */
export function agoInSeconds(text: string): number {
  const found = /(?:(\d+)\s*d\s*)?(?:(\d+)\s*h\s*)?(?:(\d+)\s*m(?:in)?\s*)?(?:(\d+)\s*s)?\s*ago/.exec(text)
  if (found === null || found.slice(1).every((part) => part === undefined)) return Number.NaN
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = found.slice(1).map((part) => Number(part ?? 0))
  return ((days * 24 + hours) * 60 + minutes) * 60 + seconds
}
