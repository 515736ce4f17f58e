import { lookup as resolveName, type LookupAddress } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import os from 'node:os'

/**
 * Which addresses an outside request may reach. `anywhere`: the server's configuration names the target. `not-link-local`: for
 * a page on this computer. `public`: for all others.
 */
export type Reach = 'anywhere' | 'not-link-local' | 'public'

/** The error code of a connection whose address is not allowed. */
export const BLOCKED_CODE = 'EADDRBLOCKED'

/** Link-local addresses, those at which clouds serve their own machines, and every address that is not a single host. */
const isLinkLocal = listOf([
  '169.254.0.0/16',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fe80::/10',
  'ff00::/8',
  'fd00:ec2::254',
  'fd20:ce::254',
])

/** This computer, private networks, and unrouted ranges. */
const isInternal = listOf([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '100::/64',
  '64:ff9b:1::/48',
  '2001::/32',
  'fc00::/7',
  'fec0::/10',
])

export function isInReach(address: string, reach: Reach): boolean {
  if (reach === 'anywhere') return true
  const single = singleOf(address)
  // Text that is not an address is out of reach.
  if (isIP(single) === 0 || isLinkLocal(single)) return false
  return reach === 'not-link-local' || !(isInternal(single) || isOwnNetwork(single))
}

/**
 * Whether the address belongs to this computer or to a network that it is in, even a public one, because services there may
 * trust their neighbours. Checked each time, because networks change.
 */
function isOwnNetwork(single: string): boolean {
  const own = Object.values(os.networkInterfaces()).flatMap((all) => all ?? [])
  // Without a usable mask only the address itself.
  return listOf(own.map(({ address, cidr }) => cidr ?? address))(single)
}

/** The address without a zone; of an IPv6 address that contains an IPv4 address, the IPv4 address. */
function singleOf(address: string): string {
  const plain = address.replace(/%.*$/, '')
  return isIP(plain) === 6 ? (innerIPv4(plain) ?? plain) : plain
}

/** The IPv4 address inside an IPv6 one: mapped, compatible, NAT64 and 6to4. */
function innerIPv4(address: string): string | undefined {
  const groups = groupsOf(address)
  const [first, second] = groups
  const head = groups.slice(0, 6).join(' ')
  const isLast32 = ['0 0 0 0 0 0', '0 0 0 0 0 65535', '0 0 0 0 65535 0', '100 65435 0 0 0 0'].includes(head)
  if (isLast32) return dotted(groups[6], groups[7])
  return first === 0x2002 ? dotted(second, groups[2]) : undefined
}

const dotted = (high = 0, low = 0): string => [high >> 8, high & 255, low >> 8, low & 255].join('.')

function groupsOf(address: string): readonly number[] {
  // The URL parser normalizes every form of an address to the shortest one, without an IPv4 tail.
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [left = [], right] = short.split('::').map((side) => (side === '' ? [] : side.split(':')))
  const zeros = right === undefined ? 0 : 8 - left.length - right.length
  return [...left, ...Array.from({ length: zeros }, () => '0'), ...(right ?? [])].map((hex) =>
    parseInt(hex, 16),
  )
}

/** Tests whether an address is in a list of addresses and networks, in whatever form either is written. */
export type AddressList = (address: string) => boolean

/** Reads addresses and networks such as 10.0.0.0/8; undefined if one is neither. */
export const readAddressList = (texts: readonly string[]): AddressList | undefined =>
  texts.every((text) => networkIn(text) !== undefined) ? listOf(texts) : undefined

/** Leaves out texts that are neither addresses nor networks. */
function listOf(texts: readonly string[]): AddressList {
  // One list per family; in a common list ::/0 would include all IPv4 addresses.
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const { text, family, bits } of texts.flatMap((each) => networkIn(each) ?? []))
    lists[family].addSubnet(text, bits, family)
  return (address) => {
    const plain = plainAddress(address)
    return plain !== undefined && lists[plain.family].check(plain.text, plain.family)
  }
}

function networkIn(text: string) {
  const [net = '', written, ...more] = text.split('/')
  const address = plainAddress(net)
  const all = address?.family === 'ipv4' ? 32 : 128
  // For an IPv4 address inside an IPv6 one the prefix length includes the bits before it.
  const bits = written === undefined ? all : Number(written) - (isIP(net) === 6 ? 128 - all : 0)
  const isWhole = written === undefined || /^\d{1,3}$/.test(written)
  if (address === undefined || !isWhole || bits < 0 || bits > all || more.length > 0) return undefined
  return { ...address, bits }
}

/** Normal form without a zone; an IPv4-mapped address becomes IPv4. */
function plainAddress(
  address: string,
): { readonly text: string; readonly family: 'ipv4' | 'ipv6' } | undefined {
  const text = address.replace(/%.*$/, '')
  if (isIP(text) === 0) return undefined
  if (isIP(text) === 4) return { text, family: 'ipv4' }
  const groups = groupsOf(text)
  return groups.slice(0, 6).join(' ') === '0 0 0 0 0 65535'
    ? { text: dotted(groups[6], groups[7]), family: 'ipv4' }
    : { text, family: 'ipv6' }
}

/** The network that limits count by: the /64 of an IPv6 address, because one computer has all of it. */
export function networkOf(address: string): string {
  const single = singleOf(address)
  if (isIP(single) !== 6) return single
  const groups = groupsOf(single).slice(0, 4)
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`
}

/** A literal IP address is never resolved, so it is checked here. */
export const isHostBlocked = (hostname: string, reach: Reach): boolean => {
  const address = hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(address) !== 0 && !isInReach(address, reach)
}

/** Like `dns.lookup` with `all`; replaceable in tests. */
export type Resolve = (
  name: string,
  answer: (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void,
) => void

export const resolveByDns: Resolve = (name, answer) => resolveName(name, { all: true }, answer)

/**
 * The lookup for a connection: resolves a name once, drops addresses that are not allowed, and connects to one of the
 * rest. A name that resolves differently a moment later (DNS rebinding) has no effect.
 */
export const lookupWithin =
  (reach: Reach, resolve: Resolve): LookupFunction =>
  (name, options, done) =>
    resolve(name, (error, addresses) => {
      if (error !== null) return done(error, [])
      const left = addresses.filter(
        ({ address, family }) =>
          isInReach(address, reach) &&
          (options.family === undefined || options.family === 0 || options.family === family),
      )
      const [first] = left
      if (first === undefined)
        return done(Object.assign(new Error('The address is not allowed'), { code: BLOCKED_CODE }), [])
      if (options.all === true) done(null, left)
      else done(null, first.address, first.family)
    })
