import type { Random } from './random.ts'

const ENCODER = new TextEncoder()

/** Hostile texts: scripts, invisible or reversed text, look-alikes and long ones. */
const TEXTS = [
  '',
  'ACTIVE',
  'ACT\u0406VE',
  'ACTIVE ',
  'ACTIVE\u202e',
  '\u202eEVITCA\u202c',
  '\u2066x\u2069',
  'a\u200bb\ufeff',
  '=1+1',
  '+cmd|/c calc!A0',
  '-2+3',
  '@SUM(A1)',
  '\t=1',
  '\r\n=1',
  'x;=1',
  'x\t=1',
  '"\n=HYPERLINK("http://x")',
  '＝1+1',
  '<img src=x onerror=alert(1)>',
  '<!channel> [a](http://x) `x` @here',
  'javascript:alert(1)',
  '${x}{{y}}%s',
  'a\u0000b',
  '\u001b[31mred',
  '\ud800',
  'x\udfff',
  '\u{e0001}\u{e0041}',
  '\u2028\u2029\u0085',
  'é'.normalize('NFD').repeat(40),
  'Z̷̧a̵l̶g̷o̸'.repeat(12),
  'm'.repeat(5_000),
  '0x',
  '0xABCDEF',
  '0xzz',
  `0x${'ab'.repeat(900)}`,
  '9007199254740993',
  'NaN',
  '__proto__',
  'constructor',
] as const

/** A list of words without spaces. */
function wordsOf(text: string): readonly [string, ...(readonly string[])] {
  const [first = '', ...others] = text.trim().split(/\s+/)
  return [first, ...others]
}

/** Raw JSON values, some of them invalid. */
const TOKENS = wordsOf(`
  null true false [] {} [[[[1]]]] {"status":"ACTIVE"} {"toString":1,"valueOf":2} 0 -0 -1 1 1.5 0.98 98.4
  1e999 -1e999 5e-324 1e-81 1e308 1e30 1e31 1e15 1e400 9007199254740993 9007199254740993.25
  123456789012345678901234567890 1780315190 1780315190000 1780315190000000 1780315190000000000
  8640000000000001 99999999999999999999 0.000000000000000000000000000001 1E5 NaN Infinity 0x10 01 1.
  "1250000"
`)

const NAMES = wordsOf(`
  node_id status stake_deployed network_participation threat_responses_executed last_heartbeat
  cryptographic_proof __proto__ constructor toString hasOwnProperty error message =new \u202ename extra
`)

const aText = (random: Random): string =>
  random.chance(0.8)
    ? random.oneOf(TEXTS)
    : Array.from({ length: random.below(90) }, () => String.fromCharCode(random.below(0x3100))).join('')

const aToken = (random: Random): string =>
  random.chance(0.5) ? random.oneOf(TOKENS) : JSON.stringify(aText(random))

/** Bytes with random changes, removals, repetitions or truncation. */
export function changedBytes(given: Uint8Array, random: Random): Uint8Array<ArrayBuffer> {
  let bytes = Uint8Array.from(given)
  for (let left = 1 + random.below(3); left > 0; left--) {
    const at = random.below(bytes.length + 1)
    const end = Math.min(bytes.length, at + random.below(24))
    const parts = (...list: readonly Uint8Array[]): Uint8Array<ArrayBuffer> =>
      Uint8Array.from(list.flatMap((part) => Array.from(part)))
    switch (random.below(6)) {
      case 0:
        if (at < bytes.length) bytes[at] = random.below(256)
        break
      case 1:
        if (at < bytes.length) bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8))
        break
      case 2:
        bytes = parts(bytes.subarray(0, at), bytes.subarray(end))
        break
      case 3:
        bytes = parts(bytes.subarray(0, end), bytes.subarray(at))
        break
      case 4:
        bytes = bytes.slice(0, at)
        break
      default:
        bytes = parts(bytes.subarray(0, at), ENCODER.encode(aText(random).slice(0, 200)), bytes.subarray(at))
    }
  }
  return bytes
}

/** JSON text with changed, repeated, missing or additional members. */
export function changedDocument(
  document: Readonly<Record<string, unknown>>,
  random: Random,
): Uint8Array<ArrayBuffer> {
  const members = Object.entries(document).map(([name, value]): [string, string] => [
    JSON.stringify(name),
    JSON.stringify(value),
  ])
  for (let left = random.below(4); left > 0; left--) {
    const at = random.below(members.length)
    const name = members[at]?.[0] ?? '"x"'
    const known = JSON.stringify(random.oneOf(NAMES))
    if (random.chance(0.6)) members[at] = [name, aToken(random)]
    else if (random.chance(0.3)) members.splice(at, 1)
    else if (random.chance(0.5)) members.push([name, aToken(random)])
    else members.push([random.chance(0.7) ? known : JSON.stringify(aText(random)), aToken(random)])
  }
  const text = `{${members.map(([name, value]) => `${name}:${value}`).join(',')}}`
  const bytes = ENCODER.encode(text)
  return random.chance(0.25) ? changedBytes(bytes, random) : bytes
}

/** A JSON document with one to three other values, at any depth. */
export function changedValue(document: string, random: Random): string {
  let text = document
  for (let left = 1 + random.below(3); left > 0; left--) {
    // Any token may change: a number, a text or a member name.
    const tokens = Array.from(text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null/g))
    const found = tokens[random.below(tokens.length)]
    if (found === undefined) return text
    text = text.slice(0, found.index) + aToken(random) + text.slice(found.index + found[0].length)
  }
  return text
}

/** Bodies that are not records, or are too large. */
export function strangeBody(random: Random, bytesMax: number): Uint8Array<ArrayBuffer> {
  switch (random.below(9)) {
    case 0:
      return new Uint8Array()
    case 1:
      return ENCODER.encode(`<!doctype html><title>${aText(random)}</title>`)
    case 2:
      return ENCODER.encode('['.repeat(random.below(bytesMax)))
    case 3:
      return ENCODER.encode(`{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`)
    case 4:
      return new Uint8Array(bytesMax + random.below(3) - 1).fill(0x20)
    case 5:
      return ENCODER.encode(
        `{${Array.from(
          { length: 900 },
          (_, index) =>
            `"${index}${aText(random)
              .slice(0, 9)
              .replaceAll(/["\\\p{Cc}]/gu, '')}":1`,
        ).join(',')}}`,
      )
    case 6:
      return Uint8Array.from([
        0xff,
        0xfe,
        ...Array.from('{"status":"X"}').flatMap((char) => [char.charCodeAt(0), 0]),
      ])
    case 7:
      return ENCODER.encode(aToken(random))
    default:
      return Uint8Array.from({ length: random.below(300) }, () => random.below(256))
  }
}

/** A header value with bytes that HTTP permits. */
export const aHeader = (random: Random, good: string): string =>
  random.chance(0.5)
    ? good
    : random.oneOf([
        '',
        '0',
        '-1',
        '1e9',
        'Thu, 01 Jan 1970 00:00:00 GMT',
        'Fri, 31 Dec 9999 23:59:59 GMT',
        '=1',
        'x'.repeat(5_000),
        '\u00e9\u00ff',
        '99999999999999999999',
        'gzip, br',
        'text/html',
      ])
